"""From calls in a function to nodes of its graph."""

from __future__ import annotations

import ast
import math
from typing import Any, Optional

import numpy as np

from ..dtypes import DataType, is_number_type
from ..errors import (
    CutlError,
    TraceTypeError,
    UnknownFunctionError,
    UnsupportedSyntaxError,
)
from . import _functions, _rules
from ._expressions import ExpressionTracer, Reference, Value
from ._graph import CONVERT, PERMUTE, REDUCE, RESHAPE, Node
from ._rules import Rule


class CallTracer(ExpressionTracer):
    """Adds what calls compute."""

    def _call(self, node: ast.Call) -> Value:
        function: Any = self._callee(node)
        rule = _rules.find(function)
        if rule is None and (is_number_type(function) or getattr(function, "__module__", None) == "math"):
            return self._call_of_numbers(node, function)
        if rule is None:
            name = getattr(function, "__name__", ast.unparse(node.func)).rpartition(".")[2]
            self._fail(
                UnknownFunctionError,
                node.func,
                f"expected a function of cutl.epilogue, or one of NumPy that is the same,"
                f" got {ast.unparse(node.func)}; {_rules.nearest(name)}",
            )
        values, constants = self._bind(node, rule)
        numbers = [value for value, _ in values]
        if all(isinstance(value, (int, float)) for value in numbers) and rule.op not in (PERMUTE, RESHAPE):
            if rule.op.startswith(REDUCE):
                self._fail(TraceTypeError, node, "expected an array to reduce, got a number")
            return self._fold(node, function, *numbers, **constants)
        return self._apply(node, rule, values, constants)

    def _callee(self, node: ast.Call) -> Any:
        function = node.func
        if isinstance(function, ast.Attribute):
            root = function.value
            while isinstance(root, ast.Attribute):
                root = root.value
            is_value = not isinstance(root, ast.Name) or root.id in self._names
            if is_value:
                self._fail(
                    UnsupportedSyntaxError,
                    function,
                    f"expected a call of a function, got the method {function.attr};"
                    f" write {function.attr}(...): {_rules.nearest(function.attr)}",
                )
        if isinstance(function, ast.Name) and function.id not in self._names:
            try:
                return self._source.resolve(function.id, _rules.NAMES)
            except KeyError:
                self._fail(
                    UnknownFunctionError,
                    function,
                    f"expected a function of cutl.epilogue, got {function.id}, which has no"
                    f" value; {_rules.nearest(function.id)}",
                )
        if isinstance(function, (ast.Name, ast.Attribute)):
            return self._object(function)
        self._fail(UnsupportedSyntaxError, function, "expected a call of a function by its name")

    def _call_of_numbers(self, node: ast.Call, function: Any) -> Value:
        for argument in node.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                self._fail(
                    TraceTypeError,
                    argument,
                    f"{ast.unparse(node.func)}: expected a number, got the text {argument.value!r};"
                    f" {_number_for(argument.value)}",
                )
        values = [self._expression(argument) for argument in node.args]
        if node.keywords or not all(isinstance(value, (int, float)) for value in values):
            self._fail(
                UnknownFunctionError,
                node.func,
                f"expected a function of arrays, got {ast.unparse(node.func)} of numbers;"
                f" {_rules.nearest(function.__name__)}",
            )
        return self._fold(node, function, *values)

    def _bind(self, node: ast.Call, rule: Rule) -> tuple[list[tuple[Value, ast.AST]], dict[str, Any]]:
        """The arguments of a call: values in order, and constants by name."""
        name = ast.unparse(node.func)
        parameters = [*rule.values, *dict(rule.constants)]
        given: dict[str, ast.expr] = {}
        for index, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                self._fail(UnsupportedSyntaxError, argument, "expected arguments one by one, got several behind a *")
            if index >= len(parameters):
                self._fail(
                    TraceTypeError,
                    argument,
                    f"{name}: expected at most {len(parameters)} arguments ({', '.join(parameters)}),"
                    f" got {len(node.args)}",
                )
            given[parameters[index]] = argument
        for keyword in node.keywords:
            if keyword.arg not in parameters or keyword.arg in given:
                self._fail(
                    TraceTypeError,
                    keyword.value,
                    f"{name}: expected each of {', '.join(parameters)} once, got {keyword.arg or '**'}",
                )
            given[keyword.arg] = keyword.value
        values: list[tuple[Value, ast.AST]] = []
        for parameter in rule.values:
            if parameter not in given:
                self._fail(TraceTypeError, node, f"{name}: expected an argument {parameter}, got none")
            values.append((self._expression(given[parameter]), given[parameter]))
        constants: dict[str, Any] = {}
        for parameter, default in rule.constants:
            if parameter in given:
                constants[parameter] = self._constant(given[parameter])
            elif rule.is_required(parameter):
                self._fail(TraceTypeError, node, f"{name}: expected an argument {parameter}, got none")
            else:
                constants[parameter] = default
        return values, constants

    def _apply(
        self, node: ast.Call, rule: Rule, values: list[tuple[Value, ast.AST]], constants: dict[str, Any]
    ) -> Value:
        x, at = values[0]
        if rule.op in (PERMUTE, RESHAPE):
            dims = self._integers(node, next(iter(constants)), next(iter(constants.values())))
            return self._layout(node, rule.op, x, at, dims)
        if rule.op.startswith(REDUCE):
            dim, keepdims = constants.values()
            reduced = None if dim is None else self._integers(node, "dim", dim)
            return self._reduce(node, rule.op.partition(" ")[2], x, at, reduced, bool(keepdims))
        if rule.op == CONVERT:
            return self._convert(node, x, at, **constants)
        if rule.op == "pow" and isinstance(values[1][0], (int, float)):
            return self._power(node, x, values[1][0])
        if rule.op == "clamp":
            return self._clamp(node, values)
        if rule.op == "square":
            return self._power(node, x, 2)
        if rule.op == "reciprocal":
            return self._power(node, x, -1)
        if rule.op == "identity" and not isinstance(x, (int, float)):
            return x
        numbers = tuple(self._float(self._number(node, value), node) for value in constants.values())
        if not all(map(math.isfinite, numbers)):
            self._fail(TraceTypeError, node, f"{rule.op}: expected a finite slope, got {numbers[0]}")
        return self._emit(rule.op, node, values, numbers)

    def _integers(self, node: ast.Call, name: str, value: Any) -> tuple[int, ...]:
        entries = value if isinstance(value, (tuple, list)) else (value,)
        if not all(isinstance(entry, (int, np.integer)) and not isinstance(entry, bool) for entry in entries):
            self._fail(TraceTypeError, node, f"{name}: expected integers, got {value!r}")
        return tuple(int(entry) for entry in entries)

    def _layout(self, node: ast.Call, op: str, x: Value, at: ast.AST, dims: tuple[int, ...]) -> Reference:
        return Reference(self.graph.add(Node(op, self._source.at(node), (self._node(x, at),), dims=dims)))

    def _reduce(
        self, node: ast.Call, combiner: str, x: Value, at: ast.AST, dims: Optional[tuple[int, ...]], keepdims: bool
    ) -> Reference:
        operand = self._node(x, at)
        self._check_not_reduced(operand, at)
        location = self._source.at(node)
        reduced = Node(REDUCE, location, (operand,), dims=dims, keepdims=keepdims, combiner=combiner)
        return Reference(self.graph.add(reduced))

    def _convert(self, node: ast.Call, x: Value, at: ast.AST, dtype: Any, saturate: Any, rounding: Any) -> Reference:
        try:
            target: DataType = _functions.cast_type(dtype, saturate, rounding)
        except CutlError as error:
            self._fail(TraceTypeError, node, f"cast: {error}")
        operand = self._node(x, at)
        self._check_not_reduced(operand, at)
        numbers = (float(bool(saturate)), float(_functions.ROUNDINGS.index(rounding)))
        return Reference(self.graph.add(Node(CONVERT, self._source.at(node), (operand,), numbers, dtype=target)))

    def _clamp(self, node: ast.Call, values: list[tuple[Value, ast.AST]]) -> Reference:
        low, high = values[1][0], values[2][0]
        if isinstance(low, (int, float)) and isinstance(high, (int, float)):
            if not low <= high:
                self._fail(TraceTypeError, node, f"clamp: expected the lower bound first, got {low} and {high}")
            return self._emit("clamp", node, values[:1], (self._float(low, node), self._float(high, node)))
        raised = self._emit("maximum", node, values[:2])
        return self._emit("minimum", node, [(raised, node), values[2]])


def _number_for(text: str) -> str:
    """What to write in place of a number's text."""
    try:
        number = float(text)
    except ValueError:
        return "write a number"
    if math.isfinite(number):
        return f"write {number}"
    return f"write {'-' if number < 0 else ''}math.{'nan' if math.isnan(number) else 'inf'}"
