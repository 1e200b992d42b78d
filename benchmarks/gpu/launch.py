"""What a launch costs the host: `python benchmarks/gpu/launch.py [--quick]`, with the installed package and PyTorch.

* `cutlRuntimeLaunch`, checks and tensor maps included, above `cuLaunchKernelEx` of an empty kernel, in turn in one process. A C
  compiler is used if there is one; else the calls are made by ctypes, whose own time is in both.
* `plan.run` on tensors that it has met before, beside `torch.mm`.

Each figure is the median over batches of launches between which the GPU is waited for, so that its queue never fills.
"""

from __future__ import annotations

import ctypes as C
import glob
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Optional

import torch

import cutl
from cutl import _compiler

BATCH = 100
EMPTY_PTX = b""".version 8.0
.target sm_90
.address_size 64
.visible .entry empty() { ret; }
\0"""


class Operand(C.Structure):
    _fields_ = [
        ("data", C.c_void_p),
        ("sizes", C.c_void_p),
        ("strides", C.c_void_p),
        ("rank", C.c_uint32),
        ("type", C.c_int32),
    ]


class Arguments(C.Structure):
    _fields_ = [
        ("operands", C.c_void_p),
        ("operandCount", C.c_uint32),
        ("scalars", C.c_void_p),
        ("scalarCount", C.c_uint32),
    ]


class Config(C.Structure):
    _fields_ = [
        ("grid", C.c_uint32 * 3), ("block", C.c_uint32 * 3), ("sharedBytes", C.c_uint32),
        ("stream", C.c_void_p), ("attributes", C.c_void_p), ("attributeCount", C.c_uint32),
    ]  # fmt: skip


class Error(C.Structure):
    _fields_ = [("status", C.c_int), ("text", C.c_char * 1024)]


def check(status: int, what: str, error: Optional[Error] = None) -> None:
    if status:
        raise RuntimeError(f"{what}: {status} {error.text.decode() if error else ''}")


def timers() -> tuple[Any, Any, str]:
    """How the calls are made: functions from launch.c, or of ctypes."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.c")
    if compiler and os.path.exists(source):
        library = os.path.join(tempfile.mkdtemp(), "launch.so")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
        built = C.CDLL(library)
        built.timeEmpty.restype = built.timeRuntime.restype = C.c_double
        return built.timeEmpty, built.timeRuntime, "from C"

    def empty(launch: Any, config: Any, function: Any, count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            launch(config, function, None, None)
        return (time.perf_counter() - start) / count

    def runtime(launch: Any, handle: Any, entry: Any, arguments: Any, stream: Any, count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            launch(handle, entry, arguments, None, 0, stream, None)
        return (time.perf_counter() - start) / count

    return empty, runtime, "by ctypes"


def empty_kernel(cuda: Any) -> C.c_void_p:
    module, function = C.c_void_p(), C.c_void_p()
    check(cuda.cuModuleLoadData(C.byref(module), EMPTY_PTX), "cuModuleLoadData")
    check(cuda.cuModuleGetFunction(C.byref(function), module, b"empty"), "cuModuleGetFunction")
    return function


def time_runtime(rounds: int) -> tuple[float, float, str]:
    """Seconds of an empty launch and of one by the runtime."""
    cuda = C.CDLL("libcuda.so.1")
    library = C.CDLL(glob.glob(os.path.join(cutl.__path__[0], "_cutl*.so"))[0])
    a, b, d = tensors()
    plan = cutl.op.Gemm(device="cuda")
    plan.run(a, b, None, d)
    data = _compiler.compile_gpu(plan._last_spec, plan._last_gpu.chip).data

    error = Error()
    runtime, bundle, entry = C.c_void_p(), C.c_void_p(), C.c_void_p()
    check(library.cutlRuntimeCreate(None, C.byref(runtime), C.byref(error)), "cutlRuntimeCreate", error)
    check(library.cutlBundleLoad(data, C.c_size_t(len(data)), C.byref(bundle), C.byref(error)), "cutlBundleLoad", error)
    name = _compiler.compile_gpu(plan._last_spec, plan._last_gpu.chip).entry.encode()
    check(library.cutlBundleFindEntry(bundle, name, C.byref(entry), C.byref(error)), "cutlBundleFindEntry", error)
    keep, operands = [], (Operand * 3)()
    for slot, tensor, transposed in zip(operands, (a, b, d), (False, True, False)):
        view = tensor.t() if transposed else tensor
        sizes, strides = ((C.c_int64 * 2)(*x) for x in (view.shape, view.stride()))
        keep += [sizes, strides]
        code = cutl.DataType.bf16._code
        slot.data, slot.rank, slot.type = tensor.data_ptr(), 2, code
        slot.sizes, slot.strides = C.addressof(sizes), C.addressof(strides)
    arguments = Arguments(C.addressof(operands), 3, None, 0)
    stream = C.c_void_p(torch.cuda.current_stream().cuda_stream)
    config = Config((C.c_uint32 * 3)(1, 1, 1), (C.c_uint32 * 3)(32, 1, 1), 0, stream, None, 0)
    function = empty_kernel(cuda)
    check(
        library.cutlRuntimeLaunch(runtime, entry, C.byref(arguments), None, C.c_uint64(0), stream, C.byref(error)),
        "cutlRuntimeLaunch",
        error,
    )
    time_empty, time_launch, how = timers()
    empties, launches = [], []
    for _ in range(rounds):
        torch.cuda.synchronize()
        empties.append(time_empty(cuda.cuLaunchKernelEx, C.byref(config), function, BATCH))
        torch.cuda.synchronize()
        launches.append(time_launch(library.cutlRuntimeLaunch, runtime, entry, C.byref(arguments), stream, BATCH))
    torch.cuda.synchronize()
    if min(empties + launches) < 0:
        raise RuntimeError("a launch failed")
    return statistics.median(empties), statistics.median(launches), how


def tensors() -> tuple[torch.Tensor, ...]:
    a = torch.randn((128, 64), device="cuda").bfloat16()
    b = torch.randn((128, 64), device="cuda").bfloat16().t()
    return a, b, torch.empty((128, 128), device="cuda", dtype=torch.bfloat16)


def time_calls(call: Any, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(BATCH):
            call()
        times.append((time.perf_counter() - start) / BATCH)
    return statistics.median(times)


def main() -> int:
    rounds = 20 if "--quick" in sys.argv else 200
    failed = 0
    rows = []
    try:
        empty, launch, how = time_runtime(rounds)
        rows += [
            (f"`cuLaunchKernelEx` of an empty kernel, {how}", empty),
            (f"`cutlRuntimeLaunch` of a product, {how}", launch),
            ("above the empty launch", launch - empty),
        ]
    except Exception as error:  # The other figures are still wanted.
        failed += 1
        print(f"FAILED runtime: {type(error).__name__}: {error}")
    try:
        a, b, d = tensors()
        bias = torch.randn(128, device="cuda")
        plain, fused = cutl.op.Gemm(device="cuda"), cutl.op.Gemm(device="cuda")
        fused.activation = "relu"
        stream = torch.cuda.current_stream().cuda_stream
        calls = [
            ("`plan.run(A, B, None, D)`", lambda: plain.run(a, b, None, d)),
            ("`plan.run` with its stream given", lambda: plain.run(a, b, None, d, stream=stream)),
            ("`plan.run` with bias, relu, C and factors", lambda: fused.run(a, b, d, d, 0.5, 0.25, bias)),
            ("`torch.mm(A, B, out=D)`", lambda: torch.mm(a, b, out=d)),
        ]
        for name, call in calls:
            for _ in range(10):
                call()
            rows.append((name, time_calls(call, rounds)))
    except Exception as error:
        failed += 1
        print(f"FAILED plan.run: {type(error).__name__}: {error}")
    print(
        f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, medians of {rounds} batches of {BATCH} launches\n"
    )
    print("| launch | us |\n|---|---:|")
    for name, value in rows:
        print(f"| {name} | {value * 1e6:.2f} |")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
