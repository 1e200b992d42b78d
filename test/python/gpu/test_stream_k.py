"""Units that share tiles, on a GPU: right, the same bits each time, whatever the workspace held and whoever else runs.

Without pytest: `python test/python/gpu/test_stream_k.py`. A kernel that waited for one that does not run would not end: a
watchdog kills the process then.
"""

from __future__ import annotations

import faulthandler
import math
import sys
from dataclasses import dataclass, replace
from typing import Any, Optional

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
from cutl import _compiler, _gpu  # noqa: E402

CHIP = "sm_90a"
BUDGETS = (1, 2, 7, 131, None)
SCHEDULES = ("#cutl.stream_k", "#cutl.stream_k<tiles = 1>", "#cutl.stream_k<tiles = 1000000>")
SECONDS = 120
GUARD = 4096

# One of each kind of kernel, the most accumulators, clusters, and swapped operands.
CONFIGS = (
    "#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>",
    "#cutl.tile_config<cta = [128, 200, 64], stages = 4, kernel = pingpong>",
    "#cutl.tile_config<cta = [128, 256, 64], stages = 4, kernel = cooperative>",
    "#cutl.tile_config<cta = [256, 128, 64], stages = 4, kernel = cooperative>",
    "#cutl.tile_config<cta = [64, 96, 128], stages = 4, kernel = single>",
    "#cutl.tile_config<cta = [64, 32, 128], stages = 6, kernel = single, swap_operands = true>",
    "#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative, cluster = [2, 1]>",
)
# A wave and a rest, fewer tiles than CTAs, one tile and a long k, no tile's width, and too little to divide.
SHAPES = ((2048, 1536, 1024), (512, 520, 4096), (64, 64, 16384), (1000, 1160, 520), (300, 264, 64), (130, 136, 0))

TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


@dataclass(frozen=True)
class Problem:
    config: str
    schedule: str
    element: str = "bf16"
    result: str = "f32"
    activation: str = "identity"
    has_c: bool = False
    has_bias: bool = False
    sm_budget: Optional[int] = None
    deterministic: bool = True

    def kernel(self) -> _compiler.GpuKernel:
        element, result = cutl.DataType[self.element], cutl.DataType[self.result]
        return _compiler.compile_gpu(
            _compiler.GemmSpec(
                a=_compiler.OperandSpec(element, "mk", True),
                b=_compiler.OperandSpec(element, "nk", True),
                c=_compiler.OperandSpec(result, "mn", True) if self.has_c else None,
                bias=_compiler.OperandSpec(cutl.DataType.f32, "n", True) if self.has_bias else None,
                d=_compiler.OperandSpec(result, "mn", True),
                accumulator=cutl.DataType.f32,
                activation=getattr(cutl.epilogue, self.activation),
                has_alpha=self.has_c,
                sm_budget=self.sm_budget,
                deterministic=self.deterministic,
                config=self.config,
                schedule=self.schedule,
            ),
            CHIP,
        )


class Run:
    """A kernel with its arrays and a workspace that the tests fill and look at."""

    def __init__(self, problem: Problem, shape: tuple[int, int, int], pad: int = 0) -> None:
        m, n, k = shape
        generator = torch.Generator("cuda").manual_seed(20240229)

        def make(rows: int, columns: int, dtype: torch.dtype) -> torch.Tensor:
            whole = torch.randn((max(rows, 1), columns + pad), generator=generator, device="cuda")
            return whole.to(dtype)[:rows, :columns]

        element, result = TYPES[problem.element], TYPES[problem.result]
        self.problem = problem
        self.a = make(m, k, element)
        self.b = make(n, k, element)
        self.c = make(m, n, result) if problem.has_c else None
        self.bias = make(1, n, torch.float32)[0] if problem.has_bias else None
        self.d = torch.empty((m, n), dtype=result, device="cuda")
        self.kernel = problem.kernel()
        self.device = _gpu.get(0).device
        ((_, operands, scalars),) = self.kernel.bundle.entries()
        tensors = {"A": self.a, "B": self.b, "C": self.c, "bias": self.bias, "D": self.d}
        self.operands = []
        for name, code, *_ in operands:
            tensor = tensors[name]
            self.operands.append((tensor.data_ptr(), code, tuple(tensor.shape), tuple(tensor.stride())))
        self.scalars = [(0.75 if name == "alpha" else -1.25, code) for name, code in scalars]
        self.bytes = self.device.workspace_bytes(self.kernel.bundle, self.kernel.entry, self.operands, self.scalars)
        self.workspace = torch.full((self.bytes + GUARD,), 0xFF, dtype=torch.uint8, device="cuda")

    def launch(self) -> None:
        stream = torch.cuda.current_stream().cuda_stream
        self.device.launch(
            self.kernel.bundle,
            self.kernel.entry,
            self.operands,
            self.scalars,
            self.workspace.data_ptr(),
            self.bytes,
            stream,
        )

    def result(self) -> torch.Tensor:
        self.d.fill_(float("nan"))
        self.launch()
        torch.cuda.synchronize()
        assert bool((self.workspace[self.bytes :] == 0xFF).all()), "memory behind the workspace was written"
        return self.d.clone()

    def check(self, d: torch.Tensor) -> None:
        a, b = self.a.double(), self.b.double()
        value = a @ b.t()
        size = a.abs() @ b.abs().t()
        if self.c is not None:
            value = 0.75 * value - 1.25 * self.c.double()
            size = 0.75 * size + 1.25 * self.c.double().abs()
        if self.bias is not None:
            value = value + self.bias.double()
            size = size + self.bias.double().abs()
        if self.problem.activation == "relu":
            value = value.relu()
        half_ulp = 0.5 * torch.finfo(d.dtype).eps * value.abs() + torch.finfo(d.dtype).tiny
        bound = half_ulp + (4 * math.sqrt(max(a.shape[1], 1)) + 4) * 2.0**-24 * size
        share = ((d.double() - value).abs() / bound).max().item() if d.numel() else 0.0
        assert share <= 1, f"{share} of the bound"


def test_every_kernel_is_right_and_repeats_its_bits() -> None:
    for config in CONFIGS:
        for schedule in SCHEDULES:
            for shape in SHAPES:
                case = Run(Problem(config, schedule), shape)
                first = case.result()
                case.check(first)
                # What the call before has left.
                assert torch.equal(case.result(), first), (config, schedule, shape)
                case.workspace.fill_(0)
                case.workspace[case.bytes :] = 0xFF
                assert torch.equal(case.result(), first), (config, schedule, shape)


def test_kernels_divide_tiles() -> None:
    """The tests would be about nothing were there no partial results."""
    case = Run(Problem(CONFIGS[2], SCHEDULES[0]), (512, 520, 4096))
    assert case.bytes > 128 * 256 * 4


def test_epilogues_run_once() -> None:
    for element, result in (("bf16", "bf16"), ("f16", "f16"), ("bf16", "f32")):
        for config in CONFIGS:
            problem = Problem(config, SCHEDULES[0], element, result, "relu", has_c=True, has_bias=True)
            # Aligned rows are stored by the copy engine, others by the threads.
            for shape in ((512, 520, 2048), (200, 203, 1000)):
                case = Run(problem, shape)
                first = case.result()
                case.check(first)
                assert torch.equal(case.result(), first), (problem, shape)


def test_every_budget() -> None:
    for config in CONFIGS:
        for budget in BUDGETS:
            if "cluster" in config and budget == 1:
                continue
            case = Run(Problem(config, SCHEDULES[0], sm_budget=budget), (1000, 1160, 520))
            first = case.result()
            case.check(first)
            for _ in range(3):
                assert torch.equal(case.result(), first), (config, budget)


def test_whole_tiles_have_the_bits_of_data_parallel() -> None:
    for config in CONFIGS:
        whole = Run(Problem(config, "#cutl.data_parallel"), (1000, 1160, 520)).result()
        none = Run(Problem(config, "#cutl.stream_k<tiles = 0>"), (1000, 1160, 520))
        assert torch.equal(none.result(), whole), config


def test_a_thousand_runs() -> None:
    case = Run(Problem(CONFIGS[0], SCHEDULES[0]), (512, 520, 4096))
    first = case.result()
    for _ in range(1000):
        case.launch()
    torch.cuda.synchronize()
    assert torch.equal(case.d, first)


def test_beside_a_kernel_that_holds_half_of_the_multiprocessors() -> None:
    """One that runs until it is told to stop leaves the others to ours, which ends all the same."""
    spin = spinner()
    for config in CONFIGS:
        check_beside(spin, Run(Problem(config, SCHEDULES[0]), (1000, 1160, 520)))


def check_beside(spin: Any, case: Run) -> None:
    """Bits are those of a run that has all multiprocessors; `spin` is `spinner`'s."""
    if spin is None:
        return
    first = case.result()
    case.d.fill_(float("nan"))
    torch.cuda.synchronize()
    stop = spin(torch.cuda.get_device_properties(0).multi_processor_count // 2)
    ours = torch.cuda.Stream()
    try:
        with torch.cuda.stream(ours):
            case.launch()
        ours.synchronize()
    finally:
        stop()
    torch.cuda.synchronize()
    assert torch.equal(case.d, first)


SPIN = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry spin(.param .u64 flags) .reqntid 1024, 1, 1
{
  .reg .pred %p;
  .reg .u32 %r<4>;
  .reg .u64 %a;
  ld.param.u64 %a, [flags];
  mov.u32 %r0, %tid.x;
  setp.ne.u32 %p, %r0, 0;
  @%p bra waiting;
  mov.u32 %r2, 1;
  red.release.sys.global.add.u32 [%a+4], %r2;
waiting:
  ld.acquire.sys.global.u32 %r1, [%a];
  setp.eq.u32 %p, %r1, 0;
  @%p bra waiting;
  ret;
}
"""


def spinner() -> Any:
    """`spin(ctas)` starts a kernel of so many CTAs, a multiprocessor each, and returns what ends it; None without a driver
    to call by name."""
    import ctypes
    import time

    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    assert driver.cuModuleLoadData(ctypes.byref(module), SPIN.encode() + b"\0") == 0
    assert driver.cuModuleGetFunction(ctypes.byref(function), module, b"spin") == 0
    shared = 160 * 1024
    # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: with that much no other CTA of either kernel fits beside it.
    assert driver.cuFuncSetAttribute(function, 8, shared) == 0

    def spin(ctas: int) -> Any:
        flags = torch.zeros(2, dtype=torch.int32).pin_memory()
        address = ctypes.c_uint64(flags.data_ptr())
        parameters = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(address), ctypes.c_void_p))
        stream = torch.cuda.Stream()
        status = driver.cuLaunchKernel(
            function, ctas, 1, 1, 1024, 1, 1, shared, ctypes.c_void_p(stream.cuda_stream), parameters, None
        )
        assert status == 0, status
        # Its flag says that it is there.
        began = time.monotonic()
        while int(flags[1]) < ctas:
            assert time.monotonic() - began < 10, "the other kernel did not start"

        def stop() -> None:
            flags[0] = 1
            stream.synchronize()

        return stop

    return spin


def test_batches() -> None:
    element = cutl.DataType.bf16
    spec = _compiler.GemmSpec(
        a=_compiler.OperandSpec(element, "0mk", True),
        b=_compiler.OperandSpec(element, "0nk", True),
        d=_compiler.OperandSpec(cutl.DataType.f32, "0mn", True),
        accumulator=cutl.DataType.f32,
        activation=cutl.epilogue.identity,
        has_alpha=False,
        num_batch=1,
        config=CONFIGS[0],
        schedule=SCHEDULES[0],
    )
    kernel = _compiler.compile_gpu(spec, CHIP)
    data_parallel = _compiler.compile_gpu(replace(spec, schedule=""), CHIP)
    generator = torch.Generator("cuda").manual_seed(1)
    a = torch.randn((5, 500, 1024), generator=generator, device="cuda").to(torch.bfloat16)
    b = torch.randn((5, 392, 1024), generator=generator, device="cuda").to(torch.bfloat16)
    device = _gpu.get(0).device
    found = []
    for each in (kernel, kernel, data_parallel):
        d = torch.full((5, 500, 392), float("nan"), device="cuda")
        ((_, operands, _),) = each.bundle.entries()
        tensors = {"A": a, "B": b, "D": d}
        arrays = [(tensors[o[0]].data_ptr(), o[1], tuple(tensors[o[0]].shape), tensors[o[0]].stride()) for o in operands]
        size = device.workspace_bytes(each.bundle, each.entry, arrays, [])
        workspace = torch.full((max(size, 1),), 0xFF, dtype=torch.uint8, device="cuda")
        stream = torch.cuda.current_stream().cuda_stream
        device.launch(each.bundle, each.entry, arrays, [], workspace.data_ptr(), size, stream)
        torch.cuda.synchronize()
        found.append(d)
    assert torch.equal(found[0], found[1])
    assert float((found[0] - found[2]).abs().max()) <= 1e-3 * float(found[2].abs().max())
    assert not torch.equal(found[0], found[2]), "no tile was divided"


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
