"""What the GPU benchmarks do besides timing: cases, lists, drawn sizes and reports. PyTorch is not needed."""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "gpu"


@pytest.fixture
def gemm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The benchmark on a PyTorch that is only named."""
    torch = types.ModuleType("torch")
    torch.bfloat16, torch.float16, torch.Tensor = "bf16", "f16", object  # type: ignore[attr-defined]
    torch.cuda = types.SimpleNamespace(CUDAGraph=object)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("gemm", "cases"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import gemm

    yield gemm
    for name in ("gemm", "cases"):
        sys.modules.pop(name, None)


def test_cases_are_written(gemm: Any) -> None:
    case = gemm.parse("8192x4096x1024:cr:f16:bias_relu")
    assert str(case) == "8192x4096x1024 cr f16 bias_relu" and case.flops == 2.0 * 8192 * 4096 * 1024
    assert case.bytes == 2.0 * (8192 * 1024 + 1024 * 4096 + 8192 * 4096)
    batched = gemm.parse("768x197x198x64")
    assert str(batched) == "768x197x198x64 rc bf16" and (batched.m, batched.n, batched.batch) == (197, 198, 768)
    assert batched.flops == 768 * gemm.parse("197x198x64").flops
    for text in ("8x8", "0x8x8", "8x8x8:xx", "8x8x8:rc:f64", "2x8x8x8:rc:bf16:bias_gelu", "1x2x3x4x5"):
        with pytest.raises(SystemExit, match="expected "):
            gemm.parse(text)


def test_lists(gemm: Any, tmp_path: Path) -> None:
    assert [len(gemm.read_kind(k, None)) for k in ("square", "llm", "random", "deep_k", "batched")] == [11, 30, 32, 4, 4]
    file = tmp_path / "cases.json"
    base = {"op": "gemm", "m": 8, "n": 16, "k": 24, "dtype": "bf16", "layout": "cr"}
    others = [{"dtype": "f64"}, {"out": "f32"}, {"op": "conv"}, {"batch": 3, "epilogue": "bias_gelu"}]
    file.write_text(json.dumps({"mine": [base, {**base, "batch": 3}, *({**base, **other} for other in others)]}))
    assert list(map(str, gemm.read_kind("mine", str(file)))) == ["8x16x24 cr bf16", "3x8x16x24 cr bf16"]
    with pytest.raises(SystemExit, match="mine"):
        gemm.read_kind("other", str(file))


def test_drawn_lists(gemm: Any) -> None:
    for kind in gemm.DRAWN:
        drawn = gemm.draw(kind, [], 50, 7)
        assert drawn == gemm.draw(kind, [], 50, 7) != gemm.draw(kind, [], 50, 8)
        assert len(set(drawn)) > 25 and all((case.batch is None) == (kind != "batched") for case in drawn)
        # An operand must not outgrow a GPU's memory.
        assert all(case.bytes < 16e9 and case.k % 8 == 0 for case in drawn)
    assert all(case.m == case.n == case.k for case in gemm.draw("square", [], 20, 1))
    assert any(case.k * 2 % 128 for case in gemm.draw("random", [], 20, 1))
    like = gemm.draw("given", [gemm.parse("4096x4096x4096:rr:f16")], 5, 1)
    assert len(like) == 5 and {(c.orders, c.dtype) for c in like} == {("rr", "f16")}


def test_candidates_are_spread(gemm: Any) -> None:
    names, times = [str(i) for i in range(200)], [1 + i / 100 for i in range(200)]
    chosen = gemm.spread(names, times, 40)
    assert len(chosen) == len(set(chosen)) == 40 and chosen[:20] == names[:20]
    assert int(chosen[-1]) > 130 and all(times[int(name)] <= 2.5 for name in chosen)
    assert gemm.spread(names[:30], times[:30], 40) == names[:30]


def test_reports(gemm: Any) -> None:
    rates = gemm.Rates(flops=700e12, copy=4e12, read=4.4e12)
    big, small = gemm.parse("8192x8192x8192"), gemm.parse("16x28672x4096")
    figures = [gemm.Figure(big, 0.0, 1.5e-3, 1.6e-3, 1.5e-3, None, "#cutl.tile_config<cta = [1, 2, 3]>")]
    figures.append(gemm.Figure(small, 0.0, 7e-5, 6e-5, 5e-5, None, ""))
    first, second = (gemm.row(figure, rates) for figure in figures)
    assert "| 0.938 | 1.000 |" in first
    assert "TB/s" not in first and "| 1.02 |  |" in first and first.endswith("[1, 2, 3] |")
    share = small.bytes / 6e-5
    assert f"| {share / 1e12:.2f}, {share / 4e12:.0%}, {share / 4.4e12:.0%} |" in second
    (line,) = gemm.summary("square", figures, rates)
    assert "ratios 1.046; 1 of 2 under 1; least 8192x8192x8192 rc bf16 0.938, 16x" in line and "PDL 1.183; over the floor" in line


def test_reports_on_choices(gemm: Any) -> None:
    case = gemm.parse("4096x4096x4096")
    choice = gemm.Choice(case, "c", 40, [], [("a", 1e-4, 7), ("b", 1.01e-4, 2), ("c", 1.1e-4, 0)])
    assert choice.loss == pytest.approx(0.1)
    assert gemm.choice_row(choice) == (
        "| 4096x4096x4096 rc bf16 | 110.0 | 10.0% | 40 | 7. a: 100.0; 2. b: 101.0; 0. c: 110.0 |"
    )
    right = gemm.Choice(case, "a", 45, [], [("a", 1e-4, 0)])
    (line,) = gemm.choice_summary("llm", [choice, right])
    assert "loss of the choice 4.9% (geometric mean), most 4096x4096x4096 rc bf16 10.0%, 4096" in line and "least 40" in line


def test_selection(gemm: Any) -> None:
    import argparse

    given = argparse.Namespace(shapes=[], kind=["llm", "deep_k"], file=None, drawn=3, seed=5, only="^16x|65536")
    groups = gemm.select(given)
    assert [name for name, _ in groups] == ["llm", "deep_k", "llm, drawn from seed 5", "deep_k, drawn from seed 5"]
    assert len(groups[0][1]) == 5 and list(map(str, groups[1][1])) == ["128x128x65536 rc bf16"]
