"""The table of cases in docs/PythonEpilogues.md, how a test file says what its rows are about, and what such tests share."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import cutl
import numpy as np
import pytest
from conftest import F16, F32
from cutl import epilogue, errors

PAGE = Path(__file__).parents[2] / "docs" / "PythonEpilogues.md"
# What is to happen, by name.
ROWS = dict(re.findall(r"^\| `([a-z0-9-]+)` \|.*\| (works|raises `\w+`) \|$", PAGE.read_text(), re.MULTILINE))

T = cutl.Tensor
M, N, K = 8, 16, 32
WHOLE = T("f32", (M, N))
SIZE = (0, M, N, K)


class Cases:
    """Rows of the table with functions that do what they say."""

    def __init__(self) -> None:
        self._functions: dict[str, tuple[Callable[..., None], str]] = {}

    def __call__(self, name: str, message: str = "") -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Registers what a row is about; a part of the message, if it raises."""

        def register(function: Callable[..., None]) -> Callable[..., None]:
            assert name not in self._functions
            self._functions[name] = function, message
            return function

        return register

    def names(self) -> list[str]:
        return list(self._functions)

    def check(self, name: str, *arguments: Any) -> None:
        """Calls the function of a row, which has to work or to raise what the table says."""
        function, message = self._functions[name]
        kind = re.fullmatch(r"raises `(\w+)`", ROWS[name])
        if kind is None:
            function(*arguments)
            return
        with pytest.raises(getattr(errors, kind[1]), match=message) as caught:
            function(*arguments)
        assert type(caught.value) is getattr(errors, kind[1]) and message
        if isinstance(caught.value, errors.TraceError):
            location = caught.value.location
            assert location.line > 0 and str(caught.value).startswith(f"{location}: {caught.value.message}")


def trace(text: str, **examples: Any) -> epilogue.Epilogue:
    """Of the body of a function whose arguments are in its first line."""
    first, _, body = text.partition("\n")
    lines = "\n".join("    " + line.strip() for line in body.strip().splitlines())
    known = {
        "accum": WHOLE,
        "accum0": WHOLE,
        "accum1": WHOLE,
        "C": WHOLE,
        "D": WHOLE,
        "E": WHOLE,
        "bias": T("f32", (N,)),
    }
    names = set(re.findall(r"\w+", text))
    given = {**{name: example for name, example in known.items() if name in names}, **examples}
    return epilogue.trace(f"def fn({first}):\n{lines}\n", {k: v for k, v in given.items() if v is not None})


def run(traced: epilogue.Epilogue, *, plan: Optional[cutl.op.Gemm] = None, b: Any = None, **arguments: Any) -> Any:
    plan = plan or cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = traced
    return plan.run(np.ones((M, K), F16), np.ones((K, N), F16) if b is None else b, **arguments)


def whole(dtype: Any = F32, value: float = 1.0) -> np.ndarray:
    return np.full((M, N), value, dtype)
