"""Plans on a GPU as far as it can be tested without one: on a driver that computes nothing, which leaves 0xff in memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import BF16, F16, F32
from fake_device import FakeDriver, FakeTorch, Tensor, abd, make_capsule, product

import cutl
from cutl import _compiler, _gpu, errors


#
# Tensors
#


def test_tensors_run_in_place(driver: FakeDriver, torch: FakeTorch) -> None:
    a, b, d = product(torch)
    plan = cutl.op.Gemm()
    launches, loads = driver.get("launches"), driver.get("loads")
    copies = driver.get("copiesIn"), driver.get("copiesOut")
    assert plan.run(a, b, None, d) is d
    assert plan.device == "cuda"
    assert driver.get("launches") == launches + 1 and driver.get("loads") == loads + 1
    assert (driver.get("copiesIn"), driver.get("copiesOut")) == copies
    for _ in range(3):
        assert plan.run(a, b, None, d) is d
    assert driver.get("launches") == launches + 4 and driver.get("loads") == loads + 1


def test_a_configuration_can_be_set(driver: FakeDriver, torch: FakeTorch) -> None:
    a, b, d = product(torch)
    plan = cutl.op.Gemm()
    plan.run(a, b, None, d)
    chosen, loads = plan.config, driver.get("loads")
    other = "#cutl.tile_config<cta = [64, 128, 64], stages = 5, kernel = single>"
    assert chosen != other
    plan.config = other
    assert plan.config == other
    plan.run(a, b, None, d)
    assert driver.get("loads") == loads + 1 and "wgmma.mma_async.sync.aligned.m64n128k16" in plan.ptx
    plan.run(a, b, None, d)
    plan.config = ""
    plan.run(a, b, None, d)
    assert plan.config == chosen and driver.get("loads") == loads + 1, "both kernels are known"


def test_configurations_are_listed(driver: FakeDriver, torch: FakeTorch) -> None:
    a, b, d = product(torch, 4096, 4096, 1024)
    plan = cutl.op.Gemm()
    plan.run(a, b, None, d)
    listed = plan.configs()
    assert listed[0].config == plan.config and len(listed) == len({ranked.config for ranked in listed})
    assert all(0 < ranked.predicted_us < 1e6 for ranked in listed)
    plan.config = listed[-1].config
    plan.run(a, b, None, d)
    assert plan.config == listed[-1].config
    # What is chosen from does not depend on what was set, and sizes can be others than those of the run.
    assert plan.configs() == listed and plan.configs(shape=(64, 4096, 4096)) != listed
    declared = cutl.op.Gemm(element="bf16", layout_A=cutl.LayoutType.RowMajor)
    assert declared.configs(shape=(4096, 4096, 1024))
    with pytest.raises(errors.ArgumentError, match="^chip: "):
        declared.configs(chip="sm_10")


def test_the_last_run_is_drawn(driver: FakeDriver, torch: FakeTorch) -> None:
    a, b, d = product(torch, 512, 256, 128)
    plan = cutl.op.Gemm()
    plan.run(a, b, None, d)
    assert ">512x256x128 " in plan.draw_schedule()
    assert ">64x64x64 " in plan.draw_schedule(shape=(64, 64, 64))
    plan.config = "#cutl.tile_config<cta = [64, 128, 64], stages = 5, kernel = single>"
    assert ">64x128x64 single, 5 stages: 16 tiles of 2 k iterations<" in plan.draw_schedule()


def test_what_is_set_after_a_run_is_shown_and_bundled(driver: FakeDriver, torch: FakeTorch, tmp_path: Path) -> None:
    a, b, d = product(torch, 512, 256, 128)
    plan = cutl.op.Gemm()
    plan.run(a, b, None, d)
    config = "#cutl.tile_config<cta = [64, 128, 64], stages = 5, kernel = single>"
    assert config != plan.config and f"config({plan.config})" in plan.ir("configured")
    plan.config = config
    assert f"config({config})" in plan.ir("configured")
    plan.bundle(tmp_path / "one")
    plan.activation = "relu"
    assert "cutl.relu" in plan.ir("configured")
    plan.bundle(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() != (tmp_path / "two").read_bytes()


def test_the_last_run_is_described_as_set(driver: FakeDriver, torch: FakeTorch, tmp_path: Path) -> None:
    """Nothing is declared, so that its types, strides and sizes are known of the run alone."""
    a, b, d = product(torch, 512, 256, 4096)
    split_k, any_order = "#cutl.split_k<4, reduction = last_arriver>", "#cutl.split_k<4, reduction = arrival_order>"
    settings = [
        ("schedule", split_k, f"schedule({split_k})"),
        ("deterministic", False, "execution(deterministic = false)"),
        ("schedule", any_order, f"schedule({any_order})"),
        ("schedule", "", "execution(deterministic = false)"),
        ("deterministic", True, "schedule(#cutl."),
        ("batch_invariant", True, "execution(batch_invariant)"),
        ("sm_budget", 2, "execution(batch_invariant, sm_budget = 2)"),
        ("programmatic_launch", False, "schedule(#cutl."),
        ("config", "#cutl.tile_config<cta = [64, 128, 64], stages = 5, kernel = single>", "[64, 128, 64], stages = 5"),
        ("config", "", "schedule(#cutl."),
        ("activation", "relu", "cutl.relu"),
        ("alpha", 0.5, "arith.mulf"),
    ]
    plan = cutl.op.Gemm()
    plan.run(a, b, None, d)
    for name, value, shown in settings:
        setattr(plan, name, value)
        assert plan.device == "cuda"

        def described() -> list[Any]:
            plan.bundle(tmp_path / "bundle")
            texts = [plan.ir(), plan.ir("configured"), plan.ptx, plan.explain(), plan.draw_schedule()]
            return [*texts, plan.configs(), (tmp_path / "bundle").read_bytes()]

        before = described()
        assert shown in before[1], (name, value)
        plan.run(a, b, None, d)
        assert described() == before, (name, value)
        assert ">512x256x4096 " in before[4]


def test_a_factor_of_the_last_run_is_kept(driver: FakeDriver, torch: FakeTorch) -> None:
    a, b, d = product(torch, 512, 256, 128)
    plan = cutl.op.Gemm()
    for alpha in (1.0, 0.5):
        plan.run(a, b, None, d, alpha=alpha)
        plan.schedule = "#cutl.stream_k" if alpha == 1.0 else ""
        assert ("arith.mulf" in plan.ir()) == (alpha != 1.0)


def test_a_repeated_call_is_the_last_run(driver: FakeDriver, torch: FakeTorch) -> None:
    small, large = product(torch, 64, 64, 64), product(torch, 4096, 4096, 1024)
    plan = cutl.op.Gemm()
    described = []
    for a, b, d in (small, large, small, large):
        plan.run(a, b, None, d)
        described.append((plan.config, plan.ir(), plan.configs()[0]))
    assert described[0] != described[1]
    assert described[2:] == described[:2]

    def relu(accum: Any) -> Any:
        D = cutl.epilogue.relu(accum)
        return D

    zeros = np.zeros((16, 16), np.float16)
    plan.epilogue_visitor = cutl.epilogue.trace(relu, {"accum": zeros, "D": zeros})
    visited = []
    for a, b, d in (small, large, small, large):
        plan.run(a, b, visitor_args={"D": d})
        visited.append((plan.config, plan.ir(), plan.configs()[0]))
    assert visited[0] != visited[1]
    assert visited[2:] == visited[:2]


def test_a_known_call_is_cheap(driver: FakeDriver, torch: FakeTorch) -> None:
    a, b, d = product(torch)
    plan = cutl.op.Gemm()
    plan.run(a, b, None, d)
    best = 1.0
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(200):
            plan.run(a, b, None, d)
        best = min(best, (time.perf_counter() - start) / 200)
    print(f"plan.run on known tensors: {best * 1e6:.1f} us on a driver that does nothing")
    assert best < 20e-6


def test_what_a_call_depends_on(driver: FakeDriver, torch: FakeTorch) -> None:
    plan = cutl.op.Gemm()
    a, b, d = product(torch)
    c, bias = torch.tensor((256, 512)), torch.tensor((512,), torch.float32)
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((a, b, None, d), {}),
        ((a, b, None, d), {"bias": bias}),
        ((a, b, None, d), {"alpha": 0.5}),
        ((a, b, c, d), {"beta": 1}),
        ((a, b, d, d), {"alpha": 2.0, "beta": 0.25}),
        ((a, b.t().t(), None, d), {}),
        ((a, torch.tensor((512, 128)).t(), None, d), {}),
        (tuple((*product(torch, 64, 64, 64)[:2], None, torch.tensor((64, 64)))), {}),
    ]
    for arguments, options in calls:
        plan.run(*arguments, **options)
    known = len(plan._runner.cache)
    # One is the same as the first.
    assert known == len(calls) - 1
    launches, asked = driver.get("launches"), torch.asked
    for arguments, options in calls:
        plan.run(*arguments, **options)
    assert len(plan._runner.cache) == known
    assert driver.get("launches") == launches + len(calls)
    assert torch.asked == asked + len(calls), "each asks for the stream once"


def test_sizes_share_code(driver: FakeDriver, torch: FakeTorch) -> None:
    plan = cutl.op.Gemm(config="#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>")
    plan.run(*abd(product(torch, 8, 8, 8)))
    kernels, loads = _compiler.gpu_kernels(), driver.get("loads")
    for size in (16, 256, 1000):
        plan.run(*abd(product(torch, size, size, size)))
    other = cutl.op.Gemm(config=plan.config)
    other.run(*abd(product(torch, 64, 64, 64)))
    assert _compiler.gpu_kernels() == kernels and driver.get("loads") == loads


def test_pitches_count(driver: FakeDriver, torch: FakeTorch) -> None:
    """Rows that straddle cache lines load slowly, so that CTAs share them."""
    plan = cutl.op.Gemm()
    for k, shares in ((1400, True), (1408, False)):
        a, d = torch.tensor((3832, k)), torch.tensor((3832, 2520))
        plan.run(a, torch.tensor((2520, k)).t(), None, d)
        assert ("cluster = " in plan.config) == shares, (k, plan.config)


def test_streams(driver: FakeDriver, torch: FakeTorch) -> None:
    a, b, d = product(torch)
    plan = cutl.op.Gemm()
    own = _gpu.get(0).device.create_stream()
    for _ in range(2):
        torch.current = 0
        plan.run(a, b, None, d)
        assert driver.get("stream") == 0
        torch.current = own
        plan.run(a, b, None, d)
        assert driver.get("stream") == own
        torch.current = 0
        plan.run(a, b, None, d, stream=own)
        assert driver.get("stream") == own

    class Stream:
        cuda_stream = own

    class Protocol:
        def __cuda_stream__(self) -> tuple[int, int]:
            return (0, own)

    for stream in (Stream(), Protocol()):
        plan.run(a, b, None, d, stream=0)
        plan.run(a, b, None, d, stream=stream)
        assert driver.get("stream") == own
    foreign = _gpu.get(1).stream
    for attempt in (plan, cutl.op.Gemm()):
        with pytest.raises(errors.DeviceError, match="^stream: expected a stream of .*pass a stream of the device"):
            attempt.run(a, b, None, d, stream=foreign)
    for wrong in ("x", -1, True, 1.5):
        with pytest.raises(errors.ArgumentError, match="^stream: expected a CUDA stream"):
            plan.run(a, b, None, d, stream=wrong)
    with pytest.raises(errors.ArgumentError, match="^stream: expected none since the arrays are not on a GPU"):
        plan.run(*(np.ones((2, 2), F16),) * 2, None, np.ones((2, 2), F16), stream=own)


def test_second_device(driver: FakeDriver, torch: FakeTorch) -> None:
    plan = cutl.op.Gemm()
    loads = driver.get("loads")
    for device in (1, 0, 1):
        plan.run(*abd(product(torch, device=device)))
    assert driver.get("loads") == loads + 2, "one for each device's context"


def test_overlap(driver: FakeDriver, torch: FakeTorch) -> None:
    a, b, d = product(torch, 64, 64, 64)
    plan = cutl.op.Gemm()
    plan.run(a, b, None, d)
    launches = driver.get("launches")
    onto_a = Tensor(a.data_ptr() + 128, (64, 64), a.dtype)
    with pytest.raises(errors.AliasError, match="^D: expected to share no memory with A"):
        plan.run(a, b, None, onto_a)
    with pytest.raises(errors.AliasError, match="^D: expected to be C itself or to share no memory"):
        plan.run(a, b, Tensor(d.data_ptr() + 128, (64, 64), d.dtype), d, beta=1.0)
    with pytest.raises(errors.AliasError, match="^D: expected every index to have an element of its own"):
        plan.run(a, b, None, Tensor(d.data_ptr(), (64, 64), d.dtype, (1, 1)))
    assert driver.get("launches") == launches
    # Rows of both in turn: bounds overlap, elements do not.
    base = torch.tensor((64, 256))
    left, right = (Tensor(base.data_ptr() + o, (64, 64), base.dtype, (256, 1)) for o in (0, 256))
    for _ in range(2):
        plan.run(left, b, None, right)
    assert driver.get("launches") == launches + 2


def test_setters_start_anew(driver: FakeDriver, torch: FakeTorch) -> None:
    a, b, d = product(torch)
    plan = cutl.op.Gemm(a, b, None, d)
    plan.run()
    kernels = _compiler.gpu_kernels()
    plan.run()
    plan.activation = ("leaky_relu", 0.375)
    plan.run()
    assert "3.75" in plan.ir("raw")
    plan.alpha = 0.5
    plan.run()
    assert _compiler.gpu_kernels() == kernels + 2


class Interface:
    """An array that only has an interface."""

    def __init__(self, tensor: Tensor, stream: Any = None, **changes: Any) -> None:
        item = {"float16": 2, "float32": 4}[tensor.dtype.name]
        self.__cuda_array_interface__ = {
            "shape": tensor.shape,
            "typestr": f"<f{item}",
            "data": (tensor.data_ptr(), False),
            "strides": tuple(s * item for s in tensor.stride()),
            "version": 3,
            "stream": stream,
            **changes,
        }


def test_cuda_array_interface(driver: FakeDriver, torch: FakeTorch) -> None:
    own = _gpu.get(0).device.create_stream()
    a, b, d = (Interface(t, own) for t in product(torch))
    plan = cutl.op.Gemm()
    launches = driver.get("launches")
    for _ in range(2):
        assert plan.run(a, b, None, d) is d
        assert driver.get("stream") == own
    assert driver.get("launches") == launches + 2
    tight = Interface(product(torch)[0], strides=None)
    plan.run(tight, b, None, d)
    assert driver.get("stream") == own
    for change, error, message in (
        ({"mask": object()}, errors.DTypeError, "^A: expected an array without a mask"),
        ({"typestr": "<c8"}, errors.DTypeError, "^A: expected an element type .* got <c8"),
        ({"shape": None}, errors.ArgumentError, "^A: expected a valid __cuda_array_interface__"),
    ):
        with pytest.raises(error, match=message):
            plan.run(Interface(product(torch)[0], **change), b, None, d)


class Dlpack:
    """An array that only DLPack passes on."""

    KINDS = {"float16": 2, "bfloat16": 4, "float32": 2, "complex64": 5}

    def __init__(self, tensor: Tensor, device_kind: int = 2) -> None:
        self.tensor, self.device_kind = tensor, device_kind

    def __dlpack_device__(self) -> tuple[int, int]:
        return (self.device_kind, self.tensor.get_device())

    def __dlpack__(self, **_: Any) -> object:
        return make_capsule(self.tensor, self.KINDS[self.tensor.dtype.name], self.device_kind)


def test_dlpack(driver: FakeDriver, torch: FakeTorch) -> None:
    plan = cutl.op.Gemm()
    launches = driver.get("launches")
    for dtype in (torch.float16, torch.bfloat16):
        a, b, d = (Dlpack(t) for t in product(torch, dtype=dtype))
        assert plan.run(a, b, None, d) is d
        assert plan.device == "cuda" and driver.get("stream") == 0
    assert driver.get("launches") == launches + 2
    assert plan.ir("raw").count("bf16") > 3
    strided = Dlpack(torch.tensor((512, 128), torch.bfloat16).t())
    plan.run(a, strided, None, d)
    assert "(n, k)" in plan.ir("raw")
    with pytest.raises(
        errors.DTypeError, match="^A: expected an element type that cutl has, got DLPack's kind 5 of 64 bits"
    ):
        plan.run(Dlpack(torch.tensor((256, 128), torch.complex64)), b, None, d)
    with pytest.raises(errors.DTypeError, match="^A: expected a numpy.ndarray, got Dlpack"):
        plan.run(Dlpack(product(torch)[0], device_kind=1), b, None, d)
    with pytest.raises(errors.DeviceError, match="^B: .* got A on cuda:0 and B on cuda:1"):
        plan.run(a, Dlpack(product(torch, dtype=torch.bfloat16, device=1)[1]), None, d)


#
# NumPy arrays
#


def left_alone(whole: np.ndarray, inner: np.ndarray) -> bool:
    inner[...] = 7
    return bool((whole == 7).all())


@pytest.mark.parametrize("shape", [(64, 64, 64), (33, 17, 9), (1, 1, 1), (4, 4, 0)], ids=str)
def test_arrays_are_copied(driver: FakeDriver, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    plan = cutl.op.Gemm(device="cuda")
    whole = np.full((m + 2, n + 3), 7, F16)
    for d in (np.full((m, n), 7, F16), whole[1 : m + 1, 1 : n + 1], np.full((n, m), 7, F16).T):
        before = driver.get("copiesIn"), driver.get("copiesOut"), driver.get("launches")
        assert plan.run(np.ones((m, k), F16), np.ones((n, k), F16).T, None, d) is d
        assert plan.device == "cuda"
        after = driver.get("copiesIn"), driver.get("copiesOut"), driver.get("launches")
        assert [y - x for x, y in zip(before, after)] == [2 if k else 0, 1, 1]
        # What the driver leaves in memory that nothing writes.
        assert (d.view(np.uint16) == 0xFFFF).all()
    assert left_alone(whole, whole[1 : m + 1, 1 : n + 1])


def test_what_the_gpu_gets(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows padded so that TMA can read them, whatever the array's own strides."""
    from cutl import _device_memory

    copies: list[Any] = []
    fill = _device_memory.HostCopy.fill

    def recorded(self: Any) -> None:
        fill(self)
        copies.append(
            (
                self.sizes,
                self.strides,
                np.ctypeslib.as_array(
                    (np.ctypeslib.ctypes.c_uint16 * (self.bytes // 2)).from_address(self.address)
                ).copy(),
            )
        )

    monkeypatch.setattr(_device_memory.HostCopy, "fill", recorded)
    a = np.arange(15, dtype=F16).reshape(3, 5)
    b = np.arange(100, dtype=F16).reshape(10, 10)[::2, ::-3]
    d = np.empty((3, b.shape[1]), F16)
    cutl.op.Gemm(device="cuda").run(a, b, None, d)
    for array, (sizes, strides, memory) in zip((a, b), copies):
        got = np.lib.stride_tricks.as_strided(memory.view(F16), sizes, [2 * s for s in strides])
        assert strides[-1] == 1 and strides[0] % 8 == 0
        assert np.array_equal(got, array) or np.array_equal(got, array.T)


def test_empty_results_launch_nothing(driver: FakeDriver) -> None:
    launches = driver.get("launches")
    d = np.empty((0, 4), F16)
    assert cutl.op.Gemm(device="cuda").run(np.ones((0, 3), F16), np.ones((3, 4), F16), None, d) is d
    assert driver.get("launches") == launches


def test_bias_and_c(driver: FakeDriver) -> None:
    plan = cutl.op.Gemm(device="cuda")
    plan.activation = "relu"
    d = np.ones((8, 16), F32)
    before = driver.get("copiesIn")
    plan.run(np.ones((8, 8), BF16), np.ones((8, 16), BF16), d, d, 0.5, 2.0, np.ones(16, F32))
    assert driver.get("copiesIn") == before + 4
    assert "cutl.linear_combination" in plan.ir() and "cutl.relu" in plan.ir()
    assert plan.config.startswith("#cutl.tile_config<")


def test_memory_is_kept_and_given_back(driver: FakeDriver) -> None:
    plan = cutl.op.Gemm(device="cuda")
    a, d = np.ones((64, 64), F16), np.ones((64, 64), F16)
    plan.run(a, a, None, d)
    allocations, frees = driver.get("allocations"), driver.get("frees")
    plan.run(a, a, None, d)
    assert driver.get("allocations") == allocations
    del plan
    assert driver.get("frees") == frees + 3


#
# Compiling ahead
#


def test_compile_only_needs_no_gpu(no_gpu: None, tmp_path: Path) -> None:
    plan = cutl.op.Gemm(element="bf16")
    plan.activation = "gelu"
    plan.compile("cuda", shape=(4096, 4096, 4096))
    ptx = plan.ptx
    assert ".visible .entry" in ptx and ".target sm_90a" in ptx and ".extern .func" not in ptx
    for stage, text in (
        ("tiled", "cutl_tile."),
        ("staged", "cutl_tile."),
        ("nvvm", "nvvm."),
        ("llvm", "define "),
        ("ptx", ".version"),
    ):
        assert text in plan.ir(stage), stage
    plan.bundle(tmp_path / "gemm.cutlb", shape=(4096, 4096, 4096))
    from cutl import _cutl

    (entry,) = _cutl.load_bundle((tmp_path / "gemm.cutlb").read_bytes()).entries()
    assert [operand[0] for operand in entry[1]] == ["A", "B", "D"] and entry[2] == ()
    with pytest.raises(errors.ArgumentError, match="^chip: expected one of .*sm_90a.* got 'sm_1'"):
        plan.bundle(tmp_path / "x.cutlb", chip="sm_1")
    with pytest.raises(errors.CompileError):
        cutl.op.Gemm(element="f64").bundle(tmp_path / "x.cutlb")
    assert not (tmp_path / "x.cutlb").exists()
    with pytest.raises(errors.ArgumentError, match="^stage: expected one of raw, .*, got 'cubin'"):
        plan.ir("cubin")
    with pytest.raises(errors.CompileError, match="for device cpu, got 'ptx'"):
        plan.ir("ptx", device="cpu")


def test_a_run_uses_what_was_compiled(driver: FakeDriver, torch: FakeTorch) -> None:
    plan = cutl.op.Gemm(element="f16")
    plan.activation = ("leaky_relu", 0.3)
    plan.compile("cuda", shape=(256, 512, 128))
    kernels = _compiler.gpu_kernels()
    plan.run(*abd(product(torch)))
    assert _compiler.gpu_kernels() == kernels
    assert ".visible .entry" in plan.ptx


def test_fork(library: Path) -> None:
    """A child starts anew: what its parent opened is not touched."""
    code = """
import os, numpy as np, cutl
a = np.ones((64, 64), np.float16)
d = np.empty_like(a)
plan = cutl.op.Gemm(device="cuda")
plan.run(a, a, None, d)
child = os.fork()
if child == 0:
    d[:] = 0
    cutl.op.Gemm(device="cuda").run(a, a, None, d)
    os._exit(0 if (d.view(np.uint16) == 0xffff).all() else 1)
assert os.waitpid(child, 0)[1] == 0
plan.run(a, a, None, d)
"""
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, _gpu.DRIVER_VARIABLE: str(library)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0 and result.stderr == "", result.stderr
