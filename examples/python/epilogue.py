"""A gated layer with a residual, its pre-activation and the largest magnitude of each row, from one pass over the product: a
traced function against itself on NumPy. It runs on a GPU where there is one that serves it. The argument, if any, is the file
that the drawing of the graph is written to."""

import sys

import numpy as np

import cutl
from cutl import epilogue


def gated_layer(accum0, accum1, bias, residual, scale):
    gate = accum0 + bias
    D = epilogue.silu(gate) * accum1 * scale + residual
    row_amax = epilogue.amax(D, dim=1)
    return D, gate, row_amax


rng = np.random.default_rng(0)
M, N, K = 256, 512, 1024
X = rng.standard_normal((M, K)).astype(np.float16)
gate_weight, up_weight = ((rng.standard_normal((K, N)) / 32).astype(np.float16) for _ in range(2))
bias, residual = rng.standard_normal(N).astype(np.float32), rng.standard_normal((M, N)).astype(np.float16)
D, gate = np.empty((M, N), np.float16), np.empty((M, N), np.float16)
row_amax = np.empty(M, np.float32)

product = cutl.Tensor("f32", (M, N))
plan = cutl.op.Gemm()
plan.epilogue_visitor = epilogue.trace(
    gated_layer,
    {
        "accum0": product,
        "accum1": product,
        "bias": bias,
        "residual": residual,
        "scale": 1.0,
        "D": D,
        "gate": gate,
        "row_amax": row_amax,
    },
)
arguments = {"bias": bias, "residual": residual, "scale": 0.5}
plan.run(X, (gate_weight, up_weight), D=D, visitor_args={**arguments, "gate": gate, "row_amax": row_amax})

wide = X.astype(np.float64)
expected = gated_layer(wide @ gate_weight.astype(np.float64), wide @ up_weight.astype(np.float64), **arguments)
print(f"device: {plan.device}")
for name, got, value in zip(("D", "gate", "row_amax"), (D, gate, row_amax), expected):
    error = np.abs(got - value).max() / np.abs(value).max()
    print(f"{name}: largest error against float64 {error:.1e} of the largest value")
    assert error < 1e-3, f"{name} differs from NumPy's"
if len(sys.argv) > 1:
    plan.epilogue_visitor.visualize(sys.argv[1])
    print(f"drawing of the graph: {sys.argv[1]}")
