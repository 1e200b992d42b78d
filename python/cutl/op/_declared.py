"""What a plan's constructor says of its operands."""

from __future__ import annotations

from typing import Any, Optional

from .. import _arrays, _cutl, _tensors
from .._specs import OperandSpec
from ..dtypes import DataType, DTypeLike, as_data_type
from ..errors import ArgumentError, DeviceError, DTypeError, MissingOperandError
from ..layouts import LayoutType
from ._problem import MATRICES, Typed, spec_of


class Declared:
    """Arrays, element types and layouts by operand, as far as they are given, and the accumulator."""

    def __init__(
        self,
        arrays: dict[str, Any],
        elements: dict[str, Optional[DTypeLike]],
        layouts: dict[str, Optional[LayoutType]],
        element: Optional[DTypeLike],
        layout: Optional[LayoutType],
        accumulator: Optional[DTypeLike],
        device: str,
    ) -> None:
        """`element` and `layout` are those of operands that have none of their own."""
        self.arrays = arrays
        self._device = device
        self._elements: dict[str, Optional[DataType]] = {}
        self._layouts: dict[str, Optional[LayoutType]] = {}
        for name in arrays:
            self._declare(name, elements[name], layouts[name], element, layout)
        self._accumulator = None if accumulator is None else as_data_type(accumulator, "element_accumulator")

    def _declare(
        self,
        name: str,
        own_element: Optional[DTypeLike],
        own_layout: Optional[LayoutType],
        element: Optional[DTypeLike],
        layout: Optional[LayoutType],
    ) -> None:
        array = self._first(name)
        for what, value in ((f"element_{name}", own_element), (f"layout_{name}", own_layout)):
            if array is not None and value is not None:
                raise ArgumentError(f"{what}: expected none beside the array {name}, which has its own, got {value!r}")
        for what, kind in ((f"layout_{name}", own_layout), ("layout", layout)):
            if kind is not None and not isinstance(kind, LayoutType):
                raise ArgumentError(f"{what}: expected a cutl.LayoutType, got {kind!r}")
        if array is not None:
            self._elements[name] = self.typed(name, array)[1]
            self._layouts[name] = None
            return
        if own_element is not None:
            self._elements[name] = as_data_type(own_element, f"element_{name}")
        else:
            self._elements[name] = None if element is None else as_data_type(element, "element")
        self._layouts[name] = own_layout or layout

    def _first(self, name: str) -> Any:
        """The operand's array; all of several B have one type and lie alike."""
        array = self.arrays[name]
        return array[0] if name == "B" and isinstance(array, tuple) and array else array

    def count_b(self) -> int:
        """How many arrays are given in place of B."""
        array = self.arrays["B"]
        return 0 if array is None else len(array) if isinstance(array, tuple) else 1

    def check_one_b(self) -> None:
        """Raises if B is several arrays, as a run does that can use one."""
        if isinstance(self.arrays["B"], tuple):
            self.typed("B", self.arrays["B"])

    def typed(self, name: str, value: Any) -> Typed:
        """An operand as an array, with its element type."""
        where = _tensors.place(value)
        if where == "cuda":
            if self._device == "cpu":
                raise DeviceError(
                    f"{name}: expected a NumPy array since the plan's device is 'cpu', got an array on a GPU; make the"
                    " plan with device='cuda' or 'auto'"
                )
            tensor = _tensors.describe(name, value)
            return tensor.array, tensor.dtype
        if _tensors.is_torch(value) and self._device != "cpu":
            raise DeviceError(
                f"{name}: expected a CUDA tensor or a NumPy array, got a tensor on {where}; {name}.cuda() or"
                f" {name}.numpy() makes one"
            )
        return value, _arrays.check_array(name, value)

    def checked(self, name: str, value: Any, matrix: str) -> Typed:
        """An operand of a run as `typed`, if it has the element type that was declared for one of A, B, C and D."""
        array, dtype = self.typed(name, value)
        declared = self._elements.get(matrix)
        if declared is not None and dtype is not declared:
            raise DTypeError(f"{name}: expected element type {declared.name}, got {dtype.name}")
        return array, dtype

    def spec(self, name: str) -> OperandSpec:
        """One of A, B, C and D, without batch dimensions."""
        array, dtype, dims = self._first(name), self._elements[name], MATRICES[name]
        if dtype is None:
            raise MissingOperandError(
                f"element_{name}: expected an element type or an array before the first run, got none"
            )
        if array is None:
            return OperandSpec(dtype, dims[::-1] if self._layouts[name] is LayoutType.ColumnMajor else dims, True)
        array = self.typed(name, array)[0]
        _arrays.check_rank(name, array, 2)
        return spec_of(_arrays.describe(name, array[(0,) * (array.ndim - 2)], dtype, dims, ()))

    def accumulator(self, a: DataType, b: DataType) -> DataType:
        """What products of two element types are accumulated in."""
        if self._accumulator is not None:
            return self._accumulator
        code = _cutl.default_accumulator(a._code, b._code)
        for dtype in DataType:
            if dtype._code == code:
                return dtype
        raise DTypeError(f"B: expected an element type that can be multiplied with {a.name} of A, got {b.name}")
