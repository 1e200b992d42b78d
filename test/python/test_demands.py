"""What a plan demands of the way it is computed: deterministic, batch_invariant, sm_budget and programmatic_launch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import F16, F32, assert_close, reference
from fake_device import FakeDriver, FakeTorch, abd, product

import cutl
from cutl import _compiler, errors

SWAPPED = "#cutl.tile_config<cta = [64, 16, 64], stages = 4, kernel = single, swap_operands = true>"
CLUSTERED = "#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong, cluster = [2, 1]>"
MANY_ROWS = (1, 2, 17, 33, 128, 257, 1024)


def test_defaults_and_properties() -> None:
    plan = cutl.op.Gemm(element="f16")
    assert (plan.deterministic, plan.batch_invariant, plan.sm_budget) == (True, False, None)
    assert "execution(" not in plan.ir()
    plan.sm_budget = np.int32(7)
    plan.batch_invariant = True
    assert type(plan.sm_budget) is int
    assert " execution(batch_invariant, sm_budget = 7) {" in plan.ir()
    plan.batch_invariant, plan.sm_budget = False, None
    plan.deterministic = False
    assert " execution(deterministic = false) {" in plan.ir()
    given = cutl.op.Gemm(element="f16", deterministic=True, batch_invariant=True, sm_budget=132)
    assert (given.deterministic, given.batch_invariant, given.sm_budget) == (True, True, 132)
    assert " execution(batch_invariant, sm_budget = 132) {" in given.ir()


def test_programmatic_launch_is_an_option() -> None:
    plan = cutl.op.Gemm(element="f16", config=SWAPPED)
    assert plan.programmatic_launch
    assert "griddepcontrol.wait" in plan.ptx
    plan.programmatic_launch = False
    assert "griddepcontrol" not in plan.ptx
    assert not cutl.op.Gemm(element="f16", programmatic_launch=False).programmatic_launch
    with pytest.raises(errors.ArgumentError, match=r"^programmatic_launch: expected True or False, got 1$"):
        plan.programmatic_launch = 1


def test_launches_are_programmatic_unless_told_otherwise(tmp_path: Path) -> None:
    waits = []
    for programmatic in (True, False):
        plan = cutl.op.Gemm(element="f16", config=SWAPPED, programmatic_launch=programmatic)
        plan.bundle(tmp_path / "x.cutlb")
        waits.append(b"griddepcontrol" in (tmp_path / "x.cutlb").read_bytes())
    assert waits == [True, False]



WRONG: list[tuple[dict[str, Any], str]] = [
    ({"sm_budget": 0}, r"^sm_budget: expected 1 to 2147483647 SMs, got 0; nearest legal value is 1$"),
    ({"sm_budget": -132}, r"^sm_budget: .* got -132; nearest legal value is 1$"),
    ({"sm_budget": 2**31}, r"^sm_budget: .* got 2147483648; nearest legal value is 2147483647$"),
    ({"sm_budget": 10**30}, r"^sm_budget: .* nearest legal value is 2147483647$"),
    ({"sm_budget": 2.0}, r"^sm_budget: expected a number of SMs or None, got 2\.0$"),
    ({"sm_budget": True}, r"^sm_budget: expected a number of SMs or None, got True$"),
    ({"sm_budget": "all"}, r"^sm_budget: expected a number of SMs or None, got 'all'$"),
    ({"deterministic": None}, r"^deterministic: expected True or False, got None$"),
    ({"batch_invariant": 1}, r"^batch_invariant: expected True or False, got 1$"),
]


@pytest.mark.parametrize("given,message", WRONG, ids=lambda value: str(value)[:40])
def test_wrong_values(given: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.ArgumentError, match=message):
        cutl.op.Gemm(**given)
    plan = cutl.op.Gemm(element="f16", sm_budget=3)
    before = plan.ir()
    for name, value in given.items():
        with pytest.raises(errors.ArgumentError, match=message):
            setattr(plan, name, value)
    assert plan.ir() == before


def test_any_order_is_not_batch_invariant() -> None:
    message = r"^batch_invariant: expected False since deterministic is False, got True; sums in any order"
    with pytest.raises(errors.ArgumentError, match=message):
        cutl.op.Gemm(batch_invariant=True, deterministic=False)
    plan = cutl.op.Gemm(element="f16", batch_invariant=True)
    with pytest.raises(errors.ArgumentError, match=message):
        plan.deterministic = False
    assert plan.deterministic
    plan.batch_invariant = False
    plan.deterministic = False
    with pytest.raises(errors.ArgumentError, match=message):
        plan.batch_invariant = True
    assert not plan.batch_invariant


def test_the_choice_heeds_them() -> None:
    """Few rows are multiplied with swapped operands, unless the order of sums may not depend on the rows."""
    shape = (16, 4096, 4096)
    free = cutl.op.Gemm(element="bf16", layout_B=cutl.LayoutType.ColumnMajor)
    assert "swap_operands" in free.ir("configured", shape=shape)
    free.batch_invariant = True
    assert "swap_operands" not in free.ir("configured", shape=shape)
    assert ", batch invariant; runner-up" in free.explain(shape=shape)
    for m in MANY_ROWS:
        for ranked in free.configs(shape=(m, 2048, 2048)):
            assert "swap_operands" not in ranked.config and ", 64], " in ranked.config
    few = cutl.op.Gemm(element="bf16", sm_budget=33)
    assert ", on at most 33 SMs; runner-up" in few.explain(shape=(4096, 4096, 4096))
    whole = cutl.op.Gemm(element="bf16").configs(shape=(4096, 4096, 4096))
    assert few.configs(shape=(4096, 4096, 4096))[0].predicted_us > 3 * whole[0].predicted_us


def test_more_sms_than_a_chip_has() -> None:
    message = r"expected sm_budget to be 1 to 132 on sm_90a, got 133; nearest legal value is 132"
    plan = cutl.op.Gemm(element="f16", sm_budget=133)
    for call in (plan.explain, plan.configs, lambda: plan.ir("configured"), lambda: plan.compile("cuda")):
        with pytest.raises(errors.CompileError, match=message):
            call()
    plan.sm_budget = 132
    assert plan.explain().startswith("chose ")


def test_configurations_that_break_them() -> None:
    plan = cutl.op.Gemm(element="f16", device="cuda", config=SWAPPED)
    with pytest.raises(errors.ConfigError, match=r"^config: .*\(batch_invariant\): .*got swap_operands = true"):
        plan.batch_invariant = True
    assert not plan.batch_invariant and plan.config == SWAPPED
    plan.config = ""
    plan.batch_invariant = True
    with pytest.raises(errors.ConfigError, match=r"\(batch_invariant\): .*nearest legal value is false"):
        plan.config = SWAPPED
    plan.config = CLUSTERED
    with pytest.raises(errors.ConfigError, match=r"\(sm_budget\): .*got 2x1 = 2; nearest legal cluster is 1x1"):
        plan.sm_budget = 1
    assert plan.sm_budget is None and plan.config == CLUSTERED
    plan.sm_budget = 2
    # On the CPU there is nothing that a configuration could break.
    cutl.op.Gemm(element="f16", device="cpu", config=SWAPPED).batch_invariant = True


@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
def test_rows_on_the_cpu(rng: np.random.Generator, dtype: np.dtype) -> None:
    a, b = rng.standard_normal((257, 130)).astype(dtype), rng.standard_normal((130, 70)).astype(dtype)
    plan = cutl.op.Gemm(device="cpu", batch_invariant=True, sm_budget=1)
    whole = np.full((257, 70), np.nan, dtype)
    plan.run(a, b, None, whole)
    assert_close(whole, *reference(a, b))
    for start, m in ((0, 1), (5, 2), (17, 17), (100, 33), (129, 128)):
        d = np.full((m, 70), np.nan, dtype)
        plan.run(a[start : start + m], b, None, d)
        assert np.array_equal(d, whole[start : start + m]), m


def test_traced_epilogues_have_them() -> None:
    def gated(accum: Any, scale: Any) -> Any:
        D = accum * scale  # noqa: N806
        row_max = cutl.epilogue.max(D, dim=1)
        return D, row_max

    d = np.ones((64, 64), F16)
    plan = cutl.op.Gemm(element="f16", batch_invariant=True, sm_budget=5)
    examples = {"accum": d, "scale": 1.0, "D": d, "row_max": np.ones(64, F32)}
    plan.epilogue_visitor = cutl.epilogue.trace(gated, examples)
    assert " execution(batch_invariant, sm_budget = 5) {" in plan.ir()


def test_the_last_run_on_the_cpu_is_described_as_set() -> None:
    a = np.ones((64, 64), F16)
    plan = cutl.op.Gemm(device="cpu")
    plan.run(a, a, None, np.empty_like(a))
    assert "xf16" in plan.ir() and plan.explain() and plan.configs()
    for name, value, shown in (
        ("sm_budget", 7, "execution(sm_budget = 7)"),
        ("batch_invariant", True, "execution(batch_invariant, sm_budget = 7)"),
        ("schedule", "#cutl.data_parallel", "schedule(#cutl.data_parallel)"),
    ):
        setattr(plan, name, value)
        assert "xf16" in plan.ir() and shown in plan.ir("configured")
        assert plan.explain() and plan.configs() and plan.device == "cpu"


#
# On a driver that computes nothing
#


def test_grids_fit_the_budget(driver: FakeDriver, torch: FakeTorch) -> None:
    operands = product(torch, 4096, 4096, 128)
    plan = cutl.op.Gemm()
    plan.run(*abd(operands))
    whole = driver.get("grid")
    assert 66 < whole <= 132
    for budget in (1, 2, 7, 131):
        plan.sm_budget = budget
        for _ in range(2):
            plan.run(*abd(operands))
            assert driver.get("grid") == budget
        assert f"sm_budget = {budget}" in plan.ir()
    # No more than there is to do.
    plan.run(*abd(product(torch, 64, 64, 64)))
    assert driver.get("grid") < 131
    plan.sm_budget = None
    plan.run(*abd(operands))
    assert driver.get("grid") == whole
    # Whole clusters.
    clustered = cutl.op.Gemm(config=CLUSTERED, sm_budget=7)
    clustered.run(*abd(operands))
    assert (driver.get("grid"), driver.get("cluster")) == (6, 2)
    arrays = [np.ones(shape, F16) for shape in ((512, 64), (64, 512), (512, 512))]
    cutl.op.Gemm(device="cuda", sm_budget=3).run(arrays[0], arrays[1], None, arrays[2])
    assert driver.get("grid") == 3


def test_kernels_are_shared_by_equal_demands(driver: FakeDriver, torch: FakeTorch) -> None:
    operands = product(torch, 512, 512, 64)
    config = "#cutl.tile_config<cta = [64, 128, 64], stages = 3, kernel = single>"
    kernels, loads = _compiler.gpu_kernels(), driver.get("loads")
    for budget, known in ((None, 1), (5, 2), (None, 2), (5, 2), (6, 3)):
        cutl.op.Gemm(config=config, sm_budget=budget).run(*abd(operands))
        assert _compiler.gpu_kernels() == kernels + known and driver.get("loads") == loads + known
    plan = cutl.op.Gemm(config=config)
    for budget in (5, None, 6):
        plan.sm_budget = budget
        plan.run(*abd(operands))
    assert _compiler.gpu_kernels() == kernels + 3


def test_refusals_on_a_gpu(driver: FakeDriver, torch: FakeTorch) -> None:
    operands = product(torch)
    for options, message in (
        ({"sm_budget": 1000}, r"\(sm_budget\): expected sm_budget to be 1 to 132 on sm_90a, got 1000"),
        ({"sm_budget": 1, "config": CLUSTERED}, r"\(sm_budget\): .*nearest legal cluster is 1x1"),
        ({"batch_invariant": True, "config": SWAPPED}, r"\(batch_invariant\): .*nearest legal value is false"),
    ):
        with pytest.raises(errors.DeviceError, match=message):
            cutl.op.Gemm(**options).run(*abd(operands))
