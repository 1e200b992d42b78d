"""From a function, or its text, to its syntax tree, and from nodes of that to places in the text."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable
from typing import Any, Union

from ..errors import ArgumentError, SourceLocation, UnsupportedSyntaxError

# Tracing calls itself a few times for each operation inside another; Python allows a thousand calls.
MAX_NESTING = 200
TOO_DEEP = f"expected at most {MAX_NESTING} operations inside each other in one expression, got more; assign parts of it to names"


class Source:
    """The definition of one function."""

    def __init__(self, function: Union[Callable[..., Any], str]) -> None:
        # What names outside of the function mean, innermost first.
        self.scopes: list[dict[str, Any]] = []
        if isinstance(function, str):
            self.filename, self._first, text = "<string>", 1, function
        else:
            function, text = self._inspect(function)
        self._lines = text.splitlines()
        self.definition = self._parse(text)

    def _inspect(self, function: Callable[..., Any]) -> tuple[Callable[..., Any], str]:
        function = inspect.unwrap(function)
        if not inspect.isfunction(function):
            raise ArgumentError(f"fn: expected a Python function or its source text, got {function!r}")
        code = function.__code__
        self.filename, self._first = code.co_filename, code.co_firstlineno
        if function.__name__ == "<lambda>":
            location = SourceLocation(self.filename, self._first, 1)
            raise UnsupportedSyntaxError("expected a function made by def, got a lambda", location)
        try:
            lines, first = inspect.getsourcelines(function)
        except OSError:
            raise ArgumentError(
                f"fn: expected a function whose source Python finds, got {function.__name__} of {self.filename};"
                " pass its text instead"
            ) from None
        self._first = max(first, 1)
        self.scopes = [_closure(function), function.__globals__]
        return function, "".join(lines)

    def _parse(self, text: str) -> ast.FunctionDef:
        # Text that is indented becomes the body of a statement, which keeps its columns; taking the indentation away
        # would also change what stands in strings.
        first = next((line for line in self._lines if line.strip() and not line.lstrip().startswith("#")), "")
        is_indented = first != first.lstrip()
        try:
            module = ast.parse(f"if True:\n{text}" if is_indented else text)
        except SyntaxError as error:
            line = (error.lineno or 1) - is_indented
            raise UnsupportedSyntaxError(
                f"expected Python source, got an error in it: {error.msg}", self._at(line, error.offset or 1, 1)
            ) from None
        except (MemoryError, RecursionError):
            # Python's parser gives up some way beyond what can be traced.
            raise UnsupportedSyntaxError(TOO_DEEP, self._at(1, 1, 1)) from None
        except ValueError as error:
            raise UnsupportedSyntaxError(
                f"expected Python source, got an error in it: {error}", self._at(1, 1, 1)
            ) from None
        body = module.body
        if is_indented:
            ast.increment_lineno(module, -1)
            body = body[0].body if len(body) == 1 and isinstance(body[0], ast.If) else body
        found = [node for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        if len(body) != 1 or len(found) != 1:
            raise UnsupportedSyntaxError(
                "expected the text of one function and nothing else, got"
                f" {len(body)} statements with {len(found)} functions",
                self._at(1, 1, 1),
            )
        if isinstance(found[0], ast.AsyncFunctionDef):
            raise UnsupportedSyntaxError("expected a plain function, got an async one", self.at(found[0]))
        return found[0]

    def _at(self, line: int, column: int, width: int) -> SourceLocation:
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        return SourceLocation(self.filename, self._first + line - 1, column, text, width)

    def at(self, node: ast.AST) -> SourceLocation:
        """Where a node of the tree stands."""
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end_line, end = getattr(node, "end_lineno", line), getattr(node, "end_col_offset", offset + 1)
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        # Offsets count bytes.
        encoded = text.encode()
        column = len(encoded[:offset].decode(errors="replace"))
        width = len(encoded[offset:end].decode(errors="replace")) if end_line == line else len(text) - column
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            width = len(text.rstrip()) - column
        return self._at(line, column + 1, max(1, width))

    def resolve(self, name: str, fallback: dict[str, Any]) -> Any:
        """What a name outside of the function means; KeyError if nothing."""
        for scope in (*self.scopes, fallback):
            if name in scope:
                return scope[name]
        return vars(builtins)[name]


def _closure(function: Any) -> dict[str, Any]:
    """What the function sees of the functions around it."""
    values: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            values[name] = cell.cell_contents
        except ValueError:
            # A name that has no value yet.
            continue
    return values
