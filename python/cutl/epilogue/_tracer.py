"""From the syntax tree of a function to its graph."""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import replace

from ..dtypes import is_number_type
from ..errors import (
    AccumulatorError,
    RedefinitionError,
    ResultError,
    TraceTypeError,
    UnsupportedSyntaxError,
    UnusedArgumentError,
)
from ._calls import CallTracer
from ._expressions import Argument, Reference, Value
from ._graph import LOAD, Graph, Result

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


class Tracer(CallTracer):
    """Walks over one function."""

    def trace(self) -> Graph:
        self._arguments(self._source.definition.args)
        body = self._source.definition.body
        for index, statement in enumerate(body):
            self._check_nesting(statement)
            if isinstance(statement, ast.Return):
                if index + 1 < len(body):
                    self._fail(
                        UnsupportedSyntaxError, body[index + 1], "expected the return to be last, got code after it"
                    )
                self._return(statement)
                self._check_uses()
                return self.graph
            self._statement(statement, is_first=index == 0)
        raise ResultError("expected the function to return names of values, got no return", self.graph.location)

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
                self._check_nesting(default)
                number = self._constant(default)
                if not is_number_type(type(number)):
                    self._fail(
                        TraceTypeError, default, f"{argument.arg}: expected a number as the default, got {number!r}"
                    )
                self.graph.defaults[argument.arg] = self._float(self._number(default, number), default)
        self._check_accumulators()

    def _check_accumulators(self) -> None:
        accumulators = self.graph.accumulators()
        for name, location in self.graph.arguments.items():
            if name in accumulators and name in self.graph.defaults:
                raise AccumulatorError(
                    f"{name}: expected the accumulator to have no default, got {self.graph.defaults[name]}", location
                )
            if accumulators and name not in accumulators and re.fullmatch(r"accum\d+", name):
                what = "one accumulator called accum, or" if "accum" in accumulators else "accumulators called"
                raise AccumulatorError(
                    f"{name}: expected {what} accum0, accum1, ... without a gap, got it beside"
                    f" {', '.join(accumulators)}; rename one of them",
                    location,
                )
        if not self.graph.accumulators():
            close = difflib.get_close_matches("accum", self.graph.arguments, 1, 0.5)
            hint = f"; rename {close[0]}" if close else ""
            raise AccumulatorError(
                "expected an argument accum for the accumulator (accum0, accum1, ... for several), got"
                f" {', '.join(self.graph.arguments) or 'no arguments'}{hint}",
                self.graph.location,
            )

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
            self._fail(
                UnsupportedSyntaxError, statement, "expected an assignment or a return, got a value that is not used"
            )
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
                RedefinitionError,
                target,
                f"expected each name to get a value once, got {target.id}, which {what};"
                f" choose another name, such as {self._unused_name(target.id)}",
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
                    ResultError,
                    part,
                    "expected the name of a variable, got an expression; assign it to a name before, such as D",
                )
            name = part.id
            if any(result.name == name for result in self.graph.results):
                self._fail(ResultError, part, f"expected each result once, got {name} again")
            result = self._name(part)
            if name in self.graph.arguments:
                self._fail(
                    ResultError, part, f"expected a computed value, got the argument {name}; assign it to a name before"
                )
            if isinstance(result, (int, float)):
                self._fail(ResultError, part, f"expected {name} to be an array, got the number {result}")
            self.graph.results.append(Result(name, self._node(result, part), self._source.at(part)))

    def _check_uses(self) -> None:
        used = {node.name for node in map(self.graph.nodes.__getitem__, self.graph.live()) if node.op == LOAD}
        for name, location in self.graph.arguments.items():
            if name not in used:
                raise UnusedArgumentError(
                    f"{name}: expected a result to depend on the argument; leave it out", location
                )
