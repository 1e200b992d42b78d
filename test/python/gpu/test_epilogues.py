"""`epilogue_cases.py` under pytest: one test a case on a GPU, a part of them on the CPU where there is none."""

from __future__ import annotations

import pytest

pytest.importorskip("ml_dtypes")

import epilogue_cases  # noqa: E402
from cutl import _gpu  # noqa: E402

DEVICE = "cpu" if _gpu.find() is None else "cuda"
CASES = epilogue_cases.make_cases()[:: 1 if DEVICE == "cuda" else 5]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: epilogue_cases.Case) -> None:
    assert epilogue_cases.run(case, DEVICE) == ""
