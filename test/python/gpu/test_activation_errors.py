"""`activation_errors.py` under pytest: on a GPU, or on the CPU where there is none."""

from __future__ import annotations

import pytest

pytest.importorskip("ml_dtypes")

import activation_errors  # noqa: E402
from cutl import _gpu  # noqa: E402

DEVICE = "cpu" if _gpu.find() is None else "cuda"


def test_errors_are_within_their_bounds() -> None:
    assert activation_errors.measure(DEVICE) == []
