"""Schedules of plans: what they are given, what they refuse."""

from __future__ import annotations

import pytest

import cutl
from cutl import errors

STREAM_K = "#cutl.stream_k<tiles = 4>"
SHAPE = (256, 512, 32768)


def test_given_or_chosen() -> None:
    plan = cutl.op.Gemm(element="bf16")
    assert plan.schedule == ""
    assert "schedule(#cutl.data_parallel)" in plan.ir("configured", shape=SHAPE)
    plan.schedule = STREAM_K
    assert plan.schedule == STREAM_K
    assert f"schedule({STREAM_K})" in plan.ir("configured", shape=SHAPE)
    assert "atom.global.add.u32" in plan.ptx
    plan.schedule = ""
    assert "schedule(#cutl.data_parallel)" in plan.ir("configured", shape=SHAPE)
    assert cutl.op.Gemm(element="bf16", schedule=STREAM_K).schedule == STREAM_K


@pytest.mark.parametrize(
    "text, message",
    [
        ("#cutl.nope", "unknown attribute `nope`"),
        ("#cutl.data_parallel<2>", "expected no parameters"),
        ("#cutl.stream_k<tiles = -1>", "schedule: .*tiles"),
        (3, "expected the text of a schedule, as '#cutl.stream_k', or '', got 3"),
    ],
)
def test_what_is_no_schedule(text: object, message: str) -> None:
    with pytest.raises(errors.ConfigError, match=message):
        cutl.op.Gemm(element="bf16", schedule=text)  # type: ignore[arg-type]
    plan = cutl.op.Gemm(element="bf16", schedule=STREAM_K)
    with pytest.raises(errors.ConfigError, match=message):
        plan.schedule = text  # type: ignore[assignment]
    assert plan.schedule == STREAM_K


def test_demands_refuse_schedules() -> None:
    plan = cutl.op.Gemm(element="bf16", batch_invariant=True)
    message = "schedule: .*expected a division of k that does not depend on m, got #cutl.stream_k<tiles = 4>"
    with pytest.raises(errors.ConfigError, match=message):
        plan.schedule = STREAM_K
    assert plan.schedule == ""
    plan = cutl.op.Gemm(element="bf16", schedule=STREAM_K)
    with pytest.raises(errors.ConfigError, match=message):
        plan.batch_invariant = True
    assert not plan.batch_invariant
