"""A stand-in for an array: its element type, shape and strides, without memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from . import _tensors
from .dtypes import DataType, DTypeLike, as_data_type, from_numpy
from .errors import ArgumentError, DTypeError
from .layouts import LayoutType

__all__ = ["Tensor"]


class Tensor:
    """An element type and a shape, with a layout or with strides in elements; or those of an array."""

    element: DataType
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def __init__(
        self,
        element: Optional[DTypeLike] = None,
        shape: Optional[Sequence[int]] = None,
        layout: Optional[LayoutType] = None,
        strides: Optional[Sequence[int]] = None,
        *,
        tensor: Any = None,
    ) -> None:
        if tensor is not None:
            for name, value in (("element", element), ("shape", shape), ("layout", layout), ("strides", strides)):
                if value is not None:
                    raise ArgumentError(f"{name}: expected none beside a tensor, which has its own, got {value!r}")
            self.element, self.shape, self.strides = describe("tensor", tensor)
            return
        if element is None or shape is None:
            raise ArgumentError("element, shape: expected both, or a tensor that has them, got none")
        if layout is not None and strides is not None:
            raise ArgumentError(f"layout: expected none beside strides, got {layout}")
        if layout is not None and not isinstance(layout, LayoutType):
            raise ArgumentError(f"layout: expected a cutl.LayoutType, got {layout!r}")
        self.element = as_data_type(element, "element")
        self.shape = _integers("shape", shape)
        if any(size < 0 for size in self.shape):
            raise ArgumentError(f"shape: expected sizes of 0 or more, got {self.shape}")
        if strides is None:
            self.strides = _dense(self.shape, layout is LayoutType.ColumnMajor)
            return
        self.strides = _integers("strides", strides)
        if len(self.strides) != len(self.shape):
            raise ArgumentError(f"strides: expected {len(self.shape)}, one for each size, got {self.strides}")

    def __repr__(self) -> str:
        return f"cutl.Tensor({self.element.name!r}, {self.shape}, strides={self.strides})"


def _integers(name: str, values: Sequence[int]) -> tuple[int, ...]:
    try:
        return tuple(int(value.__index__()) for value in values)
    except (AttributeError, TypeError):
        raise ArgumentError(f"{name}: expected a sequence of integers, got {values!r}") from None


def _dense(shape: tuple[int, ...], column_major: bool) -> tuple[int, ...]:
    """Strides of an array without gaps, in which with two or more dimensions the last two may be the other way round."""
    order = list(range(len(shape)))
    if column_major and len(order) > 1:
        order[-2:] = order[-1], order[-2]
    strides, step = [0] * len(shape), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= shape[dim]
    return tuple(strides)


def describe(name: str, value: Any) -> tuple[DataType, tuple[int, ...], tuple[int, ...]]:
    """Element type, shape and strides in elements of an array of any kind, or of a stand-in."""
    if isinstance(value, Tensor):
        return value.element, value.shape, value.strides
    place = _tensors.place(value)
    if place == "numpy":
        dtype = from_numpy(value.dtype, name)
        return dtype, value.shape, tuple(stride // value.itemsize for stride in value.strides)
    if _tensors.is_torch(value):
        known = _tensors._TORCH_NAMES.get(str(value.dtype))
        if known is None:
            raise DTypeError(f"{name}: expected one of {', '.join(_tensors._TORCH_NAMES)}, got {value.dtype}")
        return DataType[known], tuple(value.shape), tuple(value.stride())
    if place == "cuda":
        tensor = _tensors.describe(name, value)
        strides = tuple(stride // tensor.array.itemsize for stride in tensor.array.strides)
        return tensor.dtype, tensor.array.shape, strides
    raise DTypeError(f"{name}: expected an array, a cutl.Tensor or a number, got {type(value).__name__}")


class Ghost:
    """What there is to know of an array of a stand-in's shape and strides, which has no elements to be read."""

    def __init__(self, shape: tuple[int, ...], strides: tuple[int, ...], dtype: DataType) -> None:
        item = dtype.bits // 8
        self.dtype = np.dtype(f"u{item}")
        self.shape = shape
        # In bytes, as those of NumPy.
        self.strides = tuple(stride * item for stride in strides)
