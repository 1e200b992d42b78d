"""Evaluates a graph by the functions that its ops stand for."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..errors import MissingOperandError
from . import _functions, _rules
from ._graph import CONSTANT, CONVERT, LOAD, PERMUTE, REDUCE, RESHAPE, Graph, Node

# Of ops that are not called what the function is.
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "not": operator.invert,
    "select": _functions.where,
    "maxnum": _functions.fmax,
    "minnum": _functions.fmin,
}
_REDUCTIONS = {"add": _functions.sum, "max": _functions.max, "min": _functions.min, "amax": _functions.amax}


def evaluate(graph: Graph, arguments: dict[str, Any]) -> dict[str, Any]:
    """The results by name."""
    for name in graph.arguments:
        if name not in arguments:
            raise MissingOperandError(f"{name}: expected a value of the argument, got none")
    values: dict[int, Any] = {}
    for index in graph.live():
        node = graph.nodes[index]
        operands = [values[operand] for operand in node.operands]
        values[index] = arguments[node.name] if node.op == LOAD else _apply(node, operands)
    return {result.name: values[result.node] for result in graph.results}


def _apply(node: Node, operands: list[Any]) -> Any:
    if node.op == CONSTANT:
        return node.numbers[0]
    if node.op == PERMUTE:
        return _functions.permute(operands[0], node.dims or ())
    if node.op == RESHAPE:
        return _functions.reshape(operands[0], node.dims or ())
    if node.op == REDUCE:
        return _REDUCTIONS[node.combiner](operands[0], node.dims, node.keepdims)
    if node.op == CONVERT:
        assert node.dtype is not None
        rounding = _functions.ROUNDINGS[int(node.numbers[1])]
        return _functions.cast(operands[0], node.dtype, bool(node.numbers[0]) or None, rounding)
    function = _OPERATORS.get(node.op) or _rules.host_of(node.op)
    return function(*operands, *node.numbers)
