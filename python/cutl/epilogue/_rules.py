"""Which functions a traced function may call, and which op of the graph each one is."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from . import _activations, _derivatives, _functions
from ._activations import Activation

_REQUIRED = object()


@dataclass(frozen=True)
class Rule:
    """How a call becomes nodes. Parameters are values of the graph, then constants with their defaults."""

    op: str
    values: tuple[str, ...]
    constants: tuple[tuple[str, Any], ...] = ()

    def is_required(self, name: str) -> bool:
        return dict(self.constants)[name] is _REQUIRED


def _rule(op: str, values: str, **constants: Any) -> Rule:
    return Rule(op, tuple(values.split()), tuple(constants.items()))


_FUNCTIONS: dict[Any, Rule] = {
    _functions.abs: _rule("abs", "x"),
    _functions.exp: _rule("exp", "x"),
    _functions.exp2: _rule("exp2", "x"),
    _functions.expm1: _rule("expm1", "x"),
    _functions.log1p: _rule("log1p", "x"),
    _functions.trunc: _rule("trunc", "x"),
    _functions.log: _rule("log", "x"),
    _functions.log2: _rule("log2", "x"),
    _functions.sqrt: _rule("sqrt", "x"),
    _functions.rsqrt: _rule("rsqrt", "x"),
    _functions.erf: _rule("erf", "x"),
    _functions.sin: _rule("sin", "x"),
    _functions.cos: _rule("cos", "x"),
    _functions.floor: _rule("floor", "x"),
    _functions.ceil: _rule("ceil", "x"),
    _functions.rint: _rule("rint", "x"),
    _functions.pow: _rule("pow", "x y"),
    _functions.maximum: _rule("maximum", "x y"),
    _functions.minimum: _rule("minimum", "x y"),
    _functions.fmax: _rule("maxnum", "x y"),
    _functions.fmin: _rule("minnum", "x y"),
    _functions.where: _rule("select", "condition x y"),
    _functions.clamp: _rule("clamp", "x low high"),
    _functions.multiply_add: _rule("multiply_add", "x y z"),
    _functions.linear_combination: _rule("linear_combination", "alpha x beta y"),
    _functions.sum: _rule("reduce add", "x", dim=None, keepdims=False),
    _functions.max: _rule("reduce max", "x", dim=None, keepdims=False),
    _functions.min: _rule("reduce min", "x", dim=None, keepdims=False),
    _functions.amax: _rule("reduce amax", "x", dim=None, keepdims=False),
    _functions.permute: _rule("permute", "x", indices=_REQUIRED),
    _functions.reshape: _rule("reshape", "x", new_shape=_REQUIRED),
    _functions.cast: _rule("convert", "x", dtype=_REQUIRED, saturate=None, rounding="nearest_even"),
    _derivatives.relu_grad: _rule("relu_grad", "x"),
    _derivatives.leaky_relu_grad: _rule("leaky_relu_grad", "x", slope=0.01),
    _derivatives.gelu_grad: _rule("gelu_grad", "x"),
    _derivatives.gelu_tanh_grad: _rule("gelu_tanh_grad", "x"),
    _derivatives.silu_grad: _rule("silu_grad", "x"),
    _derivatives.sigmoid_grad: _rule("sigmoid_grad", "x"),
    _derivatives.tanh_grad: _rule("tanh_grad", "x"),
    _derivatives.hardswish_grad: _rule("hardswish_grad", "x"),
    _derivatives.softplus_grad: _rule("softplus_grad", "x"),
}

# Functions of NumPy that mean the same.
_NUMPY: dict[Any, Rule] = {
    np.abs: _rule("abs", "x"),
    np.fabs: _rule("abs", "x"),
    np.exp: _rule("exp", "x"),
    np.exp2: _rule("exp2", "x"),
    np.expm1: _rule("expm1", "x"),
    np.log1p: _rule("log1p", "x"),
    np.trunc: _rule("trunc", "x"),
    np.log: _rule("log", "x"),
    np.log2: _rule("log2", "x"),
    np.sqrt: _rule("sqrt", "x"),
    np.sin: _rule("sin", "x"),
    np.cos: _rule("cos", "x"),
    np.tanh: _rule("tanh", "x"),
    np.floor: _rule("floor", "x"),
    np.ceil: _rule("ceil", "x"),
    np.rint: _rule("rint", "x"),
    np.negative: _rule("neg", "x"),
    np.positive: _rule("identity", "x"),
    np.square: _rule("square", "x"),
    np.reciprocal: _rule("reciprocal", "x"),
    np.add: _rule("add", "x1 x2"),
    np.subtract: _rule("sub", "x1 x2"),
    np.multiply: _rule("mul", "x1 x2"),
    np.divide: _rule("div", "x1 x2"),
    np.power: _rule("pow", "x1 x2"),
    np.maximum: _rule("maximum", "x1 x2"),
    np.minimum: _rule("minimum", "x1 x2"),
    np.fmax: _rule("maxnum", "x1 x2"),
    np.fmin: _rule("minnum", "x1 x2"),
    np.equal: _rule("eq", "x1 x2"),
    np.not_equal: _rule("ne", "x1 x2"),
    np.less: _rule("lt", "x1 x2"),
    np.less_equal: _rule("le", "x1 x2"),
    np.greater: _rule("gt", "x1 x2"),
    np.greater_equal: _rule("ge", "x1 x2"),
    np.logical_and: _rule("and", "x1 x2"),
    np.logical_or: _rule("or", "x1 x2"),
    np.logical_xor: _rule("xor", "x1 x2"),
    np.logical_not: _rule("not", "x"),
    np.where: _rule("select", "condition x y"),
    np.clip: _rule("clamp", "a a_min a_max"),
    np.sum: _rule("reduce add", "a", axis=None, keepdims=False),
    np.max: _rule("reduce max", "a", axis=None, keepdims=False),
    np.min: _rule("reduce min", "a", axis=None, keepdims=False),
    np.transpose: _rule("permute", "a", axes=_REQUIRED),
    np.reshape: _rule("reshape", "a", shape=_REQUIRED),
}
for _alias, _of in ((np.amax, np.max), (np.amin, np.min)):
    _NUMPY[_alias] = _NUMPY[_of]

# By name, for text and for functions that use the names without importing them.
NAMES: dict[str, Any] = {
    **{function.__name__: function for function in _FUNCTIONS},
    **{activation.name: activation for activation in _activations.activations()},
    "np": np,
    "numpy": np,
}

# What users of other libraries call things.
_OTHER_NAMES = {
    "absolute": "abs",
    "add": "x + y",
    "argmax": "max, which gives the value but not the place",
    "astype": "cast",
    "clip": "clamp",
    "div": "x / y",
    "float16": "cast",
    "float32": "cast",
    "float64": "cast",
    "float": "cast",
    "fma": "multiply_add",
    "hard_swish": "hardswish",
    "hardtanh": "clamp",
    "int": "cast",
    "int8": "cast",
    "int32": "cast",
    "leakyrelu": "leaky_relu",
    "mean": "sum, of values that are divided by their number",
    "mul": "x * y",
    "power": "pow",
    "relu6": "clamp(x, 0.0, 6.0)",
    "round": "rint",
    "select": "where",
    "softmax": "exp, since a value cannot depend on the whole row",
    "square": "x * x",
    "swish": "silu",
    "transpose": "permute",
    "view": "reshape",
}


def find(function: Any) -> Optional[Rule]:
    """The rule of a function; none if it has none."""
    if isinstance(function, Activation):
        constants = {"slope": function.argument} if function.takes_argument else {}
        return _rule(function.name, "x", **constants)
    try:
        return _FUNCTIONS.get(function) or _NUMPY.get(function)
    except TypeError:
        return None


def host_of(name: str) -> Callable[..., Any]:
    """The function of the package that a name means."""
    function: Callable[..., Any] = NAMES[name]
    return function


def nearest(name: str) -> str:
    """What to write in place of a function that there is not."""
    if name in _OTHER_NAMES:
        return f"the nearest is {_OTHER_NAMES[name]}"
    names = [known for known in NAMES if known not in ("np", "numpy")]
    close = difflib.get_close_matches(name, names, 1, 0.6)
    return f"the nearest is {close[0]}" if close else f"there are {', '.join(sorted(names))}"
