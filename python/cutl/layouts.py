"""How the two dimensions of a matrix lie in memory."""

from __future__ import annotations

import enum

__all__ = ["LayoutType"]


class LayoutType(enum.Enum):
    """Which dimension of a matrix is contiguous."""

    RowMajor = "row_major"
    """Elements of a row follow each other, as in a C-ordered array."""

    ColumnMajor = "column_major"
    """Elements of a column follow each other, as in a Fortran-ordered array."""
