"""From the syntax tree of a function to its graph."""

from __future__ import annotations

import ast
import difflib
import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn, Optional, Union

import numpy as np

from ..dtypes import DataType
from ..errors import (
    AccumulatorError,
    CutlError,
    RedefinitionError,
    ReductionError,
    ResultError,
    SourceLocation,
    TraceError,
    TraceTypeError,
    UndefinedNameError,
    UnknownFunctionError,
    UnsupportedSyntaxError,
    UnusedArgumentError,
)
from . import _functions, _rules
from ._graph import CONSTANT, CONVERT, LOAD, LOGIC, PERMUTE, REDUCE, RESHAPE, Graph, Node, Result
from ._rules import Rule
from ._source import Source


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
_OTHER_STATEMENTS: dict[type, str] = {
    ast.For: "a loop; write out each step",
    ast.While: "a loop; write out each step",
    ast.If: "an if statement; write where(condition, a, b)",
    ast.With: "a with statement; leave it out",
    ast.Try: "a try statement; leave it out",
    ast.FunctionDef: "a function inside; write its body where it is used",
    ast.Import: "an import; put it outside of the function",
    ast.ImportFrom: "an import; put it outside of the function",
    ast.Assert: "an assert; leave it out",
    ast.Raise: "a raise; leave it out",
    ast.Delete: "a del statement; leave it out",
    ast.Global: "a global statement; leave it out",
    ast.Nonlocal: "a nonlocal statement; leave it out",
    ast.Pass: "a pass statement; leave it out",
}
# What a constant may be made of.
_CONSTANT_NODES = (
    ast.Constant, ast.Tuple, ast.List, ast.UnaryOp, ast.BinOp, ast.Name, ast.Attribute, ast.operator, ast.unaryop,
    ast.expr_context,
)  # fmt: skip


class Tracer:
    """Walks over one function."""

    def __init__(self, source: Source) -> None:
        self._source = source
        definition = source.definition
        self.graph = Graph(definition.name, source.at(definition))
        self._names: dict[str, Value] = {}

    def trace(self) -> Graph:
        self._arguments(self._source.definition.args)
        body = self._source.definition.body
        for index, statement in enumerate(body):
            if isinstance(statement, ast.Return):
                if index + 1 < len(body):
                    self._fail(UnsupportedSyntaxError, body[index + 1], "expected the return to be last, got code after it")
                self._return(statement)
                self._check_uses()
                return self.graph
            self._statement(statement, is_first=index == 0)
        raise ResultError("expected the function to return names of values, got no return", self.graph.location)

    def _fail(self, error: type[TraceError], node: ast.AST, message: str) -> NoReturn:
        raise error(message, self._source.at(node)) from None

    def _arguments(self, arguments: ast.arguments) -> None:
        for star in (arguments.vararg, arguments.kwarg):
            if star is not None:
                self._fail(UnsupportedSyntaxError, star, f"expected arguments with names, got all of *{star.arg}")
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = [*[None] * (len(positional) - len(arguments.defaults)), *arguments.defaults, *arguments.kw_defaults]
        for argument, default in zip([*positional, *arguments.kwonlyargs], defaults):
            self.graph.arguments[argument.arg] = self._source.at(argument)
            self._names[argument.arg] = Argument(argument.arg)
            if default is not None:
                number = self._constant(default)
                if not isinstance(number, (int, float)):
                    self._fail(TraceTypeError, default, f"{argument.arg}: expected a number as the default, got {number!r}")
                self.graph.defaults[argument.arg] = float(number)
        if not self.graph.accumulators():
            close = difflib.get_close_matches("accum", self.graph.arguments, 1, 0.5)
            hint = f"; rename {close[0]}" if close else ""
            raise AccumulatorError(
                "expected an argument accum for the accumulator (accum0, accum1, ... for several), got"
                f" {', '.join(self.graph.arguments) or 'no arguments'}{hint}",
                self.graph.location,
            )

    # Statements.

    def _statement(self, statement: ast.stmt, is_first: bool) -> None:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                self._assign(target, statement.value)
            return
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._assign(statement.target, statement.value)
            return
        if isinstance(statement, ast.AugAssign):
            name = statement.target.id if isinstance(statement.target, ast.Name) else "the variable"
            self._fail(RedefinitionError, statement, f"expected each name to get a value once, got {name} again")
        if isinstance(statement, ast.Expr):
            if is_first and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str):
                return
            self._fail(UnsupportedSyntaxError, statement, "expected an assignment or a return, got a value that is not used")
        what = _OTHER_STATEMENTS.get(type(statement), f"{type(statement).__name__}; leave it out")
        self._fail(UnsupportedSyntaxError, statement, f"expected assignments and a return, got {what}")

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            # As in Python, all values come before all names.
            values = [self._expression(part) for part in value.elts]
            for part, result in zip(target.elts, values):
                self._define(part, result)
            return
        if not isinstance(target, ast.Name):
            self._fail(UnsupportedSyntaxError, target, "expected the name of a variable before the =")
        self._define(target, self._expression(value))

    def _define(self, target: ast.expr, value: Value) -> None:
        if not isinstance(target, ast.Name):
            self._fail(UnsupportedSyntaxError, target, "expected the name of a variable before the =")
        if target.id in self._names:
            what = "is an argument" if target.id in self.graph.arguments else "has one already"
            self._fail(
                RedefinitionError, target, f"expected each name to get a value once, got {target.id}, which {what};"
                f" choose another name, such as {self._unused_name(target.id)}"
            )
        self._names[target.id] = value
        if isinstance(value, Reference):
            node = self.graph.nodes[value.node]
            if not node.name:
                self.graph.nodes[value.node] = replace(node, name=target.id)

    def _unused_name(self, name: str) -> str:
        index = 1
        while f"{name}{index}" in self._names:
            index += 1
        return f"{name}{index}"

    def _return(self, statement: ast.Return) -> None:
        value = statement.value
        if value is None:
            self._fail(ResultError, statement, "expected names of values after return, got nothing")
        for part in value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]:
            if not isinstance(part, ast.Name):
                self._fail(
                    ResultError, part, "expected the name of a variable, got an expression; assign it to a name before,"
                    " such as D"
                )
            name = part.id
            if any(result.name == name for result in self.graph.results):
                self._fail(ResultError, part, f"expected each result once, got {name} again")
            result = self._name(part)
            if name in self.graph.arguments:
                self._fail(ResultError, part, f"expected a computed value, got the argument {name}; assign it to a name before")
            if isinstance(result, (int, float)):
                self._fail(ResultError, part, f"expected {name} to be an array, got the number {result}")
            self.graph.results.append(Result(name, self._node(result, part), self._source.at(part)))

    def _check_uses(self) -> None:
        used = {node.name for node in map(self.graph.nodes.__getitem__, self.graph.live()) if node.op == LOAD}
        for name, location in self.graph.arguments.items():
            if name not in used:
                raise UnusedArgumentError(f"{name}: expected a result to depend on the argument; leave it out", location)

    # Expressions.

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
            value = value.item()
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
                    UnsupportedSyntaxError, node, f"expected a function of values, got an attribute of the value {node.id};"
                    f" write a call of a function, such as permute({node.id}, ...)"
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
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self._fail(TraceTypeError, at, f"expected a finite number, got {value}")
        return self.graph.add(Node(CONSTANT, location, numbers=(number,)))

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
            ReductionError, part, f"expected a reduction's result to be returned and not used, got {node.name or 'one'}"
            " in an expression: it is known only when the whole product is; use it after the call"
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

    # Calls.

    def _call(self, node: ast.Call) -> Value:
        function = self._callee(node)
        rule = _rules.find(function)
        if rule is None and getattr(function, "__module__", None) == "math":
            return self._call_math(node, function)
        if rule is None:
            name = getattr(function, "__name__", ast.unparse(node.func)).rpartition(".")[2]
            self._fail(
                UnknownFunctionError, node.func, f"expected a function of cutl.epilogue, or one of NumPy that is the same,"
                f" got {ast.unparse(node.func)}; {_rules.nearest(name)}"
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
                    UnsupportedSyntaxError, function, f"expected a call of a function, got the method {function.attr};"
                    f" write {function.attr}(...): {_rules.nearest(function.attr)}"
                )
        if isinstance(function, ast.Name) and function.id not in self._names:
            try:
                return self._source.resolve(function.id, _rules.NAMES)
            except KeyError:
                self._fail(
                    UnknownFunctionError, function, f"expected a function of cutl.epilogue, got {function.id}, which has no"
                    f" value; {_rules.nearest(function.id)}"
                )
        if isinstance(function, (ast.Name, ast.Attribute)):
            return self._object(function)
        self._fail(UnsupportedSyntaxError, function, "expected a call of a function by its name")

    def _call_math(self, node: ast.Call, function: Any) -> Value:
        values = [self._expression(argument) for argument in node.args]
        if node.keywords or not all(isinstance(value, (int, float)) for value in values):
            self._fail(
                UnknownFunctionError, node.func, f"expected a function of arrays, got {ast.unparse(node.func)} of numbers;"
                f" {_rules.nearest(function.__name__)}"
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
                    TraceTypeError, argument, f"{name}: expected at most {len(parameters)} arguments ({', '.join(parameters)}),"
                    f" got {len(node.args)}"
                )
            given[parameters[index]] = argument
        for keyword in node.keywords:
            if keyword.arg not in parameters or keyword.arg in given:
                self._fail(
                    TraceTypeError, keyword.value, f"{name}: expected each of {', '.join(parameters)} once, got"
                    f" {keyword.arg or '**'}"
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

    def _apply(
        self, node: ast.Call, rule: Rule, values: list[tuple[Value, ast.AST]], constants: dict[str, Any]
    ) -> Value:
        x, at = values[0]
        if rule.op in (PERMUTE, RESHAPE):
            dims = self._integers(node, next(iter(constants)), next(iter(constants.values())))
            return self._layout(node, rule.op, x, at, dims)
        if rule.op.startswith(REDUCE):
            dim, keepdims = constants.values()
            dims = None if dim is None else self._integers(node, "dim", dim)
            return self._reduce(node, rule.op.partition(" ")[2], x, at, dims, bool(keepdims))
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
        numbers = tuple(float(self._number(node, value)) for value in constants.values())
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
        location: SourceLocation = self._source.at(node)
        return Reference(self.graph.add(Node(CONVERT, location, (operand,), numbers, dtype=target)))

    def _clamp(self, node: ast.Call, values: list[tuple[Value, ast.AST]]) -> Reference:
        low, high = values[1][0], values[2][0]
        if isinstance(low, (int, float)) and isinstance(high, (int, float)):
            if not low <= high:
                self._fail(TraceTypeError, node, f"clamp: expected the lower bound first, got {low} and {high}")
            return self._emit("clamp", node, values[:1], (float(low), float(high)))
        raised = self._emit("maximum", node, values[:2])
        return self._emit("minimum", node, [(raised, node), values[2]])
