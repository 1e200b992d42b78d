"""What a plan demands of a run, as its bits show. Without pytest: `python test/python/gpu/test_execution.py`."""

from __future__ import annotations

import sys
import traceback
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

BUDGETS = (1, 2, 7, 131)
ROWS = (1, 2, 17, 33, 128, 257, 1024)
SIZE = 2048

# One of each kind of kernel, and with clusters for the budgets that have room for one.
CONFIGS = (
    "#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>",
    "#cutl.tile_config<cta = [128, 256, 64], stages = 4, kernel = cooperative>",
    "#cutl.tile_config<cta = [64, 96, 128], stages = 4, kernel = single>",
    "#cutl.tile_config<cta = [64, 32, 128], stages = 6, kernel = single, swap_operands = true>",
    "#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative, cluster = [2, 1]>",
)
# Its accumulators leave registers for further outputs.
REDUCING = "#cutl.tile_config<cta = [128, 96, 64], stages = 4, kernel = pingpong>"


def operands(m: int, n: int, k: int, dtype: Any) -> tuple[Any, Any]:
    """A is row-major; B is column-major, as weights are."""
    generator = torch.Generator("cuda").manual_seed(20240229)
    a = torch.randn((m, k), generator=generator, device="cuda").to(dtype)
    b = torch.randn((n, k), generator=generator, device="cuda").to(dtype).t()
    return a, b


def run(plan: cutl.op.Gemm, a: Any, b: Any, dtype: Any) -> Any:
    d = torch.full((a.shape[0], b.shape[1]), float("nan"), dtype=dtype, device="cuda")
    plan.run(a, b, None, d)
    torch.cuda.synchronize()
    return d


def close(d: Any, a: Any, b: Any) -> bool:
    expected = a.double() @ b.double()
    return bool((d.double() - expected).norm() <= 5e-3 * expected.norm())


def test_every_budget_gives_the_same_bits() -> None:
    for config in CONFIGS:
        a, b = operands(1000, 1160, 520, torch.bfloat16)
        whole = run(cutl.op.Gemm(config=config), a, b, torch.float32)
        assert close(whole, a, b), config
        for budget in BUDGETS:
            if "cluster" in config and budget < 2:
                continue
            plan = cutl.op.Gemm(config=config, sm_budget=budget)
            for _ in range(2):
                assert torch.equal(run(plan, a, b, torch.float32), whole), (config, budget)


def test_every_budget_gives_the_same_bits_with_chosen_configurations() -> None:
    for shape in ((1000, 1160, 520), (4096, 4096, 256)):
        a, b = operands(*shape, torch.float16)
        whole = run(cutl.op.Gemm(batch_invariant=True), a, b, torch.float32)
        assert close(whole, a, b)
        plan = cutl.op.Gemm(batch_invariant=True)
        for budget in BUDGETS:
            plan.sm_budget = budget
            assert torch.equal(run(plan, a, b, torch.float32), whole), (shape, budget, plan.config)


def test_every_budget_gives_the_same_reductions() -> None:
    """Parts of a column's and of a row's sum come from several CTAs, and are added by a kernel of their own."""

    def reduce(accum: Any) -> Any:
        D = accum * 0.5  # noqa: N806
        rows = cutl.epilogue.sum(D, dim=1)
        columns = cutl.epilogue.sum(D, dim=0)
        return D, rows, columns

    m, n, k = 1000, 1160, 520
    a, b = operands(m, n, k, torch.bfloat16)
    d = torch.empty((m, n), dtype=torch.bfloat16, device="cuda")
    rows, columns = (torch.empty(size, device="cuda") for size in (m, n))
    traced = cutl.epilogue.trace(reduce, {"accum": d, "D": d, "rows": rows, "columns": columns})
    found = []
    for budget in (None, *BUDGETS):
        plan = cutl.op.Gemm(config=REDUCING, sm_budget=budget)
        plan.epilogue_visitor = traced
        for tensor in (d, rows, columns):
            tensor.fill_(float("nan"))
        plan.run(a, b, None, d, visitor_args={"rows": rows, "columns": columns})
        torch.cuda.synchronize()
        found.append([tensor.clone() for tensor in (d, rows, columns)])
        assert all(torch.equal(*pair) for pair in zip(found[0], found[-1])), budget
    expected = 0.5 * (a.double() @ b.double())
    assert (found[0][1].double() - expected.sum(1)).norm() <= 5e-3 * expected.sum(1).norm() + 1e-2 * expected.norm()


def test_rows_are_batch_invariant() -> None:
    """The bits of a row do not depend on how many rows there are, nor on where it stands."""
    for dtype, out in ((torch.bfloat16, torch.float32), (torch.float16, torch.float16)):
        a, b = operands(max(ROWS), SIZE, SIZE, dtype)
        plan = cutl.op.Gemm(batch_invariant=True)
        whole = run(plan, a, b, out)
        assert close(whole, a, b)
        configs = set()
        for m in ROWS:
            for start in {0, max(ROWS) - m, (max(ROWS) - m) // 2}:
                d = run(plan, a[start : start + m], b, out)
                assert torch.equal(d, whole[start : start + m]), (dtype, m, start, plan.config)
            configs.add(plan.config)
        assert len(configs) > 1, "expected other tiles for few rows than for many"
        assert not any("swap_operands" in config for config in configs)


def test_row_major_weights_are_batch_invariant() -> None:
    a, b = operands(max(ROWS), SIZE, SIZE, torch.bfloat16)
    b = b.contiguous()
    plan = cutl.op.Gemm(batch_invariant=True)
    whole = run(plan, a, b, torch.float32)
    for m in ROWS:
        assert torch.equal(run(plan, a[:m], b, torch.float32), whole[:m]), (m, plan.config)


def test_a_k_that_fills_no_stage_is_batch_invariant() -> None:
    a, b = operands(max(ROWS), SIZE, 1000, torch.bfloat16)
    plan = cutl.op.Gemm(batch_invariant=True)
    whole = run(plan, a, b, torch.float32)
    assert close(whole, a, b)
    for m in ROWS:
        assert torch.equal(run(plan, a[:m], b, torch.float32), whole[:m]), (m, plan.config)


def test_reduced_rows_are_batch_invariant() -> None:
    """What is reduced over N is summed tile by tile, for which there is one tile whatever M is."""

    def reduce(accum: Any) -> Any:
        D = cutl.epilogue.silu(accum)  # noqa: N806
        rows = cutl.epilogue.sum(D, dim=1)
        return D, rows

    a, b = operands(max(ROWS), SIZE, SIZE, torch.bfloat16)
    plan = cutl.op.Gemm(batch_invariant=True)
    found = {}
    for m in sorted(ROWS, reverse=True):
        d = torch.full((m, SIZE), float("nan"), dtype=torch.bfloat16, device="cuda")
        rows = torch.full((m,), float("nan"), device="cuda")
        plan.epilogue_visitor = cutl.epilogue.trace(reduce, {"accum": d, "D": d, "rows": rows})
        plan.run(a[:m], b, None, d, visitor_args={"rows": rows})
        torch.cuda.synchronize()
        found[m] = d, rows
        assert torch.equal(d, found[max(ROWS)][0][:m]), (m, plan.config)
        assert torch.equal(rows, found[max(ROWS)][1][:m]), (m, plan.config)


def test_a_run_is_repeated_bit_for_bit() -> None:
    a, b = operands(777, 1032, 4096, torch.bfloat16)
    plan = cutl.op.Gemm()
    first = run(plan, a, b, torch.float32)
    for _ in range(20):
        assert torch.equal(run(plan, a, b, torch.float32), first)


def main() -> int:
    failed = 0
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    for test in tests:
        try:
            test()
        except Exception:
            failed += 1
            print(f"FAILED {test.__name__}")
            traceback.print_exc()
    print(f"{len(tests) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
