"""D = relu(A·B + bias) on NumPy arrays: the example of the README. It runs on a GPU where there is one."""

import time

import numpy as np

import cutl

rng = np.random.default_rng(0)
A, B = (rng.standard_normal((1024, 1024)).astype(np.float16) for _ in range(2))
bias = rng.standard_normal(1024).astype(np.float32)
D = np.empty((1024, 1024), np.float16)

plan = cutl.op.Gemm(element=np.float16, layout=cutl.LayoutType.RowMajor)
plan.activation = cutl.epilogue.relu

start = time.perf_counter()
plan.run(A, B, None, D, bias=bias)
first = time.perf_counter() - start
start = time.perf_counter()
plan.run(A, B, None, D, bias=bias)
again = time.perf_counter() - start

expected = np.maximum(A.astype(np.float64) @ B.astype(np.float64) + bias, 0)
error = np.abs(D - expected).max()
print(f"device: {plan.device}")
print(f"relu(A·B + bias), 1024 x 1024 x 1024, f16: {first:.3f} s with compilation, {again:.3f} s again")
print(f"largest error against float64: {error:.4f} (results reach {expected.max():.0f}, half an f16 ulp there is 0.0625)")
assert error <= 0.125, "the result differs from NumPy's"
print(f"chosen for sm_90a: {plan.explain(shape=(1024, 1024, 1024))}")
