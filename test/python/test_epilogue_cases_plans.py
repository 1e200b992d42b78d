"""Rows of the table of cases in docs/PythonEpilogues.md about plans and what a run is given."""

from __future__ import annotations

from typing import Any

import cutl
import numpy as np
import pytest
from case_table import Cases, K, M, N, T, run, trace, whole
from conftest import F16, F32
from cutl import epilogue, errors

case = Cases()

# Runs.

case("missing-argument-at-run", "scale: expected a value for the epilogue visitor in visitor_args, got none")(
    lambda: run(trace("accum, scale\nD = accum * scale\nreturn D", scale=1.0), D=whole())
)
case("unknown-argument-at-run", "visitor_args: expected names of D, got 'scale'")(
    lambda: run(trace("accum\nD = accum\nreturn D"), D=whole(), visitor_args={"scale": 1.0})
)
case("argument-given-twice", "^C: expected it in run.. or in visitor_args, got both")(
    lambda: run(trace("accum, C\nD = accum + C\nreturn D"), C=whole(), D=whole(), visitor_args={"C": whole()})
)
case("dtype-at-run", "C: expected element type f32, which the example in trace.. has, got f16")(
    lambda: run(trace("accum, C\nD = accum + C\nreturn D"), C=whole(F16), D=whole())
)
case("number-at-run", "C: expected an array as the example in trace.. is, got 1.0")(
    lambda: run(trace("accum, C\nD = accum + C\nreturn D"), D=whole(), visitor_args={"C": 1.0})
)
case("alpha-at-run", "alpha: expected none since the epilogue visitor fn has no alpha, got 2.0")(
    lambda: run(trace("accum\nD = accum\nreturn D"), D=whole(), alpha=2.0)
)
case("arguments-without-visitor", "visitor_args: expected none, got some, since the plan has no epilogue_visitor")(
    lambda: cutl.op.Gemm(device="cpu").run(whole(), whole().T, D=np.empty((M, M), F32), visitor_args={})
)

# Plans.


@case("activation-after", "activation: expected none beside the epilogue visitor fn, got relu; call relu")
def _() -> None:
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = trace("accum\nD = accum\nreturn D")
    plan.activation = "identity"
    plan.activation = "relu"


@case("activation-infinite", "activation: expected a finite number as the argument of leaky_relu, got inf")
def _() -> None:
    plan = cutl.op.Gemm(device="cpu")
    for argument in (float("nan"), 10**400, float("inf")):
        with pytest.raises(errors.ArgumentError, match="expected a finite number as the argument of leaky_relu"):
            plan.activation = ("leaky_relu", argument)
        assert plan.activation is epilogue.identity
    plan.activation = ("leaky_relu", float("inf"))


@case("activation-before", "epilogue_visitor: expected a plan without an activation, got one with relu")
def _() -> None:
    plan = cutl.op.Gemm(device="cpu")
    plan.activation = "relu"
    plan.epilogue_visitor = trace("accum\nD = accum\nreturn D")


@case("no-visitor", "epilogue_visitor: expected what cutl.epilogue.trace returns, or None, got <function")
def _() -> None:
    plan: Any = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = None
    plan.epilogue_visitor = trace


case("accumulator-count", "B: expected 2 accumulators for accum0, accum1 of the epilogue, got 1 arrays as B")(
    lambda: run(trace("accum0, accum1\nD = accum0 * accum1\nreturn D"), D=whole())
)
case("several-b-types", "B1: expected element type f16 as B has, got f32")(
    lambda: run(
        trace("accum0, accum1\nD = accum0 * accum1\nreturn D"),
        b=(np.ones((K, N), F16), np.ones((K, N), F32)),
        D=whole(),
    )
)
case("odd-split", "B: expected an even number of columns since the plan splits it in halves, got 15")(
    lambda: run(
        trace("accum0, accum1\nD = accum0 * accum1\nreturn D"),
        plan=cutl.op.Gemm(device="cpu", split="halves"),
        b=np.ones((K, 15), F16),
        D=whole(),
    )
)


@case("output-overlap", "E: expected to share no memory with D")
def _() -> None:
    traced = trace("accum\nD = accum\nE = accum\nreturn D, E")
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = traced
    a = np.ones((N, N), F32)
    with pytest.raises(errors.AliasError, match="D: expected to share no memory with A"):
        plan.run(a, np.ones((N, N), F32), D=a, visitor_args={"E": np.ones((N, N), F32)})
    d = whole()
    run(traced, D=d, visitor_args={"E": d})


@case("output-is-operand")
def _() -> None:
    c = whole()
    run(trace("accum, C\nD = accum + C\nreturn D"), C=c, D=c)
    assert (c == K + 1).all()
    with pytest.raises(errors.AliasError, match="D: expected to share no memory with C"):
        half = np.ones((M, N), F32)
        run(trace("accum, C\nD = accum + C\nreturn D", C=T("f32", (N,))), C=half[0], D=half)


@case("no-graphviz")
def _() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "")
        assert "<svg" in trace("accum, C\nD = accum + C\nreturn D").visualize()


@pytest.mark.parametrize("name", case.names())
def test_case(name: str) -> None:
    case.check(name)
