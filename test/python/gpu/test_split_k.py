"""Sums of which CTAs make parts, on a GPU: they end, no part is rounded or lost, and bits are repeated where that is promised.

`test_stream_k.py` has more of stream-K alone. Without pytest: `python test/python/gpu/test_split_k.py`. A kernel that did not
end would be killed with the process by a watchdog.
"""

from __future__ import annotations

import faulthandler
import itertools
import sys
from typing import Any

try:
    import pytest
except ImportError:
    pytest = None

try:
    import torch
except ImportError:
    torch = None

if torch is None or not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
    if pytest is None:
        sys.exit("needs PyTorch and a GPU of compute capability 9.0")
    pytest.skip("needs PyTorch and a GPU of compute capability 9.0", allow_module_level=True)

import cutl  # noqa: E402
import script  # noqa: E402
import test_stream_k  # noqa: E402

SECONDS = 120
WHOLE_TILES = "#cutl.data_parallel"
# Parts that meet while the kernel runs, whose bits are those of PARTS, and in the order in which they arrive.
MEETING = tuple(f"#cutl.split_k<{parts}, reduction = last_arriver>" for parts in (1, 2, 3, 16))
TURNS = tuple(f"#cutl.split_k<{parts}, reduction = turnstile>" for parts in (1, 2, 3, 16))
ARRIVING = (
    *(f"#cutl.split_k<{parts}, reduction = arrival_order>" for parts in (1, 2, 3, 16)),
    "#cutl.stream_k<reduction = arrival_order>",
    "#cutl.stream_k<tiles = 1, reduction = arrival_order>",
)
PARTS = ("#cutl.split_k<1>", "#cutl.split_k<2>", "#cutl.split_k<3>", "#cutl.split_k<16>")
CONFIGS = (
    *test_stream_k.CONFIGS,
    "#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong, cluster = [4, 1]>",
    "#cutl.tile_config<cta = [128, 64, 64], stages = 4, kernel = cooperative, cluster = [1, 4]>",
)
# Few rows and a long k, few tiles for many CTAs, and small beside the tile.
SHAPES = ((16, 2560, 8192), (8, 8192, 8192), (512, 1024, 4096), (32, 8192, 8192), (100, 72, 1096))


def integers(*shape: int, dtype: Any = torch.bfloat16) -> Any:
    generator = torch.Generator("cuda").manual_seed(sum(shape))
    return torch.randint(-2, 3, shape, generator=generator, device="cuda").to(dtype)


def run(plan: cutl.op.Gemm, a: Any, b: Any, dtype: Any) -> Any:
    """The product with a B of columns, over memory that was a NaN, as is what becomes the workspace."""
    filled = torch.full((64 << 20,), 0xFF, dtype=torch.uint8, device="cuda")
    del filled
    d = torch.full((*a.shape[:-1], b.shape[-2]), float("nan"), dtype=dtype, device="cuda")
    plan.run(a, b.mT, None, d)
    torch.cuda.synchronize()
    return d


def test_divided_sums_end_and_are_exact() -> None:
    """CTAs waited for others that did not run, or that worked on another tile, where there were few rows."""
    for m, n, k in SHAPES:
        a, b = integers(m, k), integers(n, k)
        expected = a.double() @ b.double().t()
        for config, schedule in itertools.product(CONFIGS, (*PARTS[1:3], *test_stream_k.SCHEDULES[:2])):
            d = run(cutl.op.Gemm(config=config, schedule=schedule), a, b, torch.float32)
            assert torch.equal(d.double(), expected), (m, n, k, config, schedule)


def test_every_number_of_parts_and_iterations() -> None:
    """More parts than iterations, parts of different lengths, a last one that fills no stage."""
    for config, parts in itertools.product(CONFIGS[3:7], range(1, 9)):
        for stages in range(parts, 10):
            k = 128 * stages - 8
            a, b = integers(72, k), integers(136, k)
            plan = cutl.op.Gemm(config=config, schedule=f"#cutl.split_k<{parts}>")
            d = run(plan, a, b, torch.bfloat16)
            expected = (a.double() @ b.double().t()).to(torch.bfloat16)
            assert torch.equal(d, expected), (config, parts, k)


def test_parts_that_cancel_leave_what_is_left() -> None:
    """Parts that were rounded to the type of the result lost all of it: 4097 and -4096 make 0 in bf16 and f16."""
    k = 8192
    for dtype, (config, schedule) in itertools.product(
        (torch.bfloat16, torch.float16),
        itertools.product(CONFIGS, (WHOLE_TILES, *PARTS, *test_stream_k.SCHEDULES[:2])),
    ):
        a, b = torch.ones((72, k), device="cuda").to(dtype), torch.ones((136, k), device="cuda").to(dtype)
        a[:, k // 2 :] = -1.0
        a[:, 0] = 2.0
        a[::3, 1] = 4.0
        expected = torch.ones((72, 136), dtype=torch.float64, device="cuda")
        expected[::3] = 4.0
        d = run(cutl.op.Gemm(config=config, schedule=schedule), a, b, dtype)
        assert torch.equal(d.double(), expected), (dtype, config, schedule)


def test_errors_are_those_of_one_rounding() -> None:
    """Random sums about zero, of the sizes of layers: within half an ulp and what sums in f32 differ by."""
    for m, schedule in itertools.product((512, 64), (WHOLE_TILES, *PARTS, *test_stream_k.SCHEDULES)):
        n, k = 4096, 14336
        generator = torch.Generator("cuda").manual_seed(m)
        a, b = (torch.randn((x, k), generator=generator, device="cuda").to(torch.bfloat16) for x in (m, n))
        value = a.double() @ b.double().t()
        bound = 2.0**-8 * value.abs() + (4 * k**0.5 + 4) * 2.0**-24 * (a.double().abs() @ b.double().abs().t())
        plan = cutl.op.Gemm(config=CONFIGS[0], schedule=schedule)
        first = run(plan, a, b, torch.bfloat16)
        share = float(((first.double() - value).abs() / bound).max())
        assert share <= 1.0, (m, schedule, share)
        for _ in range(3):
            assert torch.equal(run(plan, a, b, torch.bfloat16), first), (m, schedule)


def test_nothing_depends_on_what_the_workspace_held() -> None:
    """The first run was wrong, or every one but the first."""
    for config, schedule in itertools.product(CONFIGS, PARTS):
        for shape in ((512, 520, 4096), (300, 264, 64), (130, 136, 0)):
            case = test_stream_k.Run(test_stream_k.Problem(config, schedule), shape)
            first = case.result()
            case.check(first)
            for fill in (None, 0, 0x7F):
                if fill is not None:
                    case.workspace.fill_(fill)
                    case.workspace[case.bytes :] = 0xFF
                assert torch.equal(case.result(), first), (config, schedule, shape, fill)


def test_batches_of_parts() -> None:
    """A batch dimension and the parts of k were exchanged, or one of them left out."""
    for (batch, m, n, k), schedule in itertools.product(((5, 72, 136, 1096), (3, 520, 264, 520)), PARTS[:3]):
        a, b = integers(batch, m, k), integers(batch, n, k)
        for config in ("", *CONFIGS[4:7]):
            d = run(cutl.op.Gemm(config=config, schedule=schedule), a, b, torch.float32)
            assert torch.equal(d.double(), a.double() @ b.double().mT), (batch, m, n, k, schedule, config)
        d = run(cutl.op.Gemm(schedule=schedule), a, b[1], torch.bfloat16)
        assert torch.equal(d, (a.double() @ b[1].double().t()).to(torch.bfloat16)), (batch, m, n, k, schedule)


def test_parts_on_few_multiprocessors_and_in_graphs() -> None:
    """The second kernel began before the first had ended, or needed all of the device."""
    a, b = integers(200, 4096), integers(264, 4096)
    expected = a.double() @ b.double().t()
    for schedule, budget in itertools.product(PARTS[1:], (2, 7, None)):
        plan = cutl.op.Gemm(config=CONFIGS[0], schedule=schedule, sm_budget=budget)
        assert torch.equal(run(plan, a, b, torch.float32).double(), expected), (schedule, budget)
        d = torch.empty((200, 264), device="cuda")
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(4):
                plan.run(a, b.t(), None, d)
        for _ in range(20):
            d.fill_(float("nan"))
            graph.replay()
            torch.cuda.synchronize()
            assert torch.equal(d.double(), expected), (schedule, budget)


def test_parts_that_meet_have_the_bits_of_those_that_another_kernel_adds() -> None:
    """Up to eight parts the other kernel adds in order."""
    for config, (separate, meeting) in itertools.product(CONFIGS, zip(PARTS, MEETING)):
        for shape in ((512, 520, 4096), (300, 264, 64), (64, 64, 16384), (130, 136, 0)):
            wanted = test_stream_k.Run(test_stream_k.Problem(config, separate), shape).result()
            case = test_stream_k.Run(test_stream_k.Problem(config, meeting), shape)
            if meeting == MEETING[3]:
                wanted = case.result()
                case.check(wanted)
            for fill in (0xFF, None, 0, 0x7F):
                if fill is not None:
                    case.workspace.fill_(fill)
                    case.workspace[case.bytes :] = 0xFF
                assert torch.equal(case.result(), wanted), (config, meeting, shape, fill)


def test_turns_end_and_have_the_bits_of_parts_that_meet() -> None:
    """A CTA waited for one that did not run: many more units than CTAs, on few multiprocessors, beside a kernel that spins."""
    configs = [config for config in CONFIGS if "cluster" not in config]
    for config, (meeting, turns) in itertools.product(configs, zip(MEETING, TURNS)):
        wanted = test_stream_k.Problem(config, meeting)
        problems = {budget: test_stream_k.Problem(config, turns, sm_budget=budget) for budget in (1, 7, None)}
        for shape in ((2048, 1536, 1024), (512, 520, 4096), (64, 64, 16384), (130, 136, 0)):
            expected = test_stream_k.Run(wanted, shape).result()
            for budget, problem in problems.items():
                case = test_stream_k.Run(problem, shape)
                for fill in (0xFF, None, 0):
                    if fill is not None:
                        case.workspace.fill_(fill)
                        case.workspace[case.bytes :] = 0xFF
                    assert torch.equal(case.result(), expected), (config, turns, budget, shape, fill)


def test_turns_beside_a_kernel_that_holds_half_of_the_multiprocessors() -> None:
    case = test_stream_k.Run(test_stream_k.Problem(CONFIGS[0], TURNS[3]), (1000, 1160, 4096))
    test_stream_k.check_beside(test_stream_k.spinner(), case)


def test_epilogues_of_parts_that_meet_run_once() -> None:
    """One that no other kernel could run, in place where it has a C."""
    for config, schedule in itertools.product(CONFIGS, (*MEETING[1:], *ARRIVING[1:])):
        problem = test_stream_k.Problem(
            config,
            schedule,
            "bf16",
            "bf16",
            "relu",
            has_c=True,
            has_bias=True,
            deterministic=schedule in MEETING,
        )
        for shape in ((512, 520, 2048), (200, 203, 1000)):
            case = test_stream_k.Run(problem, shape)
            first = case.result()
            case.check(first)
            if problem.deterministic:
                assert torch.equal(case.result(), first), (config, schedule, shape)


def test_sums_in_any_order_are_right_whatever_the_workspace_held() -> None:
    """Rows that were not zero, or of another tile, add what no unit has."""
    for config, schedule in itertools.product(CONFIGS, ARRIVING):
        for shape in ((512, 520, 4096), (300, 264, 64), (64, 64, 16384), (130, 136, 0)):
            case = test_stream_k.Run(test_stream_k.Problem(config, schedule, deterministic=False), shape)
            for fill in (0xFF, None, 0, 0x7F):
                if fill is not None:
                    case.workspace.fill_(fill)
                    case.workspace[case.bytes :] = 0xFF
                case.check(case.result())


def test_sums_of_integers_are_exact_in_any_order() -> None:
    for (m, n, k), config, schedule in itertools.product(SHAPES, CONFIGS, (*MEETING[1:3], *ARRIVING[1:3], ARRIVING[4])):
        a, b = integers(m, k), integers(n, k)
        plan = cutl.op.Gemm(config=config, schedule=schedule, deterministic=schedule in MEETING)
        d = run(plan, a, b, torch.float32)
        assert torch.equal(d.double(), a.double() @ b.double().t()), (m, n, k, config, schedule)


def test_workspaces_in_arrival_order_are_smaller() -> None:
    """One tile's sums for each tile, rather than for each of sixteen parts."""
    shape = (512, 520, 4096)
    slots = test_stream_k.Run(test_stream_k.Problem(CONFIGS[0], MEETING[3]), shape)
    rows = test_stream_k.Run(test_stream_k.Problem(CONFIGS[0], ARRIVING[3], deterministic=False), shape)
    assert 15 * rows.bytes < slots.bytes < 17 * rows.bytes


def _watch() -> None:
    faulthandler.dump_traceback_later(SECONDS, exit=True)


if pytest is not None:

    @pytest.fixture(autouse=True)
    def watchdog() -> Any:
        _watch()
        yield
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    sys.exit(script.main(globals(), SECONDS))
