"""Schedules of plans: what they are given, what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import cutl
from cutl import errors

STREAM_K = "#cutl.stream_k<tiles = 4>"
SHAPE = (256, 512, 32768)


def test_given_or_chosen() -> None:
    plan = cutl.op.Gemm(element="bf16")
    assert plan.schedule == ""
    chosen = "schedule(#cutl.split_k<8>)"
    assert chosen in plan.ir("configured", shape=SHAPE)
    plan.schedule = STREAM_K
    assert plan.schedule == STREAM_K
    assert f"schedule({STREAM_K})" in plan.ir("configured", shape=SHAPE)
    assert "atom.global.add.u32" in plan.ptx
    plan.schedule = ""
    assert chosen in plan.ir("configured", shape=SHAPE)
    assert cutl.op.Gemm(element="bf16", schedule=STREAM_K).schedule == STREAM_K


@pytest.mark.parametrize(
    "text, message",
    [
        ("#cutl.nope", "unknown attribute `nope`"),
        ("#cutl.data_parallel<2>", "expected no parameters"),
        ("#cutl.stream_k<tiles = -1>", "schedule: .*tiles"),
        ("#cutl.stream_k<reduction = separate>", "nearest legal value is last_arriver"),
        ("#cutl.split_k<2, reduction = sloth>", "expected reduction to be one of separate, .*, turnstile, got sloth$"),
        ("#cutl.stream_k\0", r"^schedule: expected characters of text, got '\\x00'$"),
        ("\udcff", r"^schedule: expected characters of text, got '\\udcff'$"),
        ("[" * 100000, "^schedule: expected at most 1000 characters, got 100000$"),
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


def test_blanks_around_a_text_mean_nothing() -> None:
    plan = cutl.op.Gemm(element="bf16", schedule=f" {STREAM_K}\n")
    assert plan.schedule == STREAM_K
    plan.schedule = "\t#cutl.stream_k<tiles = 2> "
    assert plan.schedule == "#cutl.stream_k<tiles = 2>"


def test_what_is_set_counts_after_a_run() -> None:
    config = "#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>"
    plan = cutl.op.Gemm(element="f16", device="cpu", config=config, schedule="#cutl.stream_k<tiles = 2>")
    before = plan.ir("configured")
    assert f"config({config}) schedule(#cutl.stream_k<tiles = 2>)" in before
    a = np.ones((64, 64), np.float16)
    plan.run(a, a, None, np.empty_like(a))
    assert f"config({config}) schedule(#cutl.stream_k<tiles = 2>)" in plan.ir("configured")
    other = config.replace("stages = 2", "stages = 3")
    plan.config = other
    assert f"config({other}) schedule(#cutl.stream_k<tiles = 2>)" in plan.ir("configured")


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


def test_sums_in_any_order_are_asked_for() -> None:
    plan = cutl.op.Gemm(element="bf16")
    message = "schedule: .*expected sums in a fixed order, got .*; nearest legal schedule is #cutl.split_k<4, reduction = last_arriver>"
    with pytest.raises(errors.ConfigError, match=message):
        plan.schedule = "#cutl.split_k<4, reduction = arrival_order>"
    plan.deterministic = False
    plan.schedule = "#cutl.split_k<4, reduction = arrival_order>"
    assert ".version 8.1" in plan.ptx
    assert "red.relaxed.gpu.global.add.v4.f32" in plan.ptx
    with pytest.raises(errors.ConfigError, match="schedule: .*expected sums in a fixed order"):
        plan.deterministic = True
    # Parts are alike for every M.
    plan = cutl.op.Gemm(element="bf16", batch_invariant=True, schedule="#cutl.split_k<4, reduction = last_arriver>")
    assert "red.relaxed" not in plan.ptx
    assert "atom.global.add.u32" in plan.ptx


def test_sums_in_turn_are_repeated() -> None:
    """Each part waits for the one before it, on CTAs that are numbered as they start."""
    turns = "#cutl.split_k<4, reduction = turnstile>"
    plan = cutl.op.Gemm(element="bf16", deterministic=True, batch_invariant=True, sm_budget=1, schedule=turns)
    assert "red.relaxed" not in plan.ptx
    assert "ld.acquire.gpu.global.b32" in plan.ptx
    assert "atom.global.add.u32" in plan.ptx
    assert "%ctaid" not in plan.ptx
    plan.sm_budget = None
    with pytest.raises(errors.ConfigError, match="expected a cluster of 1 CTA, which takes its turn by itself, got 2; .* is 1"):
        plan.config = "#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong, cluster = [2, 1]>"


@pytest.mark.parametrize("reduction", ["separate", "last_arriver", "turnstile"])
def test_nothing_is_divided_on_the_cpu(reduction: str) -> None:
    random = np.random.default_rng(7)
    a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((70, 700), (700, 20)))
    whole, parts = (np.full((70, 20), np.nan, np.float32) for _ in range(2))
    cutl.op.Gemm(device="cpu").run(a, b, None, whole)
    cutl.op.Gemm(device="cpu", schedule=f"#cutl.split_k<4, reduction = {reduction}>").run(a, b, None, parts)
    assert np.array_equal(whole, parts)


def titles(svg: str) -> list[str]:
    """What the boxes of a drawing are called, in order."""
    return [title.text or "" for title in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")]


def test_drawings(tmp_path: Path) -> None:
    config = "#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>"
    plan = cutl.op.Gemm(element="bf16", config=config, sm_budget=3)
    svg = plan.draw_schedule(tmp_path / "x.svg", shape=(512, 128, 256))
    assert (tmp_path / "x.svg").read_text(encoding="utf-8") == svg
    assert ">#cutl.data_parallel on 3 of the 3 CTAs that run at once</text>" in svg
    assert titles(svg) == [f"tile {t} (m {t}, n 0, batch 0), k 0..4" for t in (0, 3, 1, 2)]
    plan.schedule = "#cutl.stream_k<tiles = 1>"
    divided = titles(plan.draw_schedule(shape=(128, 128, 256)))
    assert [d.split("), ")[1] for d in divided] == [
        "k 0..2, part in slot 0, the last to arrive",
        "k 2..3, part in slot 1",
        "k 3..4, part in slot 2",
    ]


def test_drawings_of_nothing_and_of_much() -> None:
    plan = cutl.op.Gemm(element="bf16")
    assert titles(plan.draw_schedule(shape=(0, 64, 64))) == []
    assert len(titles(plan.draw_schedule(shape=(8192, 8192, 64)))) > 1000


def test_what_cannot_be_drawn() -> None:
    plan = cutl.op.Gemm(element="bf16")
    with pytest.raises(errors.ArgumentError, match="^shape: expected M, N and K, since the plan has not run on a GPU"):
        plan.draw_schedule()
    with pytest.raises(errors.ArgumentError, match="^chip: expected one of .*, got 'sm_1'$"):
        plan.draw_schedule(chip="sm_1", shape=SHAPE)
    with pytest.raises(errors.CompileError, match="expected at most 20000 units of work to draw, got [0-9]+$"):
        plan.draw_schedule(shape=(1 << 20, 1 << 20, 64))
    with pytest.raises(errors.CompileError, match="f32 .*sm_90a"):
        cutl.op.Gemm(element="f32").draw_schedule(shape=SHAPE)


def test_all_views_are_of_one_kernel(tmp_path: Path) -> None:
    """A factor of one, which kernels leave out, does not keep parts from being added by another kernel."""
    plan = cutl.op.Gemm(element="bf16")
    shape = (512, 512, 16384)
    assert "4 parts of k" in plan.explain(shape=shape)
    assert "schedule(#cutl.split_k<4>)" in plan.ir("configured", shape=shape)
    assert "gemm_0_combine" in plan.ir("ptx", shape=shape)
    assert "split_k" in plan.draw_schedule(shape=shape)
    plan.schedule = "#cutl.split_k<4>"
    plan.sm_budget = 8
    plan.compile("cuda", shape=shape)
    assert "gemm_0_combine" in plan.ir("ptx", shape=shape)


@pytest.mark.parametrize("schedule", ["#cutl.stream_k", "#cutl.split_k<4, reduction = last_arriver>", "#cutl.split_k<4>"])
def test_listed_configurations_suit_the_schedule(schedule: str) -> None:
    plan = cutl.op.Gemm(element="bf16", schedule=schedule)
    for listed in plan.configs(shape=(512, 512, 16384))[:5]:
        plan.config = listed.config
        plan.config = ""


@pytest.mark.parametrize("shape", [5, (8, 8), (True, 8, 8), {8, 9, 10}, (8, 8, -1), (8, 8, 2.0), "888"])
def test_bad_shapes(shape: Any) -> None:
    plan = cutl.op.Gemm(element="bf16")
    for say in (plan.explain, plan.configs, plan.draw_schedule, plan.ir, plan.compile):
        with pytest.raises(errors.ArgumentError, match="^shape: expected M, N and K of 0 to"):
            say(shape=shape)


def test_shapes_of_numpy() -> None:
    plan = cutl.op.Gemm(element="bf16")
    assert plan.explain(shape=(np.int64(64), np.int32(64), 64)) == plan.explain(shape=(64, 64, 64))
