"""What traced functions compute on the CPU target, against the same function in float64."""

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
    maximum,
    minimum,
    multiply_add,
    relu,
    rsqrt,
    sigmoid,
    silu,
    sqrt,
    tanh,
    where,
)
from epilogue_check import SIZES, SMALL, SQUARE, check, draw, full


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
