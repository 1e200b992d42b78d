"""From expressions of a function to nodes of its graph."""

from __future__ import annotations

import ast
import difflib
import operator
from collections.abc import Callable
from typing import Any, NoReturn, Union

import numpy as np

from ..dtypes import is_number_type
from ..errors import (
    CutlError,
    ReductionError,
    TraceError,
    TraceTypeError,
    UndefinedNameError,
    UnsupportedSyntaxError,
)
from . import _rules
from ._graph import CONSTANT, LOAD, LOGIC, Graph, Node
from ._source import MAX_NESTING, TOO_DEEP, Source


class Reference:
    """A node as the value of an expression."""

    def __init__(self, node: int) -> None:
        self.node = node


class Argument:
    """An argument as the value of an expression; each use of it is a node of its own."""

    def __init__(self, name: str) -> None:
        self.name = name


Number = Union[int, float]
Value = Union[Reference, Argument, Number]

_BINARY: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("sub", operator.sub),
    ast.Mult: ("mul", operator.mul),
    ast.Div: ("div", operator.truediv),
    ast.Pow: ("pow", operator.pow),
    ast.BitAnd: ("and", operator.and_),
    ast.BitOr: ("or", operator.or_),
    ast.BitXor: ("xor", operator.xor),
}
_COMPARISONS: dict[type, str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
_OTHER_OPERATORS: dict[type, str] = {
    ast.MatMult: "the product is the operation's own; write element-wise code",
    ast.FloorDiv: "write floor(a / b)",
    ast.Mod: "write a - b * floor(a / b)",
}
_OTHER_EXPRESSIONS: dict[type, str] = {
    ast.IfExp: "a conditional expression; write where(condition, a, b)",
    ast.BoolOp: "'and' or 'or'; write & or | between comparisons in parentheses",
    ast.Lambda: "a lambda; write its body where it is used",
    ast.Subscript: "an index; the whole array is taken, and permute and reshape change how it lies",
    ast.ListComp: "a comprehension; write out each step",
    ast.GeneratorExp: "a comprehension; write out each step",
    ast.NamedExpr: "an assignment in an expression; write it as a statement before",
    ast.Tuple: "a tuple; assign its parts one by one",
    ast.List: "a list; assign its parts one by one",
    ast.JoinedStr: "a string",
    ast.Await: "an await",
}
# What a constant may be made of.
_CONSTANT_NODES = (
    ast.Constant, ast.Tuple, ast.List, ast.UnaryOp, ast.BinOp, ast.Name, ast.Attribute, ast.operator, ast.unaryop,
    ast.expr_context,
)  # fmt: skip


class ExpressionTracer:
    """Adds what expressions compute to a graph. Calls of functions are for a subclass."""

    def __init__(self, source: Source) -> None:
        self._source = source
        definition = source.definition
        self.graph = Graph(definition.name, source.at(definition))
        self._names: dict[str, Value] = {}

    def _fail(self, error: type[TraceError], node: ast.AST, message: str) -> NoReturn:
        raise error(message, self._source.at(node)) from None

    def _check_nesting(self, node: ast.AST) -> None:
        """Refuses an expression, or a statement with one, that is too deep; a sum is as deep as it has terms."""
        layer = [node]
        for _ in range(MAX_NESTING + 2):
            layer = [
                part
                for parent in layer
                for part in ast.iter_child_nodes(parent)
                if isinstance(part, (ast.expr, ast.keyword))
            ]
        if layer:
            self._fail(UnsupportedSyntaxError, node, TOO_DEEP)

    def _call(self, node: ast.Call) -> Value:
        raise NotImplementedError

    def _expression(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Constant):
            return self._number(node, node.value)
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Attribute):
            return self._number(node, self._object(node))
        what = _OTHER_EXPRESSIONS.get(type(node), f"{type(node).__name__}; write operators and calls of functions")
        self._fail(UnsupportedSyntaxError, node, f"expected operators and calls of functions, got {what}")

    def _number(self, node: ast.AST, value: Any) -> Number:
        if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0:
            # Scalars of ml_dtypes have no Python number as their item.
            is_narrow = value.dtype.kind == "V" and is_number_type(value.dtype.type)
            value = float(value) if is_narrow else value.item()
        if isinstance(value, (int, float)):
            return value if isinstance(value, float) else int(value)
        what = "an array; make it an argument" if hasattr(value, "shape") else repr(value)
        self._fail(TraceTypeError, node, f"expected a number or a value of the function, got {what}")

    def _name(self, node: ast.Name) -> Value:
        if node.id in self._names:
            return self._names[node.id]
        return self._number(node, self._object(node))

    def _object(self, node: ast.expr) -> Any:
        """What a name or a chain of attributes outside of the function means."""
        if isinstance(node, ast.Name):
            if node.id in self._names:
                self._fail(
                    UnsupportedSyntaxError,
                    node,
                    f"expected a function of values, got an attribute of the value {node.id};"
                    f" write a call of a function, such as permute({node.id}, ...)",
                )
            try:
                return self._source.resolve(node.id, _rules.NAMES)
            except KeyError:
                close = difflib.get_close_matches(node.id, self._names, 1)
                hint = f"; the nearest is {close[0]}" if close else ""
                self._fail(UndefinedNameError, node, f"expected a name that has a value, got {node.id}{hint}")
        if isinstance(node, ast.Attribute):
            base = self._object(node.value)
            try:
                return getattr(base, node.attr)
            except AttributeError:
                self._fail(UndefinedNameError, node, f"expected an attribute that there is, got {ast.unparse(node)}")
        self._fail(UnsupportedSyntaxError, node, "expected the name of a function or of a number")

    def _node(self, value: Value, at: ast.AST) -> int:
        """A value as a node."""
        if isinstance(value, Reference):
            return value.node
        location = self._source.at(at)
        if isinstance(value, Argument):
            return self.graph.add(Node(LOAD, location, name=value.name))
        return self.graph.add(Node(CONSTANT, location, numbers=(self._float(value, at),)))

    def _float(self, value: Number, at: ast.AST) -> float:
        try:
            return float(value)
        except OverflowError:
            self._fail(
                TraceTypeError, at, f"expected a number that f64 holds, got one of {int(value).bit_length()} bits"
            )

    def _emit(
        self, op: str, at: ast.AST, values: list[tuple[Value, ast.AST]], numbers: tuple[float, ...] = ()
    ) -> Reference:
        operands = tuple(self._node(value, part) for value, part in values)
        for index, operand in enumerate(operands):
            node, (_, part) = self.graph.nodes[operand], values[index]
            self._check_not_reduced(operand, part)
            wants_truth = op in LOGIC or (op == "select" and index == 0)
            if wants_truth and not node.is_truth:
                what = "where" if op == "select" else op
                self._fail(TraceTypeError, part, f"{what}: expected a comparison, got a number; write x != 0.0")
        return Reference(self.graph.add(Node(op, self._source.at(at), operands, numbers)))

    def _check_not_reduced(self, operand: int, part: ast.AST) -> None:
        node = self.graph.reduction_of(operand)
        if node is None:
            return
        self._fail(
            ReductionError,
            part,
            f"expected a reduction's result to be returned and not used, got {node.name or 'one'}"
            " in an expression: it is known only when the whole product is; use it after the call",
        )

    def _binary(self, node: ast.BinOp) -> Value:
        if type(node.op) not in _BINARY:
            what = _OTHER_OPERATORS.get(type(node.op), "write + - * / ** or a call of a function")
            self._fail(UnsupportedSyntaxError, node, f"expected one of + - * / ** & | ^, got another operator; {what}")
        op, function = _BINARY[type(node.op)]
        left, right = self._expression(node.left), self._expression(node.right)
        if isinstance(left, (int, float)) and isinstance(right, (int, float)):
            return self._fold(node, function, left, right)
        if op == "pow" and isinstance(right, (int, float)):
            return self._power(node, left, right)
        return self._emit(op, node, [(left, node.left), (right, node.right)])

    def _fold(self, node: ast.AST, function: Callable[..., Any], *numbers: Any, **constants: Any) -> Number:
        try:
            result = function(*numbers, **constants)
        except (ArithmeticError, ValueError, TypeError, CutlError) as error:
            self._fail(TraceTypeError, node, f"expected constants that can be computed with, got {error}")
        return self._number(node, result)

    def _power(self, node: ast.expr, base: Value, exponent: Number) -> Value:
        """Powers that are products or roots are written as such, which is exact where they are."""
        at = self._once(base, node)
        if exponent == 2:
            return self._emit("mul", node, [(at, node), (at, node)])
        if exponent == 3:
            square = self._emit("mul", node, [(at, node), (at, node)])
            return self._emit("mul", node, [(square, node), (at, node)])
        if exponent == 0.5:
            return self._emit("sqrt", node, [(at, node)])
        if exponent == -1:
            return self._emit("div", node, [(1.0, node), (at, node)])
        return self._emit("pow", node, [(at, node), (exponent, node)])

    def _once(self, value: Value, at: ast.AST) -> Value:
        """A value that is used several times alike."""
        return Reference(self._node(value, at)) if isinstance(value, Argument) else value

    def _unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            self._fail(UnsupportedSyntaxError, node, "expected ~ before a comparison, got 'not'")
        value = self._expression(node.operand)
        if isinstance(value, (int, float)):
            functions: dict[type, Callable[[Any], Any]]
            functions = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
            return self._fold(node, functions[type(node.op)], value)
        if isinstance(node.op, ast.UAdd):
            return value
        return self._emit("neg" if isinstance(node.op, ast.USub) else "not", node, [(value, node.operand)])

    def _compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1:
            self._fail(UnsupportedSyntaxError, node, "expected one comparison, got a chain; write (a < b) & (b < c)")
        op = _COMPARISONS.get(type(node.ops[0]))
        if op is None:
            self._fail(UnsupportedSyntaxError, node, "expected one of == != < <= > >=, got another comparison")
        left, right = self._expression(node.left), self._expression(node.comparators[0])
        return self._emit(op, node, [(left, node.left), (right, node.comparators[0])])

    def _constant(self, node: ast.expr) -> Any:
        """The value of an expression that names nothing of the function."""
        names: dict[str, Any] = {}
        for part in ast.walk(node):
            if not isinstance(part, _CONSTANT_NODES):
                self._fail(UnsupportedSyntaxError, part, "expected a constant of numbers, names and operators")
            if isinstance(part, ast.Name):
                local = self._names.get(part.id)
                if isinstance(local, (Reference, Argument)):
                    hint = "; for the larger or smaller of two values there are maximum and minimum"
                    self._fail(TraceTypeError, part, f"expected a constant, got the value {part.id}{hint}")
                names[part.id] = local if local is not None else self._object(part)
        try:
            return eval(compile(ast.Expression(node), self._source.filename, "eval"), {"__builtins__": {}}, names)
        except Exception as error:
            self._fail(TraceTypeError, node, f"expected a constant that can be computed, got {error}")
