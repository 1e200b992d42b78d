"""Rows of the table of cases in docs/PythonEpilogues.md about what the CPU runs and GPUs refuse, on a driver that computes nothing."""

from __future__ import annotations

from typing import Any

import cutl
import numpy as np
import pytest
from case_table import WHOLE, Cases, K, M, N, T, trace, whole
from conftest import BF16, E4M3, E5M2, F16, F32
from cutl import epilogue, errors
from fake_device import FakeDriver

case = Cases()


def run_on_gpu(traced: epilogue.Epilogue, operand: Any = F16, b: Any = None, split: Any = "", **results: Any) -> None:
    """Also with device="auto", which takes the CPU where a GPU refuses."""
    a = np.ones((M, K), operand)
    b = np.ones((K, N), operand) if b is None else b
    d = results.pop("D", None)
    plan = cutl.op.Gemm(split=split)
    plan.epilogue_visitor = traced
    with pytest.warns(errors.DeviceWarning, match="^running on the CPU since cuda:0 .* cannot run the plan: "):
        plan.run(a, b, D=d, visitor_args=results)
    assert plan.device == "cpu"
    plan = cutl.op.Gemm(device="cuda", split=split)
    plan.epilogue_visitor = traced
    plan.run(a, b, D=d, visitor_args=results)


@case("gpu-operand-type", r"^cuda:0 .* cannot run the plan: .*f16 x f32 into f32 has no mma atom")
def _(driver: FakeDriver) -> None:
    traced = trace("accum\nD = accum\nreturn D")
    for operand in (BF16, E4M3, E5M2):
        with pytest.raises(errors.DeviceError, match="cannot run the plan"):
            plan = cutl.op.Gemm(device="cuda")
            plan.epilogue_visitor = traced
            plan.run(np.ones((M, K), operand), np.ones((N, K), F32).T, D=whole())
    run_on_gpu(traced, F16, b=np.ones((K, N), F32), D=whole())


@case("gpu-interleaved", r"^cuda:0 .* cannot run the plan: .*split\(interleaved\) to be contiguous along")
def _(driver: FakeDriver) -> None:
    traced = trace("accum0, accum1\nD = accum0 * accum1\nreturn D")
    column_major = np.ones((2 * N, K), F16).T
    plan = cutl.op.Gemm(device="cuda", split="interleaved")
    plan.epilogue_visitor = traced
    plan.run(np.ones((M, K), F16), column_major, D=whole())
    run_on_gpu(traced, b=np.ones((K, 2 * N), F16), split="interleaved", D=whole())


@case("gpu-accumulators", "14 accumulators fits no configuration")
def _(driver: FakeDriver) -> None:
    def sum_of(count: int) -> epilogue.Epilogue:
        names = [f"accum{i}" for i in range(count)]
        return trace(f"{', '.join(names)}\nD = {' + '.join(names)}\nreturn D", **{name: WHOLE for name in names})

    for layout, most, message in (
        (cutl.LayoutType.RowMajor, 13, "14 accumulators fits no configuration"),
        (cutl.LayoutType.ColumnMajor, 31, "at most .* 32 tensor maps in all steps, got .* 33"),
    ):
        plan = cutl.op.Gemm(element="f16", layout_B=layout)
        plan.epilogue_visitor = sum_of(most)
        plan.compile("cuda")
        plan.epilogue_visitor = sum_of(most + 1)
        with pytest.raises(errors.CompileError, match=message):
            plan.compile("cuda")
    run_on_gpu(sum_of(14), b=(np.ones((K, N), F16),) * 14, D=whole())


@case("gpu-batch", "expected 'a' to have rank 1 to 5, got 6")
def _(driver: FakeDriver) -> None:
    for lead in ((2, 2, 2), (2, 2, 2, 2)):
        shape = (*lead, M, N)
        traced = trace("accum\nD = accum\nreturn D", accum=T("f32", shape), D=T("f32", shape))
        plan = cutl.op.Gemm(device="cuda")
        plan.epilogue_visitor = traced
        plan.run(np.ones((*lead, M, K), F16), np.ones((*lead, K, N), F16), D=np.empty(shape, F32))


@case("gpu-result-type", r"has no lowering yet for outs\[0\] of 'f64'; types of 8, 16 and 32 bits have one")
def _(driver: FakeDriver) -> None:
    run_on_gpu(trace("accum\nD = accum\nreturn D", D=T("f64", (M, N))), D=whole(np.float64))


@case(
    "gpu-reduction-type", r"has no lowering yet for the reduced outs\[1\] of 'i8'; types of 16, 32 and 64 bits have one"
)
def _(driver: FakeDriver) -> None:
    traced = trace("accum\nD = accum\nR = max(accum, dim=1)\nreturn D, R", R=T("s8", (M,)))
    run_on_gpu(traced, D=whole(), R=np.empty(M, np.int8))


@case("gpu-reduction-schedule", r"expected outs\[1\] to be a sum over k .*reduction = last_arriver")
def _(driver: FakeDriver) -> None:
    traced = trace("accum\nD = accum\nR = sum(accum, dim=1)\nreturn D, R", R=T("f32", (M,)))
    arguments: dict[str, Any] = {"D": whole(), "visitor_args": {"R": np.empty(M, F32)}}
    a, b = np.ones((M, 8192), F16), np.ones((8192, N), F16)
    plan = cutl.op.Gemm(device="cuda", element_A="f16", element_B="f16")
    plan.epilogue_visitor = traced
    for schedule in ("#cutl.split_k<4, reduction = last_arriver>", "#cutl.stream_k"):
        plan.schedule = schedule
        plan.run(a, b, **arguments)
    with pytest.raises(
        errors.ConfigError, match="nearest legal schedule is #cutl.split_k<4, reduction = last_arriver>"
    ):
        plan.schedule = "#cutl.split_k<4>"
    plan = cutl.op.Gemm(device="cuda", schedule="#cutl.split_k<4>")
    plan.epilogue_visitor = traced
    plan.run(a, b, **arguments)


@case("gpu-f64-function", "'math.powf' op expected f16, bf16 or f32, for which there is an expansion, got 'f64'")
def _(driver: FakeDriver) -> None:
    for call in ("sin(accum)", "cos(accum)", "accum ** 1.5"):
        text = f"def fn(accum):\n    D = {call}\n    return D\n"
        traced = epilogue.trace(text, {"accum": WHOLE, "D": WHOLE}, element_compute="f64")
        if "**" in call:
            run_on_gpu(traced, D=whole())
        with pytest.raises(errors.DeviceError, match="there is an expansion, got 'f64'"):
            run_on_gpu(traced, D=whole())


@pytest.mark.parametrize("name", case.names())
def test_case(name: str, driver: FakeDriver) -> None:
    case.check(name, driver)
