"""The package beside its numbers: plans, types, stages, warnings, start-up."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import BF16, F32, assert_close, reference

import cutl
from cutl import DataType, LayoutType, epilogue


def test_readme_example() -> None:
    plan = cutl.op.Gemm(element=np.float16, layout=cutl.LayoutType.RowMajor, device="cpu")
    A, B, C, D = [np.ones((1024, 1024), dtype=np.float16) for _ in range(4)]
    start = time.perf_counter()
    plan.run(A, B, C, D)
    elapsed = time.perf_counter() - start
    assert (D == 1024).all()
    print(f"1024 cubed in f16, compile included: {elapsed:.3f} s")


def test_operands_from_the_constructor() -> None:
    rng = np.random.default_rng(1)
    a, b, c = (rng.standard_normal(s).astype(F32) for s in ((4, 5), (5, 6), (4, 6)))
    d = np.empty((4, 6), F32)
    plan = cutl.op.Gemm(a, b, c, d, 2.0, 3.0, device="cpu")
    assert plan.run() is d
    assert_close(d, *reference(a, b, c, 2.0, 3.0))
    other = np.empty((4, 6), F32)
    plan.run(D=other, alpha=1.0, beta=0.0)
    assert_close(other, *reference(a, b))
    assert_close(d, *reference(a, b, c, 2.0, 3.0))


def test_precedence_of_types() -> None:
    plan = cutl.op.Gemm(np.ones((2, 2), BF16), element="f16", element_B=F32, device="cpu")
    text = plan.ir()
    assert "memref<?x?xbf16" in text and "memref<?x?xf32" in text and "memref<?x?xf16" in text


def test_layouts_show_in_the_ir() -> None:
    text = cutl.op.Gemm(element="f16", layout=LayoutType.RowMajor, layout_B=LayoutType.ColumnMajor).ir()
    assert "(m, k)" in text and "(n, k)" in text and "outs" in text and "(m, n)" in text
    assert "strided<[?, 1]>" in text


def test_stages() -> None:
    plan = cutl.op.Gemm(element="f16")
    plan.activation = "gelu_tanh"
    assert "cutl.gelu tanh" in plan.ir("raw")
    assert '#cutl.target<chip = "sm_90a">' in plan.ir("targeted")
    configured = plan.ir("configured", shape=(4096, 4096, 4096))
    assert "config" in configured and "schedule" in configured and "memref<4096x4096xf16" in configured
    linalg = plan.ir("linalg")
    assert "linalg.generic" in linalg and "cutl.gemm" not in linalg
    llvm = plan.ir("llvm", device="cpu")
    assert "llvm.func" in llvm and "linalg" not in llvm
    other = plan.ir("targeted", chip="sm_80")
    assert "sm_80" in other and "sm_90a" not in other


def test_ir_follows_the_last_run() -> None:
    plan = cutl.op.Gemm(device="cpu")
    b = np.ones((2, 5, 4), F32).transpose(0, 2, 1)
    plan.run(np.ones((2, 3, 4), F32), b, None, np.empty((2, 3, 5), F32), bias=np.ones(5, F32))
    text = plan.ir()
    assert "(b, m, k)" in text and "(b, n, k)" in text and "(n)" in text and "(b, m, n)" in text
    plan.activation = "relu"
    assert "cutl.relu" in plan.ir()


def test_explain() -> None:
    text = cutl.op.Gemm(element="bf16").explain(shape=(8192, 8192, 8192))
    chosen, runner_up = text.split("; runner-up")
    assert chosen.startswith("chose ")
    for candidate in (chosen, runner_up):
        assert re.search(r"\(predicted [0-9.]+ us, .* limited by tensor, which takes [0-9.]+ us\)", candidate), candidate


@pytest.mark.parametrize(
    "shape, limiter", [((1, 16384, 16384), "memory"), ((64, 64, 64), "launch"), ((128, 128, 65536), "tiles")]
)
def test_explain_names_the_limiter(shape: tuple[int, int, int], limiter: str) -> None:
    chosen = cutl.op.Gemm(element="bf16").explain(shape=shape).split("; runner-up")[0]
    assert f"limited by {limiter}, " in chosen


def test_explain_of_what_is_given() -> None:
    shape = (4096, 4096, 4096)
    plan = cutl.op.Gemm(element="bf16")
    chosen = plan.explain(shape=shape).removeprefix("chose ").split("; runner-up")[0]
    best, *_, worst = plan.configs(shape=shape)
    plan.config = worst.config
    kept, choice = plan.explain(shape=shape).split("; the choice would be ")
    assert kept.startswith("kept ") and f"(predicted {worst.predicted_us:.2f} us, " in kept and " limited by " in kept
    assert choice == chosen and f"(predicted {best.predicted_us:.2f} us, " in choice
    assert "kept " in plan.explain() and plan.explain().endswith("; extents that are not known count as 4096")
    plan.config = best.config
    assert plan.explain(shape=shape) == f"kept {chosen}; it would be the choice"


def test_explain_without_a_configuration() -> None:
    """A type that the chip has no instructions for is a named answer of one line, with the diagnostics beside it."""
    with pytest.raises(cutl.errors.CompileError, match=r"^'cutl.gemm' op .*f32 .*sm_90a[^\n]*$") as caught:
        cutl.op.Gemm(element="f32").explain()
    assert [d.severity for d in caught.value.diagnostics] == ["error"]


def test_compile_ahead() -> None:
    plan = cutl.op.Gemm(element="f32", layout=LayoutType.RowMajor, device="cpu")
    plan.activation = ("leaky_relu", 0.59375)
    plan.compile()
    a = np.ones((8, 8), F32)
    d = np.empty((8, 8), F32)
    start = time.perf_counter()
    plan.run(a, a, None, d)
    assert time.perf_counter() - start < 0.01, "expected no compilation"
    assert (d == 8).all()


def test_auto_is_silent_without_a_gpu() -> None:
    code = """
import warnings, numpy as np, cutl
a = np.ones((2, 2), np.float32)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    plan = cutl.op.Gemm()
    assert plan.device == "cpu"
    plan.run(a, a, None, np.empty_like(a))
    assert plan.device == "cpu"
"""
    environment = {**os.environ, "CUTL_CUDA_DRIVER": "/nowhere/libcuda.so.1"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_import_is_fast() -> None:
    """Under 0.3 s, NumPy included; in the importing thread's processor time, since other work on the machine is not
    ours, nor is what NumPy's BLAS does to start a thread for every core."""
    code = """
import time
wall, cpu = time.perf_counter(), time.thread_time()
import cutl
print(time.perf_counter() - wall, time.thread_time() - cpu)
"""
    runs = [subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout for _ in range(5)]
    wall, cpu = (min(times) for times in zip(*(map(float, run.split()) for run in runs)))
    print(f"import cutl: {wall:.3f} s, {cpu:.3f} s of processor time")
    assert cpu < 0.3


def test_import_needs_no_ml_dtypes() -> None:
    code = """
import sys
sys.modules["ml_dtypes"] = None
import cutl, numpy as np
a = np.ones((2, 2), np.float16)
cutl.op.Gemm(device="cpu").run(a, a, None, np.empty_like(a))
try:
    cutl.DataType.bf16.numpy
except cutl.errors.DTypeError as error:
    assert "install the package ml_dtypes" in str(error), error
else:
    raise AssertionError("expected an error")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_fork() -> None:
    """A process forked after a run can run too."""
    code = """
import os, numpy as np, cutl
a = np.ones((64, 64), np.float32)
d = np.empty_like(a)
cutl.op.Gemm(device="cpu").run(a, a, None, d)
child = os.fork()
if child == 0:
    d[:] = 0
    plan = cutl.op.Gemm(device="cpu")
    plan.activation = "silu"
    plan.run(a, a, None, d)
    os._exit(0 if abs(d[0, 0] - 64) < 1e-3 else 1)
assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_data_types() -> None:
    names = [t.name for t in DataType]
    assert len(names) == len(DataType) == len(set(names)) and {"f16", "bf16", "f32", "e4m3", "s8"} <= set(names)
    assert "f16" in dir(DataType) and "f16" in DataType and "f17" not in DataType
    assert DataType.s8.is_integer and not DataType.f16.is_integer
    assert DataType.f16.bits == 16 and DataType.e2m1.bits == 4
    assert repr(DataType.bf16) == "DataType.bf16"
    assert pickle.loads(pickle.dumps(DataType.s8)) is DataType.s8
    assert not DataType.tf32.is_storage
    with pytest.raises(AttributeError, match="expected one of the data types .*f16.*, got 'f17'"):
        DataType.f17
    for data_type in DataType:
        if data_type._numpy_name:
            assert cutl.dtypes.from_numpy(data_type.numpy, "x") is data_type
    with pytest.raises(cutl.errors.DTypeError, match="got tf32"):
        DataType.tf32.numpy
    for spelling in (np.float16, "float16", "f16", np.dtype("f2"), DataType.f16):
        assert cutl.dtypes.as_data_type(spelling, "x") is DataType.f16
    for spelling in ("bf16", "bfloat16", BF16):
        assert cutl.dtypes.as_data_type(spelling, "x") is DataType.bf16


def test_chips() -> None:
    assert "sm_90a" in cutl.chips() and "sm_80" in cutl.chips()


def test_version() -> None:
    assert cutl.__version__.count(".") == 2


def test_activation_references() -> None:
    x = np.linspace(-8, 8, 33)
    assert np.array_equal(epilogue.relu(x), np.maximum(x, 0))
    assert np.allclose(epilogue.gelu(x), epilogue.gelu_tanh(x), atol=1e-3)
    assert not np.allclose(epilogue.gelu(x), epilogue.gelu_tanh(x), atol=1e-6)
    assert np.allclose(epilogue.silu(x), x * epilogue.sigmoid(x))
    assert epilogue.sigmoid([-1e4]) == 0
    assert {a.name for a in epilogue.activations()} == {
        "gelu", "gelu_tanh", "hardswish", "identity", "leaky_relu", "relu", "sigmoid", "silu", "softplus",
        "tanh"
    }


def test_speed_against_numpy() -> None:
    """f32, 1024 cubed: at least a quarter of NumPy's speed on one thread."""
    code = """
import time, numpy as np, cutl
a, b = np.random.rand(1024, 1024).astype(np.float32), np.random.rand(1024, 1024).astype(np.float32)
d = np.empty_like(a)
plan = cutl.op.Gemm(device="cpu")
def best(run):
    run()
    times = []
    for _ in range(5):
        start = time.perf_counter(); run(); times.append(time.perf_counter() - start)
    return min(times)
ours, theirs = best(lambda: plan.run(a, b, None, d)), best(lambda: np.matmul(a, b, out=d))
print(f"f32 1024 cubed: {ours * 1e3:.1f} ms, NumPy {theirs * 1e3:.1f} ms on one thread")
assert ours < 4 * theirs
"""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    print(result.stdout, result.stderr)
    assert result.returncode == 0, result.stderr


def test_what_is_no_setting_cannot_be_set() -> None:
    plan = cutl.op.Gemm(element="f16")
    with pytest.raises(AttributeError, match="shedule"):
        plan.shedule = "#cutl.stream_k"  # type: ignore[attr-defined]
