"""NumPy and PyTorch under one set of names, for functions that run on the arrays of either."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from ..errors import DTypeError

_erf = np.vectorize(math.erf, otypes=[np.float64])
# Where PyTorch's name of a function is another than NumPy's.
_TORCH = {"rint": "round"}


def torch_of(values: tuple[Any, ...]) -> Any:
    """PyTorch if one of the values is its tensor, else none."""
    torch = sys.modules.get("torch")
    if torch is not None and any(isinstance(value, torch.Tensor) for value in values):
        return torch
    return None


def check(values: tuple[Any, ...]) -> None:
    """Refuses what is neither a number nor an array."""
    for value in values:
        if not isinstance(value, (int, float, list, tuple, np.generic, np.ndarray)) and torch_of((value,)) is None:
            raise DTypeError(f"expected a NumPy array, a PyTorch tensor or a number, got {type(value).__name__}")


def apply(name: str, *values: Any) -> Any:
    """A function of NumPy, or the one of PyTorch that is the same."""
    check(values)
    torch = torch_of(values)
    if torch is None:
        with np.errstate(all="ignore"):
            return getattr(np, name)(*values)
    first = next(value for value in values if isinstance(value, torch.Tensor))
    tensors = [
        v if isinstance(v, torch.Tensor) else torch.as_tensor(v, dtype=first.dtype, device=first.device) for v in values
    ]
    return getattr(torch, _TORCH.get(name, name))(*tensors)


def erf(x: Any) -> Any:
    check((x,))
    torch = torch_of((x,))
    return _erf(x) if torch is None else torch.erf(x)


def reduce(name: str, x: Any, dim: Any, keepdims: bool) -> Any:
    """`sum`, `amax` or `amin` over dimensions, all if none are named."""
    check((x,))
    axes = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if torch_of((x,)) is None:
        return getattr(np, name)(x, axis=axes, keepdims=keepdims)
    if axes is None:
        axes = tuple(range(x.ndim))
    return getattr(x, name)(dim=axes, keepdim=keepdims)


def transpose(x: Any, indices: tuple[int, ...]) -> Any:
    return np.transpose(x, indices) if torch_of((x,)) is None else x.permute(indices)
