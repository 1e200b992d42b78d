"""Derivatives of activations at x, for backward passes; the gradient from above is multiplied by the user."""

from __future__ import annotations

import math
from typing import Any

from ._activations import _SQRT_2_OVER_PI, _prepare, _sigmoid, _tanh
from ._functions import erf, exp, where

__all__ = [
    "gelu_grad",
    "gelu_tanh_grad",
    "hardswish_grad",
    "leaky_relu_grad",
    "relu_grad",
    "sigmoid_grad",
    "silu_grad",
    "softplus_grad",
    "tanh_grad",
]


def relu_grad(x: Any) -> Any:
    """1 where x > 0, else 0; NaN for NaN."""
    return leaky_relu_grad(x, 0.0)


def leaky_relu_grad(x: Any, slope: float = 0.01) -> Any:
    """1 where x > 0, else the slope; NaN for NaN."""
    x = _prepare(x)
    return where(x > 0.0, 1.0, where(x <= 0.0, slope, x))


def gelu_grad(x: Any) -> Any:
    """Of gelu with the error function."""
    x = _prepare(x)
    return 0.5 * (1.0 + erf(x / math.sqrt(2.0))) + x * exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def gelu_tanh_grad(x: Any) -> Any:
    """Of gelu with tanh."""
    x = _prepare(x)
    t = _tanh(_SQRT_2_OVER_PI * (x + 0.044715 * x**3))
    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * _SQRT_2_OVER_PI * (1.0 + 3.0 * 0.044715 * x * x)


def silu_grad(x: Any) -> Any:
    """sigmoid(x) * (1 + x * (1 - sigmoid(x)))."""
    x = _prepare(x)
    s = _sigmoid(x)
    return s * (1.0 + x * (1.0 - s))


def sigmoid_grad(x: Any) -> Any:
    """sigmoid(x) * (1 - sigmoid(x))."""
    s = _sigmoid(_prepare(x))
    return s * (1.0 - s)


def tanh_grad(x: Any) -> Any:
    """1 - tanh(x)^2."""
    t = _tanh(_prepare(x))
    return 1.0 - t * t


def hardswish_grad(x: Any) -> Any:
    """0 up to -3, 1 from 3 on, (2 x + 3) / 6 between; NaN for NaN."""
    x = _prepare(x)
    between = (2.0 * x + 3.0) / 6.0
    return where(x <= -3.0, 0.0, where(x >= 3.0, 1.0, between))


def softplus_grad(x: Any) -> Any:
    """sigmoid(x)."""
    return _sigmoid(_prepare(x))
