"""Rows of the table of cases in docs/PythonEpilogues.md about shapes, layouts and reductions."""

from __future__ import annotations

import cutl
import numpy as np
import pytest
from case_table import SIZE, Cases, K, M, N, T, run, trace, whole
from conftest import F16, F32
from cutl import epilogue, errors
from epilogue_check import check

case = Cases()

# Shapes.

case("shape-mismatch", r"add: expected shapes that broadcast, got \(8, 16\) and \(5,\)")(
    lambda: trace("accum, bias\nD = accum + bias\nreturn D", bias=T("f32", (5,)))
)
case("shape-beyond-product", r"C: expected a shape that broadcasts to \(8, 16\) of the product, got \(3, 8, 16\)")(
    lambda: trace("accum, C\nD = accum + C\nreturn D", C=T("f32", (3, M, N)), D=T("f32", (3, M, N)))
)
case("result-shape", r"D: expected the shape \(8, 16\) of its value, got \(16, 8\)")(
    lambda: trace("accum\nD = accum\nreturn D", D=T("f32", (N, M)))
)
case("result-not-whole", r"E: expected a value for every element of the product, .* got a value of shape \(16,\)")(
    lambda: trace("accum, bias\nD = accum + bias\nE = bias * 2.0\nreturn D, E", E=T("f32", (N,)))
)


@case("any-strides")
def _() -> None:
    def fn(accum, C, E):  # type: ignore[no-untyped-def]
        D = accum + C * E
        return D

    rng = np.random.default_rng(0)
    big = rng.standard_normal((3 * M, 2 * N)).astype(F32)
    for c in (big[::3, ::-2], big.T[: 2 * M : 2, :N], np.broadcast_to(big[:1, :N], (M, N))):
        for order in "CF":
            check(fn, SIZE, {"C": c, "E": big[0, : 2 * N : 2]}, {"D": ((M, N), F32)}, out_order=order)


@case("shared-memory")
def _() -> None:
    names = [f"c{i}" for i in range(12)]
    text = f"accum, {', '.join(names)}\nD = accum + {' + '.join(names)}\nreturn D"
    plan = cutl.op.Gemm(element="f16")
    plan.epilogue_visitor = trace(text, **{name: T("f16", (M, N)) for name in names})
    plan.compile("cuda", shape=(4096, 4096, 4096))
    assert "shared memory" in plan.explain(shape=(4096, 4096, 4096))


@case("shared-memory-config", "expected at most 232448 bytes of shared memory on sm_90a")
def _() -> None:
    config = "#cutl.tile_config<cta = [128, 256, 64], stages = 9, kernel = cooperative>"
    plan = cutl.op.Gemm(element="f16", config=config)
    plan.epilogue_visitor = trace("accum\nD = accum\nreturn D")
    plan.compile("cuda")


# Layout.

case("reshape-split", "D: expected one step along m, which is reshaped to")(
    lambda: trace("accum\nD = permute(reshape(accum, (2, 4, 16)), (1, 0, 2))\nreturn D", D=T("f32", (4, 2, N)))
)
case("reshape-broadcast", r"E: expected one step along n, which is reshaped to \(4, 4\)")(
    lambda: trace("accum, E\nD = reshape(accum, (8, 4, 4)) + E\nreturn D", E=T("f32", (4, 1)), D=T("f32", (8, 4, 4)))
)


@case("reshape-merge")
def _() -> None:
    for value, shape in (
        ("reshape(accum, (24, 16))", (24, 16)),
        ("reshape(accum, (3, 128))", (3, 128)),
        ("reshape(accum, (-1,))", (384,)),
        ("reshape(permute(accum, (1, 0, 2)), (24, 16))", (24, 16)),
        ("reshape(permute(accum, (2, 1, 0)), (128, 3))", (128, 3)),
    ):
        text = f"def fn(accum, E):\n    D = {value} * E\n    return D\n"
        e = np.linspace(-1.0, 1.0, shape[-1]).astype(F32)
        check(text, (3, M, N, K), {"E": e}, {"D": (shape, F32)})


case("reshape-size", r"reshape: expected a shape of 128 elements for shape \(8, 16\), got \(3, -1\)")(
    lambda: trace("accum\nD = reshape(accum, (3, -1))\nreturn D")
)
case("permute-mismatch", r"add: expected dimensions that strides can express, got shapes \(8, 8\) and \(8, 8\)")(
    lambda: trace("accum\nD = accum + permute(accum, (1, 0))\nreturn D", accum=T("f32", (8, 8)), D=T("f32", (8, 8)))
)
case("permute-indices", r"permute: expected indices that are 0 to 1 in any order for shape \(8, 16\), got \(0, 0\)")(
    lambda: trace("accum\nD = permute(accum, indices=(0, 0))\nreturn D")
)


@case("permute-and-reshape")
def _() -> None:
    def fn(accum, C, E):  # type: ignore[no-untyped-def]
        x = epilogue.permute(accum, (0, 2, 1)) * C
        D = epilogue.reshape(x, (2, 3, 16, 8)) + E
        return D, x

    inputs = {"C": np.ones((6, N, M), F16), "E": np.ones((3, 1, M), F32)}
    check(fn, (6, M, N, K), inputs, {"D": ((2, 3, N, M), F32), "x": ((6, N, M), F16)})


@case("no-common-root")
def _() -> None:
    def fn(accum, C):  # type: ignore[no-untyped-def]
        shared = accum * 2.0
        unused = shared / C  # noqa: F841
        D = shared + C
        E = shared - C
        return D, E

    check(fn, SIZE, {"C": whole()}, {"D": ((M, N), F32), "E": ((M, N), F16)})


# Reductions.

case(
    "reduction-dims", r"R: expected the shape \(8,\) of the reduction, with or without dimensions of one, got \(16,\)"
)(lambda: trace("accum\nR = sum(accum, dim=1)\nreturn R", R=T("f32", (N,))))
case("reduction-range", r"dim: expected different dimensions of 0 to 1 for shape \(8, 16\), got \(2,\)")(
    lambda: trace("accum\nR = max(accum, dim=[2])\nreturn R", R=T("f32", (M,)))
)


@case("reduction-part", "expected whole dimensions of the product to be reduced, got a part of n, which is reshaped")
def _() -> None:
    with pytest.raises(errors.ReductionError, match="dim: expected a dimension to reduce, got none"):
        trace("accum\nR = sum(accum, dim=())\nreturn R", R=T("f32", (M, N)))
    trace("accum\nx = reshape(accum, (8, 4, 4))\nR = sum(x, dim=2)\nreturn R", R=T("f32", (8, 4)))


case("reduction-type", "R: expected one of f16, bf16, .* as the element type of a reduction, got e4m3")(
    lambda: trace("accum\nR = max(accum)\nreturn R", R=T("e4m3", ()))
)
case("reduction-used", "expected a reduction's result to be returned and not used, got top in an expression")(
    lambda: trace("accum\ntop = amax(accum, dim=1, keepdims=True)\nD = accum / permute(top, (0, 1))\nreturn D")
)
case(
    "reduction-of-vector",
    r"expected a value for every element of the product, .* to be reduced, got one of shape \(16,\)",
)(lambda: trace("accum, bias\nD = accum\nR = sum(bias)\nreturn D, R", R=T("f32", ())))


@case("reduction-in-d")
def _() -> None:
    def fn(accum):  # type: ignore[no-untyped-def]
        D = epilogue.max(accum, dim=(1,))
        return D

    check(fn, SIZE, {}, {"D": ((M,), F32)})


@case("reduction-of-one")
def _() -> None:
    for shape, dim, left in (((M, 1, N), 1, (M, N)), ((1, M, N, 1), (0, -1), (M, N)), ((M, 1, N), (0, 1), (N,))):
        for name in ("sum", "max", "min", "amax"):
            # Sums in 8-bit integers go around where rows are summed too.
            for dtype in (F32, F16, np.int8)[: len(left) + 1]:

                def fn(accum, C):  # type: ignore[no-untyped-def]
                    x = epilogue.reshape(accum * C, shape)
                    R = getattr(epilogue, name)(x, dim)
                    return R

                text = f"accum, C\nx = reshape(accum * C, {shape})\nR = {name}(x, dim={dim})\nreturn R"
                c = np.linspace(-2.0, 2.0, N).astype(F32)
                result = np.full(left, 99, dtype)
                run(trace(text, C=c, R=result), C=c, visitor_args={"R": result})
                expected = fn(np.full((M, N), float(K)), c.astype(np.float64))
                if dtype == np.int8:
                    expected = np.clip(np.rint(expected), -128, 127)
                np.testing.assert_allclose(result, expected, rtol=2e-3 if dtype == F16 else 1e-5)


@case("other-reduction", "expected a function of cutl.epilogue, .* got (np.prod|mean)")
def _() -> None:
    with pytest.raises(errors.UnknownFunctionError, match="got mean, which has no value; the nearest is sum"):
        trace("accum\nR = mean(accum)\nreturn R", R=T("f32", ()))
    trace("accum\nR = np.prod(accum)\nreturn R", R=T("f32", ()))


@pytest.mark.parametrize("name", case.names())
def test_case(name: str) -> None:
    case.check(name)
