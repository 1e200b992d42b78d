"""Elementwise functions for `plan.activation` and for traced functions, and their derivatives.

Each is also callable on a NumPy array, in float64, and on a PyTorch tensor, as the reference of what the compiled code
computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Optional, Union

import numpy as np

from ..errors import ArgumentError
from . import _host
from ._functions import clamp, erf, exp, maximum, where

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
    "softplus",
    "tanh",
]

_SQRT_2_OVER_PI = math.sqrt(2.0 / math.pi)


def _prepare(x: Any) -> Any:
    """A tensor, or anything else as an array in float64."""
    _host.check((x,))
    return np.asarray(x, dtype=np.float64) if _host.torch_of((x,)) is None else x


@dataclass(frozen=True)
class Activation:
    """An elementwise function, with its argument where it takes one."""

    name: str
    code: int = field(repr=False)
    reference: Callable[[Any, float], Any] = field(repr=False, compare=False)
    takes_argument: bool = field(default=False, repr=False)
    argument: float = 0.0

    def __call__(self, x: Any, slope: Optional[float] = None) -> Any:
        if slope is not None and not self.takes_argument:
            raise ArgumentError(f"{self.name}: expected no argument beside x, got {slope!r}")
        with np.errstate(over="ignore"):
            return self.reference(_prepare(x), self.argument if slope is None else slope)


def _tanh(x: Any) -> Any:
    return _host.apply("tanh", x)


def _sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + exp(-x))


# The codes are those of CutlActivation in cutl-c/Compiler.h.
identity = Activation("identity", 0, lambda x, _: x)
relu = Activation("relu", 1, lambda x, _: maximum(x, 0.0))
gelu = Activation("gelu", 2, lambda x, _: 0.5 * x * (1.0 + erf(x / math.sqrt(2.0))))
gelu_tanh = Activation("gelu_tanh", 3, lambda x, _: 0.5 * x * (1.0 + _tanh(_SQRT_2_OVER_PI * (x + 0.044715 * x**3))))
silu = Activation("silu", 4, lambda x, _: x / (1.0 + exp(-x)))
sigmoid = Activation("sigmoid", 5, lambda x, _: _sigmoid(x))
tanh = Activation("tanh", 6, lambda x, _: _tanh(x))
leaky_relu = Activation("leaky_relu", 7, lambda x, a: where(x > 0.0, x, a * x), True, 0.01)
hardswish = Activation("hardswish", 8, lambda x, _: x * clamp(x + 3.0, 0.0, 6.0) / 6.0)
softplus = Activation("softplus", 9, lambda x, _: maximum(x, 0.0) + _host.apply("log1p", exp(-_host.apply("abs", x))))

_by_name = {a.name: a for a in (gelu, gelu_tanh, hardswish, identity, leaky_relu, relu, sigmoid, silu, softplus, tanh)}

ActivationLike = Union[Activation, str, "tuple[Activation | str, float]"]


def activations() -> tuple[Activation, ...]:
    """All activations, by name."""
    return tuple(_by_name.values())


def _check_argument(activation: Activation) -> None:
    if not math.isfinite(activation.argument):
        raise ArgumentError(
            f"activation: expected a finite number as the argument of {activation.name}, got {activation.argument}"
        )


def as_activation(value: Any) -> Activation:
    """An `Activation` from one, from its name, or from a pair of either and an argument."""
    if isinstance(value, Activation):
        _check_argument(value)
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
        except OverflowError:
            argument = math.inf
        return as_activation(replace(base, argument=argument))
    if isinstance(value, str) and value in _by_name:
        return _by_name[value]
    raise ArgumentError(f"activation: expected one of {', '.join(_by_name)}, got {value!r}")
