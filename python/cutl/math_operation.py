"""How products are formed where element types leave a choice."""

from __future__ import annotations

import enum
from typing import Union

from .dtypes import DataType
from .errors import ArgumentError

_PREFIX = "multiply_add_"


class MathOperation(enum.Enum):
    """What one multiplication and addition of a product does.

    * `multiply_add`: exact products of the operands' elements, added in the accumulator's type. Of f32 it is f32, and of
      integers sums wrap.
    * `multiply_add_saturate`: of integers; the exact sum is clamped to the accumulator's range.
    * `multiply_add_tf32`: of f32, rounded to the ten mantissa bits of tf32 before.
    * `multiply_add_fast_f32`: of f32, by three products of tf32 that recover its accuracy.
    * `multiply_add_fast_bf16`, `multiply_add_fast_f16`: of f32, rounded to bf16 or f16 before.
    """

    multiply_add = "multiply_add"
    multiply_add_saturate = "multiply_add_saturate"
    multiply_add_tf32 = "multiply_add_tf32"
    multiply_add_fast_f32 = "multiply_add_fast_f32"
    multiply_add_fast_bf16 = "multiply_add_fast_bf16"
    multiply_add_fast_f16 = "multiply_add_fast_f16"

    @property
    def _math(self) -> int:
        """The compiler's number of what f32 is multiplied as."""
        return _MATH.get(self, 0)

    def _check(self, a: DataType, b: DataType) -> None:
        """Raises if elements of these types are not multiplied like that."""
        if self in _MATH and not a is b is DataType.f32:
            wanted = "A and B of f32"
        elif self is MathOperation.multiply_add_saturate and not (a.is_integer and b.is_integer):
            wanted = "integer A and B"
        else:
            return
        raise ArgumentError(
            f"math_operation: expected {wanted} with {self.name}, got {a.name} and {b.name};"
            " nearest legal value is multiply_add"
        )


_MATH = {
    MathOperation.multiply_add_tf32: 1,
    MathOperation.multiply_add_fast_f32: 2,
    MathOperation.multiply_add_fast_bf16: 3,
    MathOperation.multiply_add_fast_f16: 4,
}

MathOperationLike = Union[MathOperation, str]


def as_math_operation(value: MathOperationLike) -> MathOperation:
    """A `MathOperation` from one or from its name, which may leave out "multiply_add_": "tf32", "saturate"."""
    if isinstance(value, MathOperation):
        return value
    if isinstance(value, str):
        for name in (value, _PREFIX + value):
            if name in MathOperation.__members__:
                return MathOperation[name]
    names = ", ".join(MathOperation.__members__)
    raise ArgumentError(f"math_operation: expected one of {names}, got {value!r}")
