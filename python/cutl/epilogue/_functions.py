"""What a function that is traced may call; each also runs on NumPy arrays and PyTorch tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from .. import _tensors
from ..dtypes import DataType, DTypeLike, as_data_type
from ..errors import ArgumentError, DTypeError
from . import _host

__all__ = [
    "abs",
    "amax",
    "cast",
    "ceil",
    "clamp",
    "cos",
    "erf",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "fmax",
    "fmin",
    "linear_combination",
    "log",
    "log1p",
    "log2",
    "max",
    "maximum",
    "min",
    "minimum",
    "multiply_add",
    "permute",
    "pow",
    "reshape",
    "rint",
    "rsqrt",
    "sin",
    "sqrt",
    "sum",
    "trunc",
    "where",
]

Dims = Optional[Union[int, Sequence[int]]]
# In the order of the numbers that the compiler takes.
ROUNDINGS = ("nearest_even", "toward_zero", "downward", "upward")
_ROUND = dict(zip(ROUNDINGS, ("rint", "trunc", "floor", "ceil")))
_TORCH_NAMES = {name: torch.removeprefix("torch.") for torch, name in _tensors._TORCH_NAMES.items()}


def abs(x: Any) -> Any:
    """|x|."""
    return _host.apply("abs", x)


def exp(x: Any) -> Any:
    """e to the power of x."""
    return _host.apply("exp", x)


def exp2(x: Any) -> Any:
    """2 to the power of x."""
    return _host.apply("exp2", x)


def expm1(x: Any) -> Any:
    """exp(x) - 1, good near zero."""
    return _host.apply("expm1", x)


def log(x: Any) -> Any:
    """Natural logarithm; NaN below zero."""
    return _host.apply("log", x)


def log1p(x: Any) -> Any:
    """log(1 + x), good near zero; NaN below -1."""
    return _host.apply("log1p", x)


def log2(x: Any) -> Any:
    """Logarithm to base 2; NaN below zero."""
    return _host.apply("log2", x)


def sqrt(x: Any) -> Any:
    """Square root; NaN below zero."""
    return _host.apply("sqrt", x)


def rsqrt(x: Any) -> Any:
    """1 / sqrt(x)."""
    return 1.0 / sqrt(x)


def erf(x: Any) -> Any:
    """The error function."""
    return _host.erf(x)


def sin(x: Any) -> Any:
    """Sine of an angle in radians."""
    return _host.apply("sin", x)


def cos(x: Any) -> Any:
    """Cosine of an angle in radians."""
    return _host.apply("cos", x)


def floor(x: Any) -> Any:
    """The next integer below."""
    return _host.apply("floor", x)


def ceil(x: Any) -> Any:
    """The next integer above."""
    return _host.apply("ceil", x)


def rint(x: Any) -> Any:
    """The nearest integer; the even one of two."""
    return _host.apply("rint", x)


def trunc(x: Any) -> Any:
    """The next integer toward zero."""
    return _host.apply("trunc", x)


def pow(x: Any, y: Any) -> Any:
    """x to the power of y, also written `x ** y`."""
    return x**y


def maximum(x: Any, y: Any) -> Any:
    """The larger of two values; NaN if one is NaN."""
    return _host.apply("maximum", x, y)


def minimum(x: Any, y: Any) -> Any:
    """The smaller of two values; NaN if one is NaN."""
    return _host.apply("minimum", x, y)


def fmax(x: Any, y: Any) -> Any:
    """The larger of two values; the other one if one is NaN."""
    return _host.apply("fmax", x, y)


def fmin(x: Any, y: Any) -> Any:
    """The smaller of two values; the other one if one is NaN."""
    return _host.apply("fmin", x, y)


def where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, and y elsewhere. The condition is a comparison."""
    torch = _host.torch_of((condition, x, y))
    return np.where(condition, x, y) if torch is None else torch.where(condition, x, y)


def clamp(x: Any, low: Any, high: Any) -> Any:
    """x moved into the interval; NaN stays NaN."""
    return minimum(maximum(x, low), high)


def multiply_add(x: Any, y: Any, z: Any) -> Any:
    """x * y + z."""
    return x * y + z


def linear_combination(alpha: Any, x: Any, beta: Any, y: Any) -> Any:
    """alpha * x + beta * y, where y does not count if beta is 0, not even as NaN."""
    if _host.torch_of((beta,)) is None and np.ndim(beta) == 0:
        return alpha * x if beta == 0 else alpha * x + beta * y
    return where(beta == 0, alpha * x, alpha * x + beta * y)


def sum(x: Any, dim: Dims = None, keepdims: bool = False) -> Any:
    """The sum over dimensions, of all if none are named. In a traced function it can be returned and nothing else."""
    return _host.reduce("sum", x, dim, keepdims)


def max(x: Any, dim: Dims = None, keepdims: bool = False) -> Any:
    """The largest value over dimensions; NaN if one is NaN. In a traced function it can be returned and nothing else."""
    return _host.reduce("amax", x, dim, keepdims)


def min(x: Any, dim: Dims = None, keepdims: bool = False) -> Any:
    """The smallest value over dimensions; NaN if one is NaN. In a traced function it can be returned and nothing else."""
    return _host.reduce("amin", x, dim, keepdims)


def amax(x: Any, dim: Dims = None, keepdims: bool = False) -> Any:
    """The largest magnitude over dimensions. In a traced function it can be returned and nothing else."""
    return max(abs(x), dim, keepdims)


def permute(x: Any, indices: Sequence[int]) -> Any:
    """x with its dimensions in another order."""
    return _host.transpose(x, tuple(indices))


def reshape(x: Any, new_shape: Sequence[int]) -> Any:
    """x with dimensions merged and split, in row-major order; one of the sizes may be -1."""
    return x.reshape(tuple(new_shape))


def cast(x: Any, dtype: DTypeLike, saturate: Optional[bool] = None, rounding: str = "nearest_even") -> Any:
    """x rounded to an element type; computing goes on in the type that it was in.

    What is beyond the range of an integer type becomes its end and NaN becomes 0. Floating-point types are rounded to the
    nearest; what is beyond their range becomes infinity (NaN in e4m3), or with `saturate` the largest finite number.
    """
    target = cast_type(dtype, saturate, rounding)
    if target.is_integer:
        return _cast_integer(x, target, rounding)
    if saturate:
        limit = _largest(target)
        x = clamp(x, -limit, limit)
    torch = _host.torch_of((x,))
    if torch is not None:
        return x.to(getattr(torch, _TORCH_NAMES[target.name])).to(x.dtype)
    array = np.asarray(x)
    with np.errstate(over="ignore", invalid="ignore"):
        return array.astype(target.numpy).astype(array.dtype)


def cast_type(dtype: DTypeLike, saturate: Optional[bool], rounding: str) -> DataType:
    """The type of a cast whose other arguments fit it."""
    target = as_data_type(dtype, "dtype")
    if not target.is_storage or target.bits < 8 or target.name not in _TORCH_NAMES:
        raise DTypeError(f"dtype: expected one of {', '.join(_TORCH_NAMES)}, got {target.name}")
    if rounding not in ROUNDINGS:
        raise ArgumentError(f"rounding: expected one of {', '.join(ROUNDINGS)}, got {rounding!r}")
    if target.is_integer and saturate is False:
        raise ArgumentError(f"saturate: expected True or none for the integer type {target.name}, got False")
    if not target.is_integer and rounding != "nearest_even":
        raise ArgumentError(
            f"rounding: expected 'nearest_even' for the floating-point type {target.name}, got {rounding!r}"
        )
    return target


def _cast_integer(x: Any, target: DataType, rounding: str) -> Any:
    info = np.iinfo(target.numpy)
    rounded = clamp(_host.apply(_ROUND[rounding], x), float(info.min), float(info.max))
    return where(rounded == rounded, rounded, 0.0)


def _largest(target: DataType) -> float:
    if "." not in target._numpy_name:
        return float(np.finfo(target.numpy).max)
    return {"bf16": (2 - 2.0**-7) * 2.0**127, "e4m3": 448.0, "e5m2": 57344.0}[target.name]
