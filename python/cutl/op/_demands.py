"""What the caller of a matrix product demands of the way it is computed."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import Any, Optional

from .._compiler import GemmSpec
from ..dtypes import DataType
from ..errors import ArgumentError
from ..math_operation import MathOperation

_MAX_BUDGET = 2**31 - 1

# Elements of K after which sums of 8-bit floats are moved to f32 sums, as cuBLAS does.
_PROMOTE = 128


@dataclass(frozen=True)
class Demands:
    """As `Gemm` documents them; raises if they contradict each other."""

    deterministic: bool
    batch_invariant: bool
    sm_budget: Optional[int]
    programmatic_launch: bool = True
    math_operation: MathOperation = MathOperation.multiply_add
    fast_accumulation: bool = False

    def __post_init__(self) -> None:
        for name in ("deterministic", "batch_invariant", "programmatic_launch", "fast_accumulation"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise ArgumentError(f"{name}: expected True or False, got {value!r}")
        if self.batch_invariant and not self.deterministic:
            raise ArgumentError(
                "batch_invariant: expected False since deterministic is False, got True; sums in any order are not the"
                " same for every M"
            )
        object.__setattr__(self, "sm_budget", _check_budget(self.sm_budget))

    def put_on(self, spec: GemmSpec) -> GemmSpec:
        """The spec of a product of which this is demanded; raises if its types are not multiplied like that."""
        a, b = spec.a.dtype, spec.b.dtype
        self.math_operation._check(a, b)
        loses_bits = spec.accumulator is DataType.f32 and _is_narrow_float(a) and _is_narrow_float(b)
        return replace(
            spec,
            deterministic=self.deterministic,
            batch_invariant=self.batch_invariant,
            sm_budget=self.sm_budget,
            programmatic_launch=self.programmatic_launch,
            math_operation=self.math_operation,
            promote=_PROMOTE if loses_bits and not self.fast_accumulation else 0,
        )


def _is_narrow_float(dtype: DataType) -> bool:
    return not dtype.is_integer and dtype.bits == 8


def _check_budget(value: Any) -> Optional[int]:
    if value is None:
        return None
    try:
        budget = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        budget = None
    if budget is None:
        raise ArgumentError(f"sm_budget: expected a number of SMs or None, got {value!r}")
    # How many a chip has is for the compiler to say.
    if not 1 <= budget <= _MAX_BUDGET:
        nearest = 1 if budget < 1 else _MAX_BUDGET
        raise ArgumentError(
            f"sm_budget: expected 1 to {_MAX_BUDGET} SMs, got {budget}; nearest legal value is {nearest}"
        )
    return budget
