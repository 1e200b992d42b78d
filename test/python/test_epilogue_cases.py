"""The table of cases in docs/PythonEpilogues.md is complete: each row has a test, and each kind of error a row."""

from __future__ import annotations

import test_epilogue_cases_arrays
import test_epilogue_cases_function
import test_epilogue_cases_gpu
import test_epilogue_cases_plans
from case_table import ROWS
from cutl import errors

FILES = (
    test_epilogue_cases_arrays,
    test_epilogue_cases_function,
    test_epilogue_cases_gpu,
    test_epilogue_cases_plans,
)


def test_every_case_has_a_row() -> None:
    names = [name for file in FILES for name in file.case.names()]
    assert sorted(names) == sorted(ROWS) and len(ROWS) > 70


def test_every_error_of_tracing_is_in_the_table() -> None:
    kinds = {name for name in errors.__all__ if issubclass(getattr(errors, name), errors.TraceError)}
    assert kinds - {"TraceError"} <= {row.removeprefix("raises `")[:-1] for row in ROWS.values()}
