"""What the caller of a matrix product demands of the way it is computed."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import Any, Optional

from .._compiler import GemmSpec
from ..errors import ArgumentError

_MAX_BUDGET = 2**31 - 1


@dataclass(frozen=True)
class Demands:
    """As `Gemm` documents them; raises if they contradict each other."""

    deterministic: bool
    batch_invariant: bool
    sm_budget: Optional[int]
    programmatic_launch: bool = True

    def __post_init__(self) -> None:
        for name in ("deterministic", "batch_invariant", "programmatic_launch"):
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
        """The spec of a product of which this is demanded."""
        return replace(
            spec,
            deterministic=self.deterministic,
            batch_invariant=self.batch_invariant,
            sm_budget=self.sm_budget,
            programmatic_launch=self.programmatic_launch,
        )


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
