"""Which device a plan takes, and what is refused, on a driver that stands in."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import numpy as np
import pytest
from conftest import F16, F32, assert_close, reference
from fake_device import FakeDriver, FakeTorch, abd, product

import cutl
from cutl import errors


#
# Which device
#


def test_auto_without_a_driver_is_silent(no_gpu: None) -> None:
    a, d = np.ones((4, 4), F16), np.empty((4, 4), F16)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan = cutl.op.Gemm()
        assert plan.device == "cpu"
        plan.run(a, a, None, d)
    assert plan.device == "cpu" and (d == 4).all()


def test_auto_takes_the_gpu(driver: FakeDriver) -> None:
    a, d = np.ones((4, 4), F16), np.empty((4, 4), F16)
    plan = cutl.op.Gemm()
    assert plan.device == "cuda"
    plan.run(a, a, None, d)
    assert plan.device == "cuda" and (d.view(np.uint16) == 0xFFFF).all()


def test_auto_says_why_not(driver: FakeDriver) -> None:
    rng = np.random.default_rng(3)
    a = rng.standard_normal((8, 8)).astype(F32)
    d = np.empty_like(a)
    plan = cutl.op.Gemm()
    with pytest.warns(
        errors.DeviceWarning, match=r"^running on the CPU since cuda:0 \(Fake 0, sm_90a\) cannot .*f32"
    ) as caught:
        plan.run(a, a, None, d)
    assert caught[0].filename == __file__
    assert plan.device == "cpu"
    assert_close(d, *reference(a, a))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan.run(a, a, None, d)


def test_auto_with_a_driver_that_fails(driver: FakeDriver) -> None:
    driver.set("driverVersion", 11080)
    a, d = np.ones((4, 4), F16), np.empty((4, 4), F16)
    with pytest.warns(
        errors.DeviceWarning, match="^running on the CPU: expected a driver for CUDA 12.0 or later, got one for 11.8"
    ):
        cutl.op.Gemm().run(a, a, None, d)
    assert (d == 4).all()


def run_numpy(device: str = "cuda", dtype: Any = F16) -> None:
    a = np.ones((64, 64), dtype)
    cutl.op.Gemm(device=device).run(a, a, None, np.empty_like(a))


def test_no_driver(no_gpu: None) -> None:
    for _ in range(2):
        with pytest.raises(
            errors.DriverError, match="cannot open the CUDA driver; install NVIDIA's driver, or run on the CPU"
        ):
            run_numpy()


@pytest.mark.parametrize(
    "changes,error,message",
    [
        (
            {"driverVersion": 11080},
            errors.DriverError,
            "got one for 11.8; update NVIDIA's driver, or pass device='cpu'",
        ),
        ({"deviceCount": 0}, errors.DriverError, "shows no device; see nvidia-smi .* or pass device='cpu'"),
        ({"initResult": 100}, errors.DriverError, "shows no device"),
        ({"initResult": 999}, errors.DeviceError, r"cannot initialise the CUDA driver: .* \(999\)"),
        (
            {"memoryBytes": 10000},
            errors.DeviceMemoryError,
            # What earlier tests still hold takes some of it.
            r"out of memory on device 0: expected 8192 free bytes, got \d+ of 10000",
        ),
        (
            {"loadResult": 222},
            errors.DeviceError,
            "expected a driver that knows its PTX version.*update NVIDIA's driver",
        ),
        ({"loadResult": 218}, errors.DeviceError, "cannot load image"),
        ({"launchResult": 719}, errors.DeviceError, r"cannot put step 0 .* \(719\)"),
        ({"major": 8}, errors.DeviceError, r"^cuda:0 \(Fake 0, sm_80\) cannot run the plan: .*; or pass device='cpu'"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_faults_of_the_device(driver: FakeDriver, changes: dict[str, int], error: type, message: str) -> None:
    for name, value in changes.items():
        driver.set(name, value)
    held = driver.get("allocations") - driver.get("frees")
    with pytest.raises(error, match=message):
        run_numpy()
    gc.collect()
    assert driver.get("allocations") - driver.get("frees") == held, "nothing leaks"
    for name, value in FakeDriver.DEFAULTS.items():
        driver.set(name, value)


def test_it_works_after_a_fault(driver: FakeDriver) -> None:
    plan = cutl.op.Gemm(device="cuda")
    a, d = np.ones((64, 64), F16), np.empty((64, 64), F16)
    driver.set("memoryBytes", 10000)
    with pytest.raises(errors.DeviceMemoryError):
        plan.run(a, a, None, d)
    driver.set("memoryBytes", 0)
    plan.run(a, a, None, d)


def wrong_tensors(torch: FakeTorch) -> list[tuple[str, Any, type, str]]:
    a, b, d = product(torch)
    cpu, far = torch.tensor((128, 512), device=-1), torch.tensor((128, 512), device=1)
    return [
        (
            "cpu tensor",
            (a, cpu, None, d),
            errors.DeviceError,
            r"^B: expected a CUDA tensor .* tensor on cpu; B\.cuda\(\)",
        ),
        ("array", (a, np.ones((128, 512), F16), None, d), errors.DeviceError, "A on cuda:0 and B a NumPy array; move"),
        ("two devices", (a, far, None, d), errors.DeviceError, "^B: .* got A on cuda:0 and B on cuda:1; move them"),
        (
            "type",
            (torch.tensor((256, 128), torch.complex64), b, None, d),
            errors.DTypeError,
            "^A: .* got torch.complex64",
        ),
        (
            "f64",
            tuple(abd(product(torch, dtype=torch.float64))),
            errors.DeviceError,
            r"^cuda:0 \(Fake 0, sm_90a\) cannot run .*f64",
        ),
        ("shape", (a, b, None, torch.tensor((256, 511))), errors.ShapeError, r"^D: expected shape \(256, 512\)"),
        (
            "element",
            (torch.tensor((256, 128), offset=1), b, None, d),
            errors.LayoutError,
            "^A: expected elements aligned to 2 bytes",
        ),
        ("list", ([[1.0]], b, None, d), errors.DTypeError, r"^A: expected a numpy\.ndarray, got list"),
        ("nothing", (a, b, None, None), errors.MissingOperandError, "^D: expected an array"),
    ]


@pytest.mark.parametrize("known", [False, True], ids=["first", "known"])
@pytest.mark.parametrize("index", range(9))
def test_wrong_tensors(driver: FakeDriver, torch: FakeTorch, index: int, known: bool) -> None:
    name, arguments, error, message = wrong_tensors(torch)[index]
    plan = cutl.op.Gemm()
    if known:
        plan.run(*abd(product(torch)))
    launches = driver.get("launches")
    with pytest.raises(error, match=message):
        plan.run(*arguments)
    assert driver.get("launches") == launches, name


def test_no_wrong_tensor_is_left_out(torch: FakeTorch) -> None:
    assert len(wrong_tensors(torch)) == 9


def test_cpu_plans_refuse_tensors(driver: FakeDriver, torch: FakeTorch) -> None:
    a, b, d = product(torch)
    with pytest.raises(errors.DeviceError, match="^A: expected a NumPy array since the plan's device is 'cpu'"):
        cutl.op.Gemm(device="cpu").run(a, b, None, d)
    with pytest.raises(errors.DTypeError, match="^A: expected a numpy.ndarray, got Tensor"):
        cutl.op.Gemm(device="cpu").run(torch.tensor((256, 128), device=-1), b, None, d)


TOO_DEEP = "#cutl.tile_config<cta = [128, 256, 64], stages = 40, kernel = cooperative>"


def test_configurations_that_are_none(driver: FakeDriver, torch: FakeTorch) -> None:
    plan = cutl.op.Gemm()
    for config, message in (
        ("#cutl.data_parallel", "^config: .*expected a #cutl.tile_config for config, got #cutl.data_parallel"),
        ("nonsense", "^config: "),
        ("#cutl.tile_config<cta = [128, 256, 64]", "^config: "),
        (None, "^config: expected the text of a #cutl.tile_config, or '', got None"),
    ):
        for give in (lambda c: cutl.op.Gemm(config=c), lambda c: setattr(plan, "config", c)):
            with pytest.raises(errors.ConfigError, match=message):
                give(config)
    assert plan.config == "", "what was refused must not stay"
    plan.run(*abd(product(torch)))


def test_configurations_that_cannot_run(driver: FakeDriver, torch: FakeTorch) -> None:
    # Without element types it is the run that says so.
    with pytest.raises(errors.DeviceError, match="stages|shared memory"):
        cutl.op.Gemm(config=TOO_DEEP).run(*abd(product(torch)))
    with pytest.raises(errors.ConfigError, match="(?s)expected at most 232448 bytes of shared memory.*4 stages") as caught:
        cutl.op.Gemm(element="f16").config = TOO_DEEP
    notes = [d.message for d in caught.value.diagnostics if d.severity == "note"]
    assert notes and "nearest that can: #cutl.tile_config<cta = [128, 256, 64], stages = 4" in notes[0]
    # A plan for the CPU never uses it, and what a plan is made with may become legal by what is set after that.
    plan = cutl.op.Gemm(element="f16", device="cpu")
    plan.config = TOO_DEEP
    assert plan.config == cutl.op.Gemm(element="f16", config=TOO_DEEP).config == TOO_DEEP


def test_configurations_set_later(driver: FakeDriver, torch: FakeTorch) -> None:
    plan = cutl.op.Gemm()
    arguments = abd(product(torch))
    plan.run(*arguments)
    chosen = plan.config
    with pytest.raises(errors.ConfigError, match="shared memory"):
        plan.config = TOO_DEEP
    assert plan.config == chosen
