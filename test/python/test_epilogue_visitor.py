"""Traced functions run on the CPU target, against the same function in float64: what they compute, how operands lie, what
is read, mixtures of these, and what is stored."""

from __future__ import annotations

import cutl
import numpy as np
import pytest
from conftest import BF16, E4M3, E5M2, F16, F32, F64
from cutl import DataType, epilogue
from cutl.epilogue import (
    cast,
    clamp,
    exp,
    gelu,
    gelu_tanh,
    hardswish,
    leaky_relu,
    linear_combination,
    maximum,
    minimum,
    multiply_add,
    permute,
    relu,
    reshape,
    rsqrt,
    sigmoid,
    silu,
    sqrt,
    tanh,
    where,
)
from epilogue_check import check

# Batch, M, N and K.
SMALL = (3, 8, 8, 128)
TALL = (3, 488, 8, 128)
WIDE = (3, 8, 768, 128)
SQUARE = (3, 488, 768, 128)
SIZES = (SMALL, TALL, WIDE)


def draw(*shape: int, dtype: type = F16, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def full(size: tuple[int, int, int, int], dtype: type = F16) -> tuple[tuple[int, ...], type]:
    return size[:3], dtype


# Compute.


@pytest.mark.parametrize("size", [*SIZES, SQUARE], ids=str)
def test_arithmetic(size: tuple[int, int, int, int]) -> None:
    def arithmetic(accum, C, alpha, beta, gamma):  # type: ignore[no-untyped-def]
        D = ((accum + C) * alpha - gamma) / beta
        return D

    check(arithmetic, size, {"C": draw(*size[:3]), "alpha": 1.5, "beta": 0.5, "gamma": 2.5}, {"D": full(size)})


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_function_calls(size: tuple[int, int, int, int]) -> None:
    def calls(accum, C, alpha):  # type: ignore[no-untyped-def]
        D = multiply_add(relu(accum + alpha) + C, minimum(accum, 1.0), maximum(C, 0.0))
        return D

    check(calls, size, {"C": draw(*size[:3]), "alpha": 0.25}, {"D": full(size)})


@pytest.mark.parametrize(
    "function",
    [tanh, sigmoid, gelu, gelu_tanh, silu, hardswish, relu, leaky_relu, exp, epilogue.erf, epilogue.softplus],
    ids=lambda f: getattr(f, "name", None) or f.__name__,
)
def test_functions_of_one_value(function) -> None:  # type: ignore[no-untyped-def]
    def activate(accum, alpha, C):  # type: ignore[no-untyped-def]
        D = function(alpha * accum) + C
        return D

    check(activate, SMALL, {"alpha": 1.25, "C": draw(*SMALL[:3])}, {"D": full(SMALL, F32)})


@pytest.mark.parametrize("name", [name for name in epilogue.__all__ if name.endswith("_grad")])
def test_derivatives(name: str) -> None:
    function = getattr(epilogue, name)

    def backward(accum, C):  # type: ignore[no-untyped-def]
        D = accum * function(C)
        return D

    check(backward, SMALL, {"C": 3.0 * draw(*SMALL[:3], dtype=F32)}, {"D": full(SMALL, F32)})


def test_roots_logarithms_and_powers() -> None:
    def roots(accum, C):  # type: ignore[no-untyped-def]
        positive = abs(accum) + 0.5
        D = sqrt(positive) + rsqrt(positive) + epilogue.log(positive) * epilogue.log2(positive)
        E = positive**1.5 + accum**2 - accum**3 + 2.0 ** minimum(accum, 3.0) + positive**-1 + positive**0.5
        F = (
            epilogue.floor(C)
            + 2 * epilogue.ceil(C)
            + epilogue.rint(C)
            + epilogue.exp2(C)
            + epilogue.sin(C) * epilogue.cos(C)
        )
        return D, E, F

    outputs = {name: full(SMALL, F32) for name in "DEF"}
    check(roots, SMALL, {"C": draw(*SMALL[:3])}, outputs)


def test_comparisons_and_selection() -> None:
    def select(accum, C):  # type: ignore[no-untyped-def]
        inside = (accum > -1.0) & (accum <= C) | ~(accum >= C - 1.0)
        D = where(inside, accum, -C)
        mask = (accum != C) ^ (accum == C)
        return D, mask, inside

    outputs = {"D": full(SMALL, F32), "mask": full(SMALL, np.uint8), "inside": full(SMALL, F32)}
    results = check(select, SMALL, {"C": draw(*SMALL[:3])}, outputs)
    assert (results["mask"] == 1).all()


def test_slope_of_leaky_relu_is_honoured() -> None:
    def leaky(accum):  # type: ignore[no-untyped-def]
        D = leaky_relu(accum, 0.25)
        E = leaky_relu(accum, slope=-1.0)
        return D, E

    check(leaky, SMALL, {}, {"D": full(SMALL), "E": full(SMALL)})

    def wrong(accum):  # type: ignore[no-untyped-def]
        D = leaky_relu(accum, argument=0.25)
        return D

    with pytest.raises(cutl.errors.TraceTypeError, match="expected each of x, slope once, got argument"):
        check(wrong, SMALL, {}, {"D": full(SMALL)})


def test_clamp_to_numbers_and_to_values() -> None:
    def clamped(accum, low, C):  # type: ignore[no-untyped-def]
        D = clamp(accum, -0.5, 0.75)
        E = clamp(accum, low, C)
        F = np.clip(accum, -1, 1)
        return D, E, F

    check(clamped, SMALL, {"low": -0.25, "C": draw(*SMALL[:3])}, {name: full(SMALL, F32) for name in "DEF"})


def test_nan_in_both_conventions() -> None:
    def both(accum, C):  # type: ignore[no-untyped-def]
        x = accum * 0.0 + C
        D = maximum(x, 0.0) + minimum(x, 0.0)
        E = epilogue.fmax(x, 0.0) + epilogue.fmin(x, 0.0)
        F = clamp(x, 0.0, 1.0)
        return D, E, F

    c = np.full((8, 8), np.nan, F32)
    d, e, f = (np.empty((8, 8), F32) for _ in range(3))
    plan = cutl.op.Gemm(device="cpu")
    ones = np.ones((8, 8), F16)
    plan.epilogue_visitor = epilogue.trace(both, {"accum": c, "C": c, "D": d, "E": e, "F": f})
    plan.run(ones, ones, c, d, visitor_args={"E": e, "F": f})
    assert np.isnan(d).all() and (e == 0.0).all() and np.isnan(f).all()


def test_infinite_constants() -> None:
    def masked(accum, C):  # type: ignore[no-untyped-def]
        D = where(C > 0.0, accum, -np.inf)
        E = clamp(accum, -np.inf, 1.0)
        top = epilogue.max(D, dim=1)
        return D, E, top

    c = np.full((8, 8), -1.0, F32)
    c[2:, ::2] = 1.0
    d, e, top = np.empty((8, 8), F32), np.empty((8, 8), F32), np.empty(8, F32)
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = epilogue.trace(masked, {"accum": d, "C": c, "D": d, "E": e, "top": top})
    ones = np.ones((8, 8), F32)
    plan.run(ones, ones, c, d, visitor_args={"E": e, "top": top})
    assert (d == np.where(c > 0, 8, -np.inf)).all() and (e == 1).all()
    assert (top == [-np.inf] * 2 + [8] * 6).all()


def test_casts() -> None:
    def quantise(accum, scale):  # type: ignore[no-untyped-def]
        scaled = accum * scale
        D = cast(scaled, "e4m3", saturate=True)
        E = cast(scaled, np.int8)
        F = cast(scaled, DataType.u8, rounding="toward_zero")
        G = cast(scaled, "f16") - cast(scaled, "bf16")
        H = cast(scaled, "s8", rounding="upward") - cast(scaled, "s8", rounding="downward")
        return D, E, F, G, H

    outputs = {"D": full(SMALL, E4M3), "E": full(SMALL, np.int8), "F": full(SMALL, np.uint8)}
    outputs |= {"G": full(SMALL, F32), "H": full(SMALL, F32)}
    results = check(quantise, SMALL, {"scale": 300.0}, outputs)
    assert np.abs(results["D"].astype(F32)).max() == 448.0
    assert (results["E"] == 127).any() and (results["E"] == -128).any() and (results["F"] == 255).any()


def test_conversion_of_special_values() -> None:
    def convert(accum, C):  # type: ignore[no-untyped-def]
        x = accum * 0.0 + C
        D = cast(x, "e5m2", saturate=True)
        E = cast(x, "e4m3")
        F = cast(x, "s32")
        G = cast(x, "f16")
        H = cast(x, "bf16", saturate=True)
        return D, E, F, G, H

    c = np.array([[np.nan, np.inf, -np.inf, 1e9, -1e9, 2.5, 3.5, -0.5]], F32)
    results = {n: np.zeros((1, 8), t) for n, t in zip("DEFGH", (E5M2, E4M3, np.int32, F16, BF16))}
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = epilogue.trace(convert, {"accum": c, "C": c, **results})
    plan.run(np.ones((1, 8), F16), np.ones((8, 8), F16), c, visitor_args=results)
    d, e, f, g, h = (results[name].astype(F64)[0] for name in "DEFGH")
    np.testing.assert_array_equal(d, [np.nan, 57344, -57344, 57344, -57344, 2.5, 3.5, -0.5])
    np.testing.assert_array_equal(e, [np.nan] * 5 + [2.5, 3.5, -0.5])
    np.testing.assert_array_equal(f, [0, 2**31 - 1, -(2**31), 10**9, -(10**9), 2, 4, 0])
    np.testing.assert_array_equal(g, [np.nan, np.inf, -np.inf, np.inf, -np.inf, 2.5, 3.5, -0.5])
    largest = (2 - 2.0**-7) * 2.0**127
    np.testing.assert_array_equal(h[:3], [np.nan, largest, -largest])


@pytest.mark.parametrize("dtype", [E4M3, E5M2], ids=str)
@pytest.mark.parametrize("compute", [F32, F64], ids=str)
def test_every_value_of_8_bits(dtype: np.dtype, compute: np.dtype) -> None:
    """Read, and written from it and from around the middle between it and its neighbours."""

    def move(accum, C, E):  # type: ignore[no-untyped-def]
        D = accum * 0.0 + C
        F = E + accum * 0.0
        return D, F

    codes = np.arange(256, dtype=np.uint8).view(dtype).reshape(1, 256)
    finite = np.sort(codes.astype(F64)[np.isfinite(codes.astype(F64))])
    middle = (finite[1:] + finite[:-1]) / 2
    near = (
        np.nextafter(middle.astype(compute), np.array(np.inf, compute)),
        np.nextafter(middle.astype(compute), np.array(-np.inf, compute)),
    )
    many = np.concatenate([finite, middle, *near, [1e5, -1e5, np.inf, -np.inf, np.nan, 1e-30, 464.0, 61439.9]]).astype(
        compute
    )
    e = many.reshape(1, -1)[:, : 256 * (many.size // 256)].reshape(-1, 256)
    e = np.concatenate([e, many[-256:].reshape(1, 256)])
    one, d, f = np.ones((len(e), 1), compute), np.empty((len(e), 256), compute), np.zeros(e.shape, dtype)
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = epilogue.trace(move, {"accum": d, "C": codes, "E": e, "D": d, "F": f})
    plan.run(one, np.ones((1, 256), compute), codes, d, visitor_args={"E": e, "F": f})
    np.testing.assert_array_equal(d, np.broadcast_to(codes.astype(compute), d.shape))
    with np.errstate(over="ignore", invalid="ignore"):
        np.testing.assert_array_equal(f.astype(F64), e.astype(dtype).astype(F64))


def test_names_of_numpy() -> None:
    def numpy_only(accum, C):  # type: ignore[no-untyped-def]
        x = np.multiply(np.add(accum, C), np.exp(np.minimum(accum, 2.0)))
        y = np.where(np.greater(accum, 0.0), np.tanh(x), np.negative(np.abs(C)))
        D = np.square(y) + np.sqrt(np.maximum(C, 0.25)) * np.reciprocal(np.maximum(C, 0.5)) + np.pi
        E = np.sum(y, axis=-1, keepdims=True)
        return D, E

    check(numpy_only, SMALL, {"C": draw(*SMALL[:3])}, {"D": full(SMALL, F32), "E": ((3, 8, 1), F32)})


def test_numbers_from_outside() -> None:
    inner, outer = 0.5, np.float32(2.0)

    def closure(accum):  # type: ignore[no-untyped-def]
        """A docstring is no step."""
        D: object = accum * inner - outer * MODULE_NUMBER + np.pi * 2
        return D

    check(closure, SMALL, {}, {"D": full(SMALL, F32)})


MODULE_NUMBER = 3


def test_default_of_an_argument() -> None:
    def scaled(accum, alpha=0.5):  # type: ignore[no-untyped-def]
        D = accum * alpha
        return D

    a, b, d = np.ones((4, 4), F16), np.ones((4, 4), F16), np.empty((4, 4), F32)
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = epilogue.trace(scaled, {"accum": d, "D": d})
    plan.run(a, b, D=d)
    assert (d == 2.0).all()
    plan.run(a, b, D=d, alpha=0.25)
    assert (d == 1.0).all()


def test_source_text_and_its_reference() -> None:
    text = """
        def scaled(accum, alpha, C):
            F = alpha * accum + np.maximum(C, 0.0)
            D = relu(F)
            return D, F
    """
    results = check(text, SMALL, {"alpha": 2.0, "C": draw(*SMALL[:3])}, {"D": full(SMALL), "F": full(SMALL)})
    assert (results["D"] == np.maximum(results["F"], 0)).all()
    traced = epilogue.trace(text, {"accum": results["D"], "alpha": 1, "C": results["D"], **results})
    got = traced.reference(accum=np.array([[-1.0]]), alpha=3.0, C=np.array([[1.0]]))
    assert got["F"] == -2.0 and got["D"] == 0.0


def test_integers_stay_integers() -> None:
    def whole(accum, C, step):  # type: ignore[no-untyped-def]
        D = maximum(accum * 3 - C + 1, -(step + 5))
        E = accum * 0.5
        F = where(accum > C, accum, C)
        return D, E, F

    rng = np.random.default_rng(0)
    a, b = (rng.integers(-128, 128, s).astype(np.int8) for s in ((9, 64), (64, 10)))
    c = rng.integers(-(2**30), 2**30, (9, 10)).astype(np.int32)
    step = np.array([12345], np.int32)
    d, f = np.empty((9, 10), np.int32), np.empty((9, 10), np.int32)
    e = np.empty((9, 10), F32)
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = epilogue.trace(whole, {"accum": d, "C": c, "step": step, "D": d, "E": e, "F": f})
    plan.run(a, b, c, d, visitor_args={"step": step, "E": e, "F": f})
    acc = a.astype(np.int64) @ b.astype(np.int64)
    assert (d == np.maximum(acc * 3 - c + 1, -12350)).all()
    assert (f == np.where(acc > c, acc, c)).all()
    assert (e == (acc * 0.5).astype(F32)).all()


@pytest.mark.parametrize("compute", ["f64", None])
def test_type_that_is_computed_in(compute: str) -> None:
    def tiny(accum):  # type: ignore[no-untyped-def]
        D = (accum + 1e-10) - accum
        return D

    one, d = np.ones((1, 1), F32), np.empty((1, 1), F64)
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = epilogue.trace(tiny, {"accum": d, "D": d}, element_compute=compute)
    plan.run(one, one, D=d)
    assert abs(d[0, 0] - 1e-10) < 1e-16 if compute else d[0, 0] == 0.0


# Layout.


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_permute_on_both_sides(size: tuple[int, int, int, int]) -> None:
    def permuted(accum, alpha, C):  # type: ignore[no-untyped-def]
        F = alpha * accum
        D = permute(permute(F, indices=(0, 2, 1)) + permute(C, indices=(0, 2, 1)), indices=(0, 2, 1))
        return D, F

    check(permuted, size, {"alpha": 0.5, "C": draw(*size[:3])}, {"D": full(size), "F": full(size)})


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_permute_of_the_result(size: tuple[int, int, int, int]) -> None:
    def permuted(accum, alpha, C):  # type: ignore[no-untyped-def]
        F = alpha * accum
        D = permute(F, indices=(0, 2, 1)) + C
        return D, F

    l, m, n, _ = size
    check(permuted, size, {"alpha": 0.5, "C": draw(l, n, m)}, {"D": ((l, n, m), F16), "F": full(size)})


def test_permute_of_batch_and_rows() -> None:
    def permuted(accum, C):  # type: ignore[no-untyped-def]
        D = permute(relu(accum), indices=(1, 0, 2)) + C
        return D

    check(permuted, TALL, {"C": draw(488, 3, 8)}, {"D": ((488, 3, 8), F16)})


def test_permute_of_everything() -> None:
    def permuted(accum, C):  # type: ignore[no-untyped-def]
        D = np.transpose(accum + np.transpose(C, (2, 0, 1)), axes=(2, -2, 0))
        return D

    check(permuted, WIDE, {"C": draw(8, 768, 3)}, {"D": ((768, 8, 3), F16)})


def test_reshape_of_a_vector() -> None:
    def reshaped(accum, alpha, E):  # type: ignore[no-untyped-def]
        D = alpha * accum + reshape(E, new_shape=(488, 1))
        return D

    check(reshaped, TALL, {"alpha": 0.5, "E": draw(488)}, {"D": full(TALL)})


def test_reshape_that_splits_the_batch() -> None:
    def reshaped(accum, alpha, E):  # type: ignore[no-untyped-def]
        F = alpha * accum
        D = reshape(F, new_shape=(2, 3, 8, 768)) + E
        return D, F

    size = (6, 8, 768, 128)
    for shape in ((1, 3, 1, 768), (2, 1, 8, 1), (3, 1, 1), (2, 3, 8, 768)):
        check(reshaped, size, {"alpha": 0.5, "E": draw(*shape)}, {"D": ((2, 3, 8, 768), F16), "F": full(size)})


def test_reshape_to_heads() -> None:
    """Splitting N is a matter of names as long as arrays lie alike along its parts."""

    def heads(accum, E):  # type: ignore[no-untyped-def]
        D = reshape(accum, (3, 8, 12, -1)) + E
        return D

    check(heads, WIDE, {"E": draw(12, 64)}, {"D": ((3, 8, 12, 64), F16)})
    with pytest.raises(cutl.errors.TraceLayoutError, match="E: expected one step along n, which is reshaped to"):
        check(heads, WIDE, {"E": draw(12, 1)}, {"D": ((3, 8, 12, 64), F16)})

    # The heads first: the parts of N lie differently in D.
    def transposed(accum):  # type: ignore[no-untyped-def]
        D = permute(reshape(accum, (3, 8, 12, 64)), (0, 2, 1, 3))
        return D

    with pytest.raises(cutl.errors.TraceLayoutError, match="D: expected one step along n"):
        check(transposed, WIDE, {}, {"D": ((3, 12, 8, 64), F16)})


def test_reshape_with_batch_dimensions_that_broadcast() -> None:
    def reshaped(accum, E):  # type: ignore[no-untyped-def]
        D = reshape(accum, (2, 3, 4, 5)) * E
        return D

    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((6, 4, 7)).astype(F32), rng.standard_normal((7, 5)).astype(F32)
    e, d = draw(2, 1, 1, 5, dtype=F32), np.empty((2, 3, 4, 5), F32)
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = epilogue.trace(reshaped, {"accum": np.empty((6, 4, 5), F32), "E": e, "D": d})
    plan.run(a, b, D=d, visitor_args={"E": e})
    np.testing.assert_allclose(d, (a @ b).reshape(2, 3, 4, 5) * e, rtol=1e-4, atol=1e-5)


# Load.

LOADS = {
    "full": lambda l, m, n: draw(l, m, n),
    "full, for all of the batch": lambda l, m, n: draw(m, n),
    "full, column-major": lambda l, m, n: draw(l, n, m).transpose(0, 2, 1),
    "full, with gaps": lambda l, m, n: draw(l, m, 2 * n + 3)[:, :, 1 : 2 * n : 2],
    "full, backwards": lambda l, m, n: draw(l, m, n)[:, ::-1, ::-1],
    "row": lambda l, m, n: draw(n),
    "row of two dimensions": lambda l, m, n: draw(1, n),
    "row of each batch": lambda l, m, n: draw(l, 1, n),
    "column": lambda l, m, n: draw(m, 1),
    "column of each batch": lambda l, m, n: draw(l, m, 1),
    "scalar of each batch": lambda l, m, n: draw(l, 1, 1),
    "scalar in memory": lambda l, m, n: draw(1),
    "scalar without dimensions": lambda l, m, n: draw(1)[0:1].reshape(()),
    "f32": lambda l, m, n: draw(l, m, n, dtype=F32),
    "bf16": lambda l, m, n: draw(l, m, n, dtype=BF16),
    "e4m3": lambda l, m, n: draw(l, m, n, dtype=E4M3),
    "e5m2": lambda l, m, n: draw(n, dtype=E5M2),
    "f64": lambda l, m, n: draw(m, 1).astype(F32).astype(F64),
    "s8": lambda l, m, n: np.arange(-n // 2, n - n // 2).astype(np.int8),
    "u8": lambda l, m, n: (np.arange(m) % 256).astype(np.uint8).reshape(m, 1),
    "s32": lambda l, m, n: np.arange(m * n, dtype=np.int32).reshape(m, n) - 50,
}


@pytest.mark.parametrize("name", LOADS)
def test_load(name: str) -> None:
    def load(accum, alpha, E):  # type: ignore[no-untyped-def]
        D = alpha * accum + E
        return D

    for size in (SMALL, (3, 40, 8, 16)):
        check(load, size, {"alpha": 0.5, "E": LOADS[name](*size[:3])}, {"D": full(size, F32)})


def test_shapes_that_change_from_run_to_run() -> None:
    """The examples are examples: one traced function serves every size, and its operands broadcast in each run anew."""

    def load(accum, E):  # type: ignore[no-untyped-def]
        D = accum * E
        return D

    d = np.empty((4, 6), F32)
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = epilogue.trace(load, {"accum": d, "E": np.ones(6, F32), "D": d})
    rng = np.random.default_rng(0)
    for m, n, k, shape in (
        (5, 7, 3, (7,)),
        (1, 1, 1, (1,)),
        (1, 9, 2, (1, 9)),
        (9, 1, 2, (9, 1)),
        (0, 4, 3, (4,)),
        (4, 4, 0, (4,)),
    ):
        a, b = rng.standard_normal((m, k)).astype(F32), rng.standard_normal((k, n)).astype(F32)
        e, d = draw(*shape, dtype=F32), np.full((m, n), np.nan, F32)
        plan.run(a, b, D=d, visitor_args={"E": e})
        np.testing.assert_allclose(d, (a @ b) * e, rtol=1e-5, atol=1e-6)


def test_scalar_as_number_or_in_memory() -> None:
    def load(accum, alpha):  # type: ignore[no-untyped-def]
        D = alpha * accum
        return D

    one, d = np.ones((2, 2), F32), np.empty((2, 2), F32)
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = epilogue.trace(load, {"accum": d, "alpha": 1, "D": d})
    for alpha in (2, 2.0, np.float16(2), np.array(2.0), np.array([2], np.int32), np.array([[2.0]], F16)):
        plan.run(one, one, D=d, visitor_args={"alpha": alpha})
        assert (d == 4.0).all(), alpha
    with pytest.raises(cutl.errors.ShapeError, match="alpha: expected a number or an array of one element, got shape"):
        plan.run(one, one, D=d, visitor_args={"alpha": np.ones(2, F32)})


# Mixed.


@pytest.mark.parametrize("size", [*SIZES, SQUARE], ids=str)
def test_mixed_graph(size: tuple[int, int, int, int]) -> None:
    def mixed(accum, alpha, C, beta, aux, cbias, rbias):  # type: ignore[no-untyped-def]
        F = alpha * accum + (beta * C + aux)
        F_row = rbias + F
        F_col = cbias + F_row
        D = F_row + F_col + F
        return D, F, F_row

    l, m, n, _ = size
    inputs = {"alpha": 0.5, "beta": 0.25, "C": draw(l, m, n), "aux": draw(l, m, n, seed=4)}
    inputs |= {"cbias": draw(m, 1), "rbias": draw(n)}
    check(mixed, size, inputs, {"D": full(size), "F": full(size), "F_row": full(size)})


def test_shared_values_without_a_common_root() -> None:
    def dag(accum, alpha, C):  # type: ignore[no-untyped-def]
        F = accum * alpha
        D = F + C
        E = F - C
        G = (F + C) * (F - C)
        return D, E, G, F

    check(dag, SMALL, {"alpha": 0.5, "C": draw(*SMALL[:3])}, {name: full(SMALL, F32) for name in "DEGF"})


def test_operand_used_twice() -> None:
    def twice(accum, C, bias):  # type: ignore[no-untyped-def]
        D = (accum + C + bias) * (accum - C) + bias
        return D

    check(twice, SMALL, {"C": draw(*SMALL[:3]), "bias": draw(8)}, {"D": full(SMALL, F32)})


def test_result_that_others_use() -> None:
    def used(accum, C):  # type: ignore[no-untyped-def]
        D = accum + C
        E = D * 2.0
        return D, E

    check(used, SMALL, {"C": draw(*SMALL[:3])}, {"D": full(SMALL, F32), "E": full(SMALL)})


def test_no_result_called_d() -> None:
    def other(accum, C):  # type: ignore[no-untyped-def]
        out = accum + C
        return out

    check(other, SMALL, {"C": draw(*SMALL[:3])}, {"out": full(SMALL)})


def test_no_batch() -> None:
    def plain(accum, C, bias):  # type: ignore[no-untyped-def]
        D = relu(accum + C) + bias
        return D

    check(plain, (0, 488, 8, 128), {"C": draw(488, 8), "bias": draw(8)}, {"D": ((488, 8), F16)})


def test_several_batch_dimensions() -> None:
    def plain(accum, bias):  # type: ignore[no-untyped-def]
        D = accum + bias
        return D

    check(plain, (0, 8, 24, 32), {"bias": draw(2, 1, 24)}, {"D": ((5, 2, 8, 24), F16)}, batch=(5, 2))


@pytest.mark.parametrize("split", ["halves", "interleaved"])
def test_gated_pair_in_one_operand(split: str) -> None:
    def swiglu(accum0, accum1, bias):  # type: ignore[no-untyped-def]
        D = silu(accum0 + bias) * accum1
        return D

    check(swiglu, (3, 40, 48, 64), {"bias": draw(24)}, {"D": ((3, 40, 24), F16)}, plan_args={"split": split})


def test_gated_pair_in_two_operands() -> None:
    def geglu(accum0, accum1):  # type: ignore[no-untyped-def]
        D = gelu_tanh(accum0) * accum1
        pre = accum0
        return D, pre

    check(geglu, (3, 40, 24, 64), {}, {"D": ((3, 40, 24), F16), "pre": ((3, 40, 24), F32)}, num_b=2)


def test_linear_combination_reads_no_c_for_beta_of_zero() -> None:
    def combined(accum, alpha, beta, C):  # type: ignore[no-untyped-def]
        D = linear_combination(alpha, accum, beta, C)
        return D

    ones, c, d = np.ones((4, 4), F16), np.full((4, 4), np.nan, F16), np.empty((4, 4), F16)
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = epilogue.trace(combined, {"accum": d, "alpha": 1.0, "beta": 0.0, "C": c, "D": d})
    plan.run(ones, ones, c, d, visitor_args={"alpha": 2.0, "beta": 0.0})
    assert (d == 8.0).all()
    plan.run(ones, ones, ones, d, visitor_args={"alpha": 2.0, "beta": 1.0})
    assert (d == 9.0).all()


# Store.


def test_auxiliary_results_of_several_types() -> None:
    def stores(accum, alpha):  # type: ignore[no-untyped-def]
        F = alpha * accum
        D = relu(F)
        G = F
        H = F * 20.0
        return D, F, G, H

    outputs = {"D": full(TALL), "F": full(TALL, F32), "G": full(TALL, BF16), "H": full(TALL, np.int8)}
    check(stores, TALL, {"alpha": 0.5}, outputs)


def test_column_major_results() -> None:
    def stores(accum):  # type: ignore[no-untyped-def]
        D = accum
        F = accum * 2.0
        return D, F

    check(stores, (0, 24, 40, 16), {}, {"D": ((24, 40), F16), "F": ((24, 40), F32)}, out_order="F")


REDUCTIONS = {
    "columns": ((2,), lambda l, m, n: (l, m, 1)),
    "columns, without the dimension": ((-1,), lambda l, m, n: (l, m)),
    "rows": ((0, 1), lambda l, m, n: (n,)),
    "rows of each batch": ((1,), lambda l, m, n: (l, 1, n)),
    "all": (None, lambda l, m, n: ()),
    "all, with a dimension": ((0, 1, 2), lambda l, m, n: (1,)),
    "all of each batch": ((1, 2), lambda l, m, n: (l, 1, 1)),
    "over the batch": ((0,), lambda l, m, n: (m, n)),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("combiner", ["sum", "max", "min", "amax"])
def test_reduction(combiner: str, name: str) -> None:
    dims, shape = REDUCTIONS[name]
    function = getattr(epilogue, combiner)

    def reduced(accum, alpha, C):  # type: ignore[no-untyped-def]
        F = alpha * accum - 10.0
        R = function(F, dim=dims)
        D = F + C
        return D, R

    for size in ((3, 40, 24, 16),) if combiner != "sum" else (SMALL, (3, 40, 24, 16)):
        check(reduced, size, {"alpha": 0.5, "C": draw(*size[:3])}, {"D": full(size), "R": (shape(*size[:3]), F32)})


def test_reduction_needs_no_other_result_and_no_initial_value() -> None:
    def only(accum):  # type: ignore[no-untyped-def]
        D = epilogue.max(accum, dim=1)
        return D

    results = check(only, (0, 8, 8, 16), {}, {"D": ((8,), F32)})
    assert np.isfinite(results["D"]).all()


@pytest.mark.parametrize("dtype", [F16, BF16, F64, np.int32])
def test_types_of_reductions(dtype: type) -> None:
    def reduced(accum):  # type: ignore[no-untyped-def]
        x = epilogue.rint(accum)
        total = epilogue.sum(x, dim=0)
        top = epilogue.max(x, dim=1, keepdims=True)
        return total, top

    check(reduced, (0, 24, 40, 16), {}, {"total": ((40,), dtype), "top": ((24, 1), dtype)})


def test_permuted_reduction() -> None:
    def reduced(accum):  # type: ignore[no-untyped-def]
        R = permute(epilogue.sum(accum, dim=1), (1, 0))
        S = reshape(epilogue.sum(accum, dim=2), (24,))
        return R, S

    check(reduced, (3, 8, 40, 16), {}, {"R": ((40, 3), F32), "S": ((24,), F32)})


def test_quantised_result_with_its_largest_magnitude() -> None:
    def quantised(accum, scale_a, scale_b, scale_d):  # type: ignore[no-untyped-def]
        value = accum * scale_a * scale_b
        D = cast(value * scale_d, "e4m3", saturate=True)
        amax_d = epilogue.amax(value)
        return D, amax_d

    inputs = {"scale_a": draw(40, 1, dtype=F32), "scale_b": draw(24, dtype=F32), "scale_d": 100.0}
    check(quantised, (0, 40, 24, 64), inputs, {"D": ((40, 24), E4M3), "amax_d": ((), F32)})


# Anything.

UNARY = [
    "relu({})",
    "sigmoid({})",
    "tanh({})",
    "gelu({})",
    "-{}",
    "abs({})",
    "clamp({}, -1.5, 2.0)",
    "cast({}, 'bf16')",
]
UNARY += [
    "leaky_relu({}, 0.3)",
    "softplus({})",
    "exp(minimum({}, 1.0))",
    "sqrt(abs({}) + 0.1)",
    "silu_grad({})",
    "({}) ** 2",
]
BINARY = [
    "{} + {}",
    "{} - {}",
    "{} * {}",
    "maximum({}, {})",
    "minimum({}, {})",
    "{} / (abs({}) + 0.5)",
    "where({} > {}, 1.0, 2.0)",
]
BINARY += ["linear_combination(0.5, {}, 2.0, {})", "multiply_add({}, 0.25, {})"]
SHAPES = [
    (1, 1, 1),
    (3, 1, 1),
    (1, 8, 1),
    (1, 1, 12),
    (3, 8, 1),
    (3, 1, 12),
    (1, 8, 12),
    (3, 8, 12),
    (12,),
    (8, 1),
    (8, 12),
    (),
]
DTYPES = [F16, BF16, F32, E4M3, E5M2]


@pytest.mark.parametrize("seed", range(24))
def test_random_functions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    inputs: dict[str, np.ndarray] = {}
    for i in range(rng.integers(1, 5)):
        shape = SHAPES[rng.integers(len(SHAPES))]
        inputs[f"x{i}"] = rng.standard_normal(shape).astype(DTYPES[rng.integers(len(DTYPES))])
    # What has the shape of the product, in its own order and in that of the permuted one.
    known = ["accum"]
    lines: list[str] = []
    for i in range(rng.integers(4, 12)):
        forms = UNARY if rng.random() < 0.5 else BINARY
        form = forms[rng.integers(len(forms))]
        newest = known[-1]
        others = [*known, *inputs]
        parts = [newest, others[rng.integers(len(others))]]
        lines.append(f"v{i} = " + form.format(*parts[: form.count("{}")]))
        known.append(f"v{i}")
    used = " ".join(lines)
    spare = [name for name in inputs if f"{name})" not in used.replace(",", ")").replace(" ", ")") + ")"]
    lines.append("total = " + " + ".join([known[-1], *spare]))
    outputs: dict[str, tuple[tuple[int, ...], np.dtype]] = {"total": ((3, 8, 12), F32)}
    for name in {known[rng.integers(1, len(known))] for _ in range(2)}:
        lines.append(f"store_{name} = permute({name}, (0, 2, 1))")
        outputs[f"store_{name}"] = ((3, 12, 8), (F16, BF16, F32)[rng.integers(3)])
    combiner = ("sum", "max", "min", "amax")[rng.integers(4)]
    dims, shape = [((0,), (8, 12)), ((1,), (3, 12)), ((1, 2), (3,)), ((0, 1, 2), ())][rng.integers(4)]
    lines.append(f"reduced = {combiner}(total, dim={dims})")
    outputs["reduced"] = (shape, F32)
    text = f"def fn(accum, {', '.join(inputs)}):\n    " + "\n    ".join([*lines, f"return {', '.join(outputs)}"])
    print(text)
    check(text, (3, 8, 12, 16), inputs, outputs, seed=seed)
