"""`type_cases.py` on a GPU under pytest: one test a case."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
    pytest.skip("needs a GPU of compute capability 9.0", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import type_cases  # noqa: E402


@pytest.mark.parametrize("case", type_cases.make_cases(), ids=str)
def test_case(case: type_cases.Case) -> None:
    type_cases.run_case(case, "cuda")
