"""Elementwise functions for `plan.activation`.

Each is also callable on a NumPy array, in float64, as the reference of what the compiled code computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from .errors import ArgumentError

__all__ = [
    "Activation",
    "ActivationLike",
    "activations",
    "gelu",
    "gelu_tanh",
    "hardswish",
    "identity",
    "leaky_relu",
    "relu",
    "sigmoid",
    "silu",
    "tanh",
]

_Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Activation:
    """An elementwise function, with its argument where it takes one."""

    name: str
    code: int = field(repr=False)
    reference: Callable[[_Array, float], _Array] = field(repr=False, compare=False)
    takes_argument: bool = field(default=False, repr=False)
    argument: float = 0.0

    def __call__(self, x: npt.ArrayLike) -> _Array:
        with np.errstate(over="ignore"):
            return self.reference(np.asarray(x, dtype=np.float64), self.argument)


def _gelu_tanh(x: _Array, _: float) -> _Array:
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def _gelu(x: _Array, _: float) -> _Array:
    erf: _Array = np.vectorize(math.erf, otypes=[np.float64])(x / math.sqrt(2.0))
    return 0.5 * x * (1.0 + erf)


# The codes are those of CutlActivation in cutl-c/Compiler.h.
identity = Activation("identity", 0, lambda x, _: x)
relu = Activation("relu", 1, lambda x, _: np.maximum(x, 0.0))
gelu = Activation("gelu", 2, _gelu)
gelu_tanh = Activation("gelu_tanh", 3, _gelu_tanh)
silu = Activation("silu", 4, lambda x, _: x / (1.0 + np.exp(-x)))
sigmoid = Activation("sigmoid", 5, lambda x, _: 1.0 / (1.0 + np.exp(-x)))
tanh = Activation("tanh", 6, lambda x, _: np.tanh(x))
leaky_relu = Activation("leaky_relu", 7, lambda x, a: np.where(x > 0.0, x, a * x), True, 0.01)
hardswish = Activation("hardswish", 8, lambda x, _: x * np.clip(x + 3.0, 0.0, 6.0) / 6.0)

_by_name = {
    a.name: a for a in (gelu, gelu_tanh, hardswish, identity, leaky_relu, relu, sigmoid, silu, tanh)
}

ActivationLike = Union[Activation, str, "tuple[Activation | str, float]"]


def activations() -> tuple[Activation, ...]:
    """All activations, by name."""
    return tuple(_by_name.values())


def as_activation(value: Any) -> Activation:
    """An `Activation` from one, from its name, or from a pair of either and an argument."""
    if isinstance(value, Activation):
        return value
    if isinstance(value, tuple) and len(value) == 2:
        base = as_activation(value[0])
        if not base.takes_argument:
            raise ArgumentError(f"activation: expected no argument for {base.name}, got {value[1]!r}")
        try:
            argument = float(value[1])
        except (TypeError, ValueError):
            raise ArgumentError(
                f"activation: expected a number as the argument of {base.name}, got {value[1]!r}"
            ) from None
        return replace(base, argument=argument)
    if isinstance(value, str) and value in _by_name:
        return _by_name[value]
    raise ArgumentError(f"activation: expected one of {', '.join(_by_name)}, got {value!r}")
