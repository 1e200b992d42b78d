"""Results of `cutl.op.Gemm` against NumPy in float64."""

from __future__ import annotations

import itertools
import threading
from typing import Optional

import numpy as np
import pytest
from conftest import BF16, F16, F32, assert_close, reference, strided
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cutl
from cutl import epilogue

SIZES = [0, 1, 2, 7, 8, 16, 17, 24, 127, 130]


def run(
    a: np.ndarray,
    b: np.ndarray,
    d: np.ndarray,
    c: Optional[np.ndarray] = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    bias: Optional[np.ndarray] = None,
    activation: epilogue.ActivationLike = "identity",
) -> None:
    """Runs a plan with no declared types and checks D against the reference."""
    function = epilogue.as_activation(activation)
    expected, error = reference(a, b, c, alpha, beta, bias, function)
    plan = cutl.op.Gemm(device="cpu")
    plan.activation = function
    assert plan.run(a, b, c, d, alpha, beta, bias) is d
    assert_close(d, expected, error)


def normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    return rng.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("m,n,k", [(127, 130, 24), (1, 511, 17), (511, 1, 2), (1001, 7, 130), (8, 16, 1001)])
@pytest.mark.parametrize("dtype", [F16, BF16, F32], ids=str)
def test_sizes(rng: np.random.Generator, dtype: np.dtype, m: int, n: int, k: int) -> None:
    run(normal(rng, (m, k), dtype), normal(rng, (k, n), dtype), np.full((m, n), np.nan, dtype))


@pytest.mark.parametrize("m,n,k", [(0, 5, 3), (5, 0, 3), (0, 0, 0), (5, 4, 0), (1, 1, 0)])
def test_empty(rng: np.random.Generator, m: int, n: int, k: int) -> None:
    bias = normal(rng, (n,), F32)
    d = np.full((m, n), np.nan, F32)
    run(normal(rng, (m, k), F16), normal(rng, (k, n), F16), d, bias=bias, activation="relu")
    if k == 0 and d.size:
        assert np.array_equal(d, np.broadcast_to(np.maximum(bias, 0), (m, n)))


@pytest.mark.parametrize("out", [F16, BF16, F32], ids=str)
@pytest.mark.parametrize("b_type", [F16, BF16, F32], ids=str)
@pytest.mark.parametrize("a_type", [F16, BF16, F32], ids=str)
def test_types(rng: np.random.Generator, a_type: np.dtype, b_type: np.dtype, out: np.dtype) -> None:
    run(normal(rng, (17, 24), a_type), normal(rng, (24, 8), b_type), np.full((17, 8), np.nan, out))


@pytest.mark.parametrize("swap_a,swap_b,swap_c,swap_d", list(itertools.product((False, True), repeat=4)))
def test_orders(rng: np.random.Generator, swap_a: bool, swap_b: bool, swap_c: bool, swap_d: bool) -> None:
    m, n, k = 24, 17, 31

    def matrix(rows: int, columns: int, swap: bool) -> np.ndarray:
        return normal(rng, (columns, rows), F16).T if swap else normal(rng, (rows, columns), F16)

    d = matrix(m, n, swap_d)
    run(matrix(m, k, swap_a), matrix(k, n, swap_b), d, matrix(m, n, swap_c), 0.5, -2.0)


@pytest.mark.parametrize("name", [a.name for a in epilogue.activations()])
@pytest.mark.parametrize("out", [F16, F32], ids=str)
def test_activations(rng: np.random.Generator, name: str, out: np.dtype) -> None:
    a = normal(rng, (64, 16), F16)
    run(a, normal(rng, (16, 64), F16), np.full((64, 64), np.nan, out), activation=name)


def test_activation_argument(rng: np.random.Generator) -> None:
    a, b, d = normal(rng, (8, 8), F32), normal(rng, (8, 8), F32), np.empty((8, 8), F32)
    for slope in (0.25, -1.5):
        run(a, b, d, activation=("leaky_relu", slope))
        assert (d != 0).all()


@pytest.mark.parametrize("name", ["relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh"])
def test_activation_limits(name: str) -> None:
    """Infinities and NaN come through as the functions' limits."""
    x = np.array([[np.inf, -np.inf, np.nan, 100.0, -100.0]], F32)
    d = np.zeros_like(x)
    plan = cutl.op.Gemm(device="cpu")
    plan.activation = name
    plan.run(np.ones((1, 1), F32), x, None, d)
    high = 1.0 if name in ("sigmoid", "tanh") else np.inf
    low = -1.0 if name == "tanh" else 0.0
    assert d[0, 0] == high and d[0, 1] == low and np.isnan(d[0, 2])
    assert d[0, 3] == (high if high == 1.0 else 100.0) and abs(d[0, 4] - low) < 1e-30


def test_scales_and_sources(rng: np.random.Generator) -> None:
    m, n, k = 9, 12, 5
    a, b = normal(rng, (m, k), F16), normal(rng, (k, n), F16)
    for c in (normal(rng, (m, n), F16), normal(rng, (n,), F32), normal(rng, (1, n), BF16)):
        run(a, b, np.full((m, n), np.nan, F16), c, -0.75, 3.0)
    run(a, b, np.full((m, n), np.nan, F16), None, alpha=0.0)
    for bias in (normal(rng, (n,), F16), normal(rng, (1, n), F32), normal(rng, (m, 1), F32)):
        run(a, b, np.full((m, n), np.nan, F16), normal(rng, (m, n), F16), 2.0, 1.0, bias, "silu")


def test_square_row_bias(rng: np.random.Generator) -> None:
    """Where M equals N, a vector is a row."""
    a, b = np.zeros((4, 4), F32), np.zeros((4, 4), F32)
    row = np.arange(4, dtype=F32)
    d = np.empty((4, 4), F32)
    cutl.op.Gemm(device="cpu").run(a, b, None, d, bias=row)
    assert np.array_equal(d, np.broadcast_to(row, (4, 4)))
    cutl.op.Gemm(device="cpu").run(a, b, None, d, bias=row[:, None])
    assert np.array_equal(d, np.broadcast_to(row[:, None], (4, 4)))


def test_beta_zero_does_not_read_c() -> None:
    a = np.ones((3, 4), F32)
    b = np.ones((4, 5), F32)
    d = np.empty((3, 5), F32)
    plan = cutl.op.Gemm(device="cpu")
    for c in (np.full((3, 5), np.nan, F32), np.full((3, 5), np.inf, F32)):
        plan.run(a, b, c, d, beta=0.0)
        assert np.array_equal(d, np.full((3, 5), 4.0))
        plan.run(a, b, c, d, beta=1.0)
        assert not np.isfinite(d).any()


@pytest.mark.parametrize("dtype", [F16, BF16, F32], ids=str)
def test_subnormal_results(dtype: np.dtype) -> None:
    """Some processors have instructions that round to bf16 and give zero."""
    least = {F16: -24, BF16: -133, F32: -149}[dtype]
    a = np.ldexp(np.float32(1), np.arange(least, least + 8))[:, None].astype(dtype)
    d = np.empty((8, 40), dtype)
    cutl.op.Gemm(device="cpu").run(a, np.ones((1, 40), dtype), None, d)
    assert (d.astype(np.float64) == np.ldexp(1.0, np.arange(least, least + 8))[:, None]).all()


def test_alpha_zero_keeps_nan() -> None:
    a = np.full((2, 2), np.nan, F32)
    d = np.zeros((2, 2), F32)
    cutl.op.Gemm(device="cpu").run(a, np.ones((2, 2), F32), None, d, alpha=0.0)
    assert np.isnan(d).all()


@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
def test_c_is_d(rng: np.random.Generator, dtype: np.dtype) -> None:
    a, b, c = normal(rng, (130, 24), dtype), normal(rng, (24, 127), dtype), normal(rng, (130, 127), dtype)
    expected, error = reference(a, b, c, 1.0, 0.5)
    cutl.op.Gemm(device="cpu").run(a, b, c, c, beta=0.5)
    assert_close(c, expected, error)


@pytest.mark.parametrize(
    "batch_a,batch_b,batch_c",
    [
        ((3,), (3,), (3,)),
        ((3,), (), ()),
        ((), (2, 3), (1, 3)),
        ((2, 1), (1, 3), (2, 3)),
        ((0,), (1,), (0,)),
        ((2, 1, 2, 1, 2), (1, 2, 1, 2, 1), ()),
    ],
)
def test_batches(
    rng: np.random.Generator, batch_a: tuple[int, ...], batch_b: tuple[int, ...], batch_c: tuple[int, ...]
) -> None:
    m, n, k = 7, 8, 9
    batch = np.broadcast_shapes(batch_a, batch_b)
    run(
        normal(rng, (*batch_a, m, k), F16),
        normal(rng, (*batch_b, k, n), F16),
        np.full((*batch, m, n), np.nan, F32),
        normal(rng, (*batch_c, m, n), F16),
        1.0,
        1.0,
    )


def test_stride_zero_inputs(rng: np.random.Generator) -> None:
    a = np.broadcast_to(normal(rng, (1, 20), F16), (33, 20))
    b = np.broadcast_to(normal(rng, (20, 1), F16), (20, 18))
    c = np.broadcast_to(normal(rng, (1, 1), F16), (33, 18))
    run(a, b, np.full((33, 18), np.nan, F16), c, beta=1.0)


@st.composite
def problems(draw: st.DrawFn) -> dict[str, object]:
    size = st.sampled_from(SIZES)
    m, n, k = draw(size), draw(size), draw(size)
    batch = draw(st.sampled_from([(), (), (2,), (2, 3)]))
    types = st.sampled_from([F16, BF16, F32])
    seed = draw(st.integers(0, 2**32 - 1))

    def array(shape: tuple[int, ...], dtype: np.dtype, fill: float) -> tuple[np.ndarray, np.ndarray]:
        order = draw(st.permutations(range(len(shape))))
        steps = draw(st.tuples(*[st.sampled_from([1, 1, 2, -1, -3])] * len(shape)))
        return strided(shape, dtype, tuple(order), steps, fill)

    a_batch = draw(st.sampled_from([batch, ()]))
    b_batch = draw(st.sampled_from([batch, ()])) if a_batch == batch else batch
    in_type, out_type = draw(types), draw(types)
    return {
        "seed": seed,
        "a": array((*a_batch, m, k), in_type, np.nan),
        "b": array((*b_batch, k, n), in_type, np.nan),
        "c": draw(st.sampled_from([None, (*batch, m, n), (n,)])),
        "c_array": array((*batch, m, n), out_type, np.nan),
        "d": array((*batch, m, n), out_type, -123.0),
        "alpha": draw(st.sampled_from([1.0, 0.0, -0.5])),
        "beta": draw(st.sampled_from([1.0, 2.5])),
        "bias": draw(st.sampled_from([None, "row", "column"])),
        "activation": draw(st.sampled_from(["identity", "relu", "gelu", "silu"])),
    }


@given(problems())
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_strides(problem: dict) -> None:
    """Arrays of any strides inside arrays of NaN: nothing outside an operand is read, nothing outside D is written."""
    rng = np.random.default_rng(problem["seed"])
    (a, _), (b, _), (d, base) = problem["a"], problem["b"], problem["d"]
    a[...] = normal(rng, a.shape, a.dtype)
    b[...] = normal(rng, b.shape, b.dtype)
    c = None
    if problem["c"] is not None:
        c = problem["c_array"][0] if len(problem["c"]) > 1 else np.empty(problem["c"], d.dtype)
        c[...] = normal(rng, c.shape, c.dtype)
    bias = None
    if problem["bias"]:
        bias = normal(rng, (d.shape[-1],) if problem["bias"] == "row" else (d.shape[-2], 1), F32)
    beta = problem["beta"] if c is not None else 0.0
    run(a, b, d, c, problem["alpha"], beta, bias, problem["activation"])
    d[...] = -123.0
    assert (base == -123.0).all(), "expected nothing outside D to be written"


def test_threads(rng: np.random.Generator) -> None:
    """One plan, compiled and run by several threads at once."""
    plan = cutl.op.Gemm(device="cpu")
    plan.activation = ("leaky_relu", 0.3125)
    a, b = normal(rng, (65, 66), F16), normal(rng, (66, 67), F16)
    expected, error = reference(a, b, activation=plan.activation)
    outputs = [np.full((65, 67), np.nan, F32) for _ in range(8)]
    workers = [threading.Thread(target=plan.run, args=(a, b, None, d)) for d in outputs]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for d in outputs:
        assert_close(d, expected, error)
        assert np.array_equal(d, outputs[0])


def test_integers_and_f64(rng: np.random.Generator) -> None:
    a = rng.integers(-128, 128, (17, 300)).astype(np.int8)
    b = rng.integers(0, 256, (300, 9)).astype(np.uint8)
    d = np.empty((17, 9), np.int32)
    cutl.op.Gemm(device="cpu").run(a, b, None, d)
    assert np.array_equal(d, a.astype(np.int32) @ b.astype(np.int32))
    with pytest.raises(cutl.errors.CompileError, match="accumulator s32 with no scale, .* got s32"):
        cutl.op.Gemm(device="cpu").run(a, b, None, d, alpha=2.0)
    x, y = rng.standard_normal((17, 30)), rng.standard_normal((30, 9))
    z = np.empty((17, 9))
    cutl.op.Gemm(device="cpu").run(x, y, None, z, alpha=0.1)
    assert np.allclose(z, 0.1 * (x @ y), rtol=1e-14, atol=1e-14)
