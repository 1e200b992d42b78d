"""`gemm_cases.py` under pytest: one test a case."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
    pytest.skip("needs a GPU of compute capability 9.0", allow_module_level=True)

import gemm_cases  # noqa: E402

CASES = gemm_cases.make_cases()


@pytest.fixture(scope="session")
def coverage(request: pytest.FixtureRequest) -> gemm_cases.Coverage:
    found = gemm_cases.Coverage()
    reporter = request.config.pluginmanager.getplugin("terminalreporter")

    def report() -> None:
        for line in found.report(CASES):
            reporter.write_line(line)

    request.addfinalizer(report)
    return found


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: gemm_cases.Case, coverage: gemm_cases.Coverage) -> None:
    coverage.add(case, *gemm_cases.run_case(case))
