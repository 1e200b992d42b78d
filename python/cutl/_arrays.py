"""Checks NumPy arrays and describes them to compiled code. Nothing here copies an element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from .dtypes import DataType, from_numpy
from .errors import AliasError, DTypeError, LayoutError, ReadOnlyError, ShapeError

# Effort after which overlap that bounds do not exclude is taken for overlap.
_MAX_OVERLAP_WORK = 100_000

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Operand:
    """An array with the dimension of the problem that each of its dimensions is."""

    name: str
    array: Array
    dtype: DataType
    dims: str
    sizes: tuple[int, ...]
    # In elements.
    strides: tuple[int, ...]

    @property
    def unit_stride(self) -> bool:
        return bool(self.strides) and self.strides[-1] == 1

    def encode(self) -> tuple[int, int, tuple[int, ...], tuple[int, ...]]:
        return (self.array.ctypes.data, self.dtype._code, self.sizes, self.strides)


def check_array(name: str, value: object) -> DataType:
    """The element type of an operand that can be addressed as it is."""
    if not isinstance(value, np.ndarray):
        raise DTypeError(
            f"{name}: expected a numpy.ndarray, got {type(value).__name__}"
            " (numpy.asarray or numpy.from_dlpack makes one)"
        )
    dtype = from_numpy(value.dtype, name)
    if not value.flags.aligned:
        raise LayoutError(
            f"{name}: expected elements aligned to {value.dtype.alignment} bytes,"
            f" got address {value.ctypes.data:#x} and strides {value.strides} bytes"
        )
    item = value.dtype.itemsize
    if any(stride % item for stride in value.strides):
        raise LayoutError(
            f"{name}: expected strides that are multiples of the element size {item}, got {value.strides} bytes"
        )
    return dtype


def check_rank(name: str, array: Array, least: int) -> None:
    if array.ndim < least:
        raise ShapeError(f"{name}: expected at least {least} dimensions, got shape {array.shape}")


def batch_shape(arrays: Sequence[tuple[str, Array]]) -> tuple[int, ...]:
    """The batch dimensions that operands have together, by NumPy's rules for matmul."""
    shape: tuple[int, ...] = ()
    owner = ""
    for name, array in arrays:
        try:
            shape, previous = np.broadcast_shapes(shape, array.shape[:-2]), shape
        except ValueError:
            raise ShapeError(
                f"{name}: expected batch dimensions that broadcast with {shape} of {owner},"
                f" got {array.shape[:-2]}"
            ) from None
        if shape != previous:
            owner = name
    return shape


def _is_transposed(sizes: list[int], strides: list[int], matrix: str) -> bool:
    """Whether the first dimension of a matrix is the contiguous one. A stride of one does not say so of a dimension with
    fewer than two elements; where nothing does, k is taken to be contiguous."""
    unit = [stride == 1 for stride in strides[-2:]]
    if unit[0] == unit[1]:
        long = [size > 1 for size in sizes[-2:]]
        if long[0] == long[1]:
            return unit[0] and matrix[0] == "k"
        return long[0] and unit[0]
    return unit[0]


def describe(name: str, array: Array, dtype: DataType, matrix: str, batch: tuple[int, ...]) -> Operand:
    """Names the dimensions of an operand: `matrix` the last ones, digits the batch dimensions.

    Batch dimensions that broadcast are left out. The two of a matrix are swapped when the first is
    the contiguous one.
    """
    item = array.dtype.itemsize
    rank = len(matrix)
    sizes = list(array.shape)
    # The stride of a dimension with fewer than two elements is never used.
    strides = [stride // item if size > 1 else 1 for size, stride in zip(array.shape, array.strides)]
    lead = array.ndim - rank
    first = len(batch) - lead
    kept = [i for i in range(lead) if not (sizes[i] == 1 and batch[first + i] != 1)]
    dims = "".join(str(first + i) for i in kept) + matrix
    order = [*kept, *range(lead, array.ndim)]
    if rank == 2 and _is_transposed(sizes, strides, matrix):
        order[-2:] = order[-1], order[-2]
        dims = dims[:-2] + dims[-1] + dims[-2]
    return Operand(
        name, array, dtype, dims, tuple(sizes[i] for i in order), tuple(strides[i] for i in order)
    )


def restride(array: Array, sizes: Sequence[int], strides: Sequence[int]) -> Array:
    """The memory of an array with other sizes and strides, in bytes."""
    # NumPy describes an element type to itself by text, and of other packages' types takes back some and not others.
    words = array.view(f"u{array.dtype.itemsize}")
    return np.lib.stride_tricks.as_strided(words, tuple(sizes), tuple(strides)).view(array.dtype)


def span(array: Array) -> Optional[tuple[int, int]]:
    """The first byte of an array and the one after its last, from its address; none if it is empty."""
    if array.size == 0:
        return None
    reach = [stride * (size - 1) for stride, size in zip(array.strides, array.shape)]
    return sum(r for r in reach if r < 0), sum(r for r in reach if r > 0) + array.itemsize


def check_output(name: str, array: Array) -> None:
    """Refuses an output that cannot be written, or in which two indices mean one element."""
    if not array.flags.writeable:
        raise ReadOnlyError(f"{name}: expected a writable array, got a read-only one")
    if array.size == 0:
        return
    reach = 0
    used = sorted((abs(stride), size) for size, stride in zip(array.shape, array.strides) if size > 1)
    for stride, size in used:
        if stride <= reach:
            raise AliasError(
                f"{name}: expected every index to have an element of its own,"
                f" got shape {array.shape} with strides {array.strides} bytes"
            )
        reach += stride * (size - 1)


def check_no_overlap(name: str, output: Array, other_name: str, other: Array, same_allowed: bool) -> None:
    """Refuses an output that shares memory with an operand, unless it is that operand and may be."""
    if same_allowed and (
        output.ctypes.data == other.ctypes.data
        and output.shape == other.shape
        and output.strides == other.strides
        and output.dtype == other.dtype
    ):
        return
    try:
        overlap = np.shares_memory(output, other, max_work=_MAX_OVERLAP_WORK)
    # Where NumPy 1.25 and later have it.
    except getattr(np, "exceptions", np).TooHardError:
        overlap = True
    if overlap:
        rule = f"to be {other_name} itself or to share no memory with it" if same_allowed else (
            f"to share no memory with {other_name}"
        )
        raise AliasError(
            f"{name}: expected {rule}, got arrays at {output.ctypes.data:#x} and {other.ctypes.data:#x}"
        )
