"""Every form of `cutl.gemm` that IR can state, run on the CPU target against NumPy in float64.

Inputs are small integers, so that every sum is exact and results are compared for equality, except where a case says
otherwise.
"""

from __future__ import annotations

import itertools
from typing import Callable

import cutl
import numpy as np
import pytest
from conftest import F16, F32, F64, S8, S32, U8
from gemm_text import ADD_ALL, function, gemm, ints, memref, nan


@pytest.mark.parametrize("k", [0, 1, 33])
def test_two_b(rng: np.random.Generator, k: int) -> None:
    """A gated pair: one A, two B, one output of the product of both accumulators."""
    program = gemm(
        [("a", 2, "f16"), ("b", 2, "f16"), ("c", 2, "f16"), ("d", 2, "f32")],
        "ins(%a : (m, k), %b : (n, k), %c : (k, n)) outs(%d : (m, n))",
        "^bb0(%x: f32, %y: f32):\n %r = cutl.relu %x : f32\n %p = arith.mulf %r, %y : f32\n cutl.yield %p : f32",
    )
    a, b, c, d = ints(rng, (13, k), F16), ints(rng, (9, k), F16), ints(rng, (k, 9), F16), nan((13, 9))
    program.run("f", a, b, c, d)
    a64 = a.astype(F64)
    assert np.array_equal(d, np.maximum(a64 @ b.T.astype(F64), 0) * (a64 @ c.astype(F64)))


@pytest.mark.parametrize("split", ["halves", "interleaved"])
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("m,n", [(5, 7), (1, 1), (540, 3), (3, 1100), (0, 4), (4, 0)])
def test_split(rng: np.random.Generator, split: str, swap: bool, m: int, n: int) -> None:
    map_ = "(k, n)" if swap else "(n, k)"
    program = gemm(
        [("a", 2, "f16"), ("b", 2, "f16"), ("d", 2, "f32")],
        f"ins(%a : (m, k), %b : {map_}) split({split}) outs(%d : (m, n))",
        "^bb0(%x: f32, %y: f32):\n %p = arith.subf %x, %y : f32\n cutl.yield %p : f32",
    )
    a, b, d = ints(rng, (m, 19), F16), ints(rng, (2 * n, 19), F16), nan((m, n))
    program.run("f", a, np.ascontiguousarray(b.T) if swap else b, d)
    product = a.astype(F64) @ b.T.astype(F64)
    first, second = (product[:, :n], product[:, n:]) if split == "halves" else (product[:, ::2], product[:, 1::2])
    assert np.array_equal(d, first - second)


COMBINERS: dict[str, tuple[Callable[..., np.ndarray], float]] = {
    "add": (np.sum, 0.0),
    "max": (np.max, -np.inf),
    "min": (np.min, np.inf),
    "amax": (lambda x, axis, initial: np.max(np.abs(x), axis=axis, initial=0.0), 0.0),
}


@pytest.mark.parametrize("combiner", COMBINERS)
@pytest.mark.parametrize("kept", ["b, m, n", "b, n", "b, m", "m, n", "n, b", "m", "b", ""])
@pytest.mark.parametrize("m,n", [(5, 7), (540, 3), (0, 4), (4, 0)])
def test_reductions(rng: np.random.Generator, combiner: str, kept: str, m: int, n: int) -> None:
    """Each combiner over each set of dimensions, beside a whole output; no initial contents are needed."""
    names = [name for name in kept.split(", ") if name]
    word = "" if len(names) == 3 else combiner
    program = gemm(
        [("a", 3, "f16"), ("b", 2, "f16"), ("d", 3, "f16"), ("s", len(names), "f32")],
        f"ins(%a : (b, m, k), %b : (n, k)) outs(%d : (b, m, n), %s : ({kept}) {word})",
        "^bb0(%x: f32):\n %o = arith.truncf %x : f32 to f16\n cutl.yield %o, %x : f16, f32",
    )
    a, b = ints(rng, (3, m, 6), F16), ints(rng, (n, 6), F16)
    sizes = {"b": 3, "m": m, "n": n}
    d, s = nan((3, m, n), F16), nan(tuple(sizes[name] for name in names))
    program.run("f", a, b, d, s)
    product = a.astype(F64) @ b.T.astype(F64)
    assert np.array_equal(d, product)
    reduce, initial = COMBINERS[combiner]
    axes = tuple(i for i, name in enumerate("bmn") if name not in names)
    expected = reduce(product, axis=axes, initial=initial) if axes else product
    order = [name for name in "bmn" if name in names]
    assert np.array_equal(s, np.transpose(expected, [order.index(name) for name in names]))


@pytest.mark.parametrize("combiner", ["max", "min", "amax", "add"])
def test_reduction_of_nan(combiner: str) -> None:
    program = gemm(
        [("a", 2, "f32"), ("b", 2, "f32"), ("s", 1, "f32")],
        f"ins(%a : (m, k), %b : (n, k)) outs(%s : (n) {combiner})",
        ADD_ALL,
    )
    a, b, s = np.array([[1.0], [np.nan], [3.0]], F32), np.ones((2, 1), F32), nan((2,))
    s[:] = 0
    program.run("f", a, b, s)
    assert np.isnan(s).all()


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_narrow_sums_are_made_in_f32(element: str) -> None:
    """A running sum of ones in bf16 would stop at 256, in f16 at 2048."""
    import ml_dtypes

    dtype = F16 if element == "f16" else np.dtype(ml_dtypes.bfloat16)
    program = gemm(
        [("a", 2, "f16"), ("b", 2, "f16"), ("s", 1, element)],
        "ins(%a : (m, k), %b : (n, k)) outs(%s : (n) add)",
        f"^bb0(%x: f32):\n %o = arith.truncf %x : f32 to {element}\n cutl.yield %o : {element}",
    )
    a, b, s = np.ones((4096, 1), F16), np.ones((3, 1), F16), nan((3,), dtype)
    program.run("f", a, b, s)
    assert np.array_equal(s.astype(F64), [4096.0] * 3)


def test_integer_reductions(rng: np.random.Generator) -> None:
    program = gemm(
        [("a", 2, "i8"), ("b", 2, "i8"), ("s", 1, "i32"), ("t", 1, "i32"), ("u", 0, "i32"), ("v", 0, "i32")],
        "ins(%a : (m, k), %b : (n, k)) outs(%s : (n) max, %t : (m) min, %u : () amax, %v : () add)",
        "^bb0(%x: i32):\n cutl.yield %x, %x, %x, %x : i32, i32, i32, i32",
    )
    a, b = ints(rng, (9, 5), S8), ints(rng, (4, 5), S8)
    s, t, u, v = nan((4,), S32), nan((9,), S32), nan((), S32), nan((), S32)
    program.run("f", a, b, s, t, u, v)
    product = a.astype(S32) @ b.T.astype(S32)
    assert np.array_equal(s, product.max(axis=0)) and np.array_equal(t, product.min(axis=1))
    assert u == np.abs(product).max() and v == product.sum()


def test_several_outputs(rng: np.random.Generator) -> None:
    """Pre-activation, result in a second type and order, and two reductions, from one region."""
    program = gemm(
        [("a", 2, "f16"), ("b", 2, "f16"), ("pre", 2, "f32"), ("d", 2, "f16"), ("r", 1, "f32"), ("t", 0, "f32")],
        "ins(%a : (m, k), %b : (n, k)) outs(%pre : (m, n), %d : (n, m), %r : (m) add, %t : () amax)",
        "^bb0(%x: f32):\n %y = cutl.relu %x : f32\n %o = arith.truncf %y : f32 to f16\n"
        " cutl.yield %x, %o, %y, %x : f32, f16, f32, f32",
    )
    a, b = ints(rng, (14, 8), F16), ints(rng, (6, 8), F16)
    pre, d, r, t = nan((14, 6)), nan((6, 14), F16), nan((14,)), nan(())
    program.run("f", a, b, pre, d, r, t)
    product = a.astype(F64) @ b.T.astype(F64)
    assert np.array_equal(pre, product) and np.array_equal(d, np.maximum(product, 0).T)
    assert np.array_equal(r, np.maximum(product, 0).sum(axis=1)) and t == np.abs(product).max()


@pytest.mark.parametrize("a_map,b_map,d_map", list(itertools.product(["mk", "km"], ["nk", "kn"], ["mn", "nm"])))
@pytest.mark.parametrize("m,n,k", [(1, 1, 1), (17, 24, 7), (130, 16, 127), (2, 0, 8), (7, 8, 0)])
def test_maps(rng: np.random.Generator, a_map: str, b_map: str, d_map: str, m: int, n: int, k: int) -> None:
    spell = lambda letters: "(" + ", ".join(letters) + ")"  # noqa: E731
    program = gemm(
        [("a", 2, "f16"), ("b", 2, "f16"), ("d", 2, "f32")],
        f"ins(%a : {spell(a_map)}, %b : {spell(b_map)}) outs(%d : {spell(d_map)})",
        ADD_ALL,
    )
    a, b, d = ints(rng, (m, k), F16), ints(rng, (n, k), F16), nan((m, n))
    out = d if d_map == "mn" else nan((n, m))
    program.run("f", a if a_map == "mk" else a.T.copy(), b if b_map == "nk" else b.T.copy(), out)
    assert np.array_equal(out if d_map == "mn" else out.T, a.astype(F64) @ b.T.astype(F64))


def test_batches(rng: np.random.Generator) -> None:
    """Two batch dimensions in any position, each operand with some of them."""
    program = gemm(
        [("a", 3, "f16"), ("b", 3, "f16"), ("c", 2, "f32"), ("d", 4, "f32")],
        "ins(%a : (m, b1, k), %b : (b0, n, k)) aux(%c : (b1, n)) outs(%d : (b1, m, b0, n))",
        "^bb0(%x: f32, %c1: f32):\n %y = arith.addf %x, %c1 : f32\n cutl.yield %y : f32",
    )
    a, b, c, d = ints(rng, (5, 3, 4), F16), ints(rng, (2, 6, 4), F16), ints(rng, (3, 6)), nan((3, 5, 2, 6))
    program.run("f", a, b, c, d)
    expected = np.einsum("mik,jnk->imjn", a.astype(F64), b.astype(F64)) + c.astype(F64)[:, None, None, :]
    assert np.array_equal(d, expected)


def test_auxiliary_operands(rng: np.random.Generator) -> None:
    """A full matrix in the other order, row and column vectors, a rank-0 tensor and a number."""
    program = gemm(
        [("a", 2, "f16"), ("b", 2, "f16"), ("c", 2, "f16"), ("r", 1, "f32"), ("q", 1, "f32"), ("p", 0, "f32"),
         ("x", -1, "f32"), ("d", 2, "f32")],
        "ins(%a : (m, k), %b : (n, k)) aux(%c : (n, m), %r : (n), %q : (m), %p : (), %x : ()) outs(%d : (m, n))",
        "^bb0(%acc: f32, %c1: f16, %r1: f32, %q1: f32, %p1: f32, %x1: f32):\n %c2 = arith.extf %c1 : f16 to f32\n"
        " %y = cutl.linear_combination %x1, %acc, %p1, %c2 : f32\n %z = arith.addf %y, %r1 : f32\n"
        " %w = arith.mulf %z, %q1 : f32\n cutl.yield %w : f32",
    )
    a, b, c = ints(rng, (7, 5), F16), ints(rng, (9, 5), F16), ints(rng, (9, 7), F16)
    r, q, d = ints(rng, (9,)), ints(rng, (7,)), nan((7, 9))
    program.run("f", a, b, c, r, q, np.array(2, F32), np.float32(-1), d)
    expected = (-(a.astype(F64) @ b.T.astype(F64)) + 2.0 * c.T + r) * q[:, None]
    assert np.array_equal(d, expected)


def test_beta_zero_ignores_c() -> None:
    program = gemm(
        [("a", 2, "f32"), ("b", 2, "f32"), ("beta", -1, "f32"), ("c", 2, "f32"), ("d", 2, "f32")],
        "ins(%a : (m, k), %b : (n, k)) aux(%beta : (), %c : (m, n)) outs(%d : (m, n))",
        "^bb0(%acc: f32, %beta1: f32, %c1: f32):\n %one = arith.constant 1.0 : f32\n"
        " %y = cutl.linear_combination %one, %acc, %beta1, %c1 : f32\n cutl.yield %y : f32",
    )
    a, b, c, d = np.ones((2, 3), F32), np.ones((4, 3), F32), np.full((2, 4), np.nan, F32), nan((2, 4))
    c[0, 0] = np.inf
    program.run("f", a, b, np.float32(0), c, d)
    assert np.array_equal(d, np.full((2, 4), 3.0))


def test_in_place_with_reduction(rng: np.random.Generator) -> None:
    """C is D, and a reduction of the same values must still see the old C."""
    program = function(
        f"%a: {memref(2, 'f32')}, %b: {memref(2, 'f32')}, %d: {memref(2, 'f32')}, %s: {memref(1, 'f32')}",
        "ins(%a : (m, k), %b : (n, k)) aux(%d : (m, n)) outs(%d : (m, n), %s : (n) add)",
        "^bb0(%acc: f32, %c: f32):\n %y = arith.addf %acc, %c : f32\n cutl.yield %y, %y : f32, f32",
        ", ".join([memref(2, "f32")] * 4 + [memref(1, "f32")]),
    )
    a, b, d, s = ints(rng, (540, 3)), ints(rng, (8, 3)), ints(rng, (540, 8)), nan((8,))
    expected = a.astype(F64) @ b.T + d
    program.run("f", a, b, d, s)
    assert np.array_equal(d, expected) and np.array_equal(s, expected.sum(axis=0))


@pytest.mark.parametrize("a_sign,b_sign", list(itertools.product(["signed", "unsigned"], repeat=2)))
def test_integers(rng: np.random.Generator, a_sign: str, b_sign: str) -> None:
    program = gemm(
        [("a", 2, "i8"), ("b", 2, "i8"), ("d", 2, "i32")],
        f"ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(a = {a_sign}, b = {b_sign})",
        "^bb0(%x: i32):\n cutl.yield %x : i32",
    )
    types = {"signed": S8, "unsigned": U8}
    a = rng.integers(np.iinfo(types[a_sign]).min, np.iinfo(types[a_sign]).max + 1, (17, 16)).astype(types[a_sign])
    b = rng.integers(np.iinfo(types[b_sign]).min, np.iinfo(types[b_sign]).max + 1, (16, 16)).astype(types[b_sign])
    d = nan((17, 16), S32)
    program.run("f", a, b, d)
    assert np.array_equal(d, a.astype(np.int64) @ b.T.astype(np.int64))


@pytest.mark.parametrize("saturate", [False, True])
def test_saturation(saturate: bool) -> None:
    """140000 products of 127 by 127 exceed 2^31: clamped with `saturate`, wrapped without."""
    program = gemm(
        [("a", 2, "i8"), ("b", 2, "i8"), ("d", 2, "i32")],
        "ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))" + (" compute(saturate)" if saturate else ""),
        "^bb0(%x: i32):\n cutl.yield %x : i32",
    )
    k = 140000
    a, d = np.full((1, k), 127, S8), nan((1, 2), S32)
    b = np.stack([np.full(k, 127, S8), np.full(k, -127, S8)])
    program.run("f", a, b, d)
    exact = np.array([[k * 127 * 127, -k * 127 * 127]])
    info = np.iinfo(S32)
    expected = np.clip(exact, info.min, info.max) if saturate else exact.astype(np.uint64).astype(np.uint32).view(S32)
    assert np.array_equal(d, expected)


def _round_tf32(x: np.ndarray) -> np.ndarray:
    bits = x.view(np.uint32).astype(np.uint64)
    rounded = (bits + 0xFFF + ((bits >> 13) & 1)) & 0xFFFFE000
    return np.where(np.isfinite(x), rounded, bits).astype(np.uint32).view(F32)


@pytest.mark.parametrize("mode", ["exact", "tf32", "tf32x3", "bf16", "f16"])
def test_math_modes(rng: np.random.Generator, mode: str) -> None:
    """With k = 1 nothing is summed, so that the rounding of the operands shows exactly."""
    import ml_dtypes

    program = gemm(
        [("a", 2, "f32"), ("b", 2, "f32"), ("d", 2, "f64")],
        f"ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) compute(math = {mode})",
        "^bb0(%x: f32):\n %y = arith.extf %x : f32 to f64\n cutl.yield %y : f64",
    )
    a = rng.standard_normal((64, 1)).astype(F32)
    a[:4, 0] = [np.inf, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 2.0**-130]
    b, d = np.ones((1, 1), F32), nan((64, 1), F64)
    program.run("f", a, b, d)
    rounded = {
        "exact": a,
        "tf32x3": a,
        "tf32": _round_tf32(a),
        "bf16": a.astype(ml_dtypes.bfloat16).astype(F32),
        "f16": a.astype(F16).astype(F32),
    }[mode]
    assert np.array_equal(d, rounded.astype(F64))


def test_f16_accumulator(rng: np.random.Generator) -> None:
    program = gemm(
        [("a", 2, "f16"), ("b", 2, "f16"), ("d", 2, "f16")],
        "ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))",
        "^bb0(%x: f16):\n cutl.yield %x : f16",
    )
    a, b, d = ints(rng, (9, 20), F16), ints(rng, (8, 20), F16), nan((9, 8), F16)
    program.run("f", a, b, d)
    assert np.array_equal(d, a.astype(F64) @ b.T.astype(F64))
    a, b, d = np.full((1, 3000), 1, F16), np.full((1, 3000), 1, F16), nan((1, 1), F16)
    program.run("f", a, b, d)
    assert d[0, 0] == 2048, "a sum in f16 stops where adding one rounds away"


def test_f64(rng: np.random.Generator) -> None:
    program = gemm(
        [("a", 2, "f64"), ("b", 2, "f64"), ("d", 2, "f64")],
        "ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))",
        "^bb0(%x: f64):\n cutl.yield %x : f64",
    )
    a, b, d = rng.standard_normal((31, 40)), rng.standard_normal((22, 40)), nan((31, 22), F64)
    program.run("f", a, b, d)
    assert np.allclose(d, a @ b.T, rtol=1e-13, atol=1e-13)


def test_tensor_results_become_arguments(rng: np.random.Generator) -> None:
    """A returned destination is written in place; another result is a further argument."""
    program = cutl.Program("""
func.func @f(%a: tensor<4x3xf32>, %b: tensor<5x3xf32>, %d: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<5xf32>) {
  %e = tensor.empty() : tensor<5xf32>
  %r:2 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n), %e : (n) add) {
  ^bb0(%x: f32):
    cutl.yield %x, %x : f32, f32
  } : (tensor<4x3xf32>, tensor<5x3xf32>, tensor<4x5xf32>, tensor<5xf32>) -> (tensor<4x5xf32>, tensor<5xf32>)
  return %r#0, %r#1 : tensor<4x5xf32>, tensor<5xf32>
}""")
    a, b, d, e = ints(rng, (4, 3)), ints(rng, (5, 3)), nan((4, 5)), nan((5,))
    program.run("f", a, b, d, e)
    assert np.array_equal(d, a @ b.T) and np.array_equal(e, (a @ b.T).sum(axis=0))
    with pytest.raises(cutl.errors.ArgumentError, match="argument 2"):
        program.run("f", a, b, nan((5, 5)), e)


LAYER = """
func.func @f(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %v: tensor<?x?xf16>, %s: tensor<?x?xf32>, %d: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %h = tensor.dim %w, %c0 : tensor<?x?xf16>
  %e = tensor.empty(%m, %h) : tensor<?x?xf16>
  %y = cutl.gemm ins(%x : (m, k), %w : (n, k)) outs(%e : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to f16
    cutl.yield %o : f16
  } : (tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>
  %z = cutl.gemm ins(%y : (m, k), %v : (n, k)) scales(%s of b : (n, k floordiv 4)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}"""


@pytest.mark.parametrize(
    "argument,shape", [(0, (6, 4)), (1, (7, 4)), (2, (3, 8)), (3, (3, 3)), (3, (2, 2)), (4, (5, 3)), (4, (6, 2)), (4, (0, 3))]
)
def test_sizes_that_do_not_fit_are_refused(rng: np.random.Generator, argument: int, shape: tuple[int, ...]) -> None:
    """Sizes are tied through both products and the intermediate; nothing runs and nothing is written."""
    program = cutl.Program(LAYER)
    arrays = [ints(rng, (6, 5), F16), ints(rng, (7, 5), F16), ints(rng, (3, 7), F16), np.ones((3, 2), F32), nan((6, 3))]
    program.run("f", *arrays)
    assert np.array_equal(arrays[4], (arrays[0].astype(F64) @ arrays[1].T.astype(F64)) @ arrays[2].T.astype(F64))
    wrong = [*arrays]
    wrong[argument] = np.full(shape, 9, arrays[argument].dtype)
    arrays[4][:] = 77
    with pytest.raises(cutl.errors.ArgumentError, match="expected a size of"):
        program.run("f", *wrong)
    assert (arrays[4] == 77).all() and (wrong[argument] == 9).all()


def test_element_types_are_checked(rng: np.random.Generator) -> None:
    import ml_dtypes

    program = cutl.Program(LAYER)
    arrays = [ints(rng, (6, 5), F16), ints(rng, (7, 5), F16), ints(rng, (3, 7), F16), np.ones((3, 2), F32), nan((6, 3))]
    for index, dtype in ((0, ml_dtypes.bfloat16), (4, np.int32)):
        wrong = [*arrays]
        wrong[index] = arrays[index].view(dtype)
        with pytest.raises(cutl.errors.ArgumentError, match="expected elements of type f"):
            program.run("f", *wrong)
    scaled = gemm(
        [("a", 2, "f32"), ("b", 2, "f32"), ("x", -1, "f32"), ("d", 2, "f32")],
        "ins(%a : (m, k), %b : (n, k)) aux(%x : ()) outs(%d : (m, n))",
        "^bb0(%acc: f32, %y: f32):\n %o = arith.mulf %acc, %y : f32\n cutl.yield %o : f32",
    )
    with pytest.raises(cutl.errors.ArgumentError, match="expected a number of type f32, got i32"):
        scaled.run("f", np.ones((2, 2), F32), np.ones((2, 2), F32), np.int32(2), nan((2, 2)))


def test_written_arrays_are_checked(rng: np.random.Generator) -> None:
    program = cutl.Program(LAYER)
    x, w, v, s, d = ints(rng, (3, 3), F16), ints(rng, (3, 3), F16), ints(rng, (3, 3), F16), np.ones((3, 1), F32), nan((3, 3))
    read_only = d.copy()
    read_only.flags.writeable = False
    with pytest.raises(cutl.errors.ReadOnlyError, match="argument 4"):
        program.run("f", x, w, v, s, read_only)
    with pytest.raises(cutl.errors.AliasError, match="argument 4"):
        program.run("f", x, w, v, d[:, :1], d)
    with pytest.raises(cutl.errors.ReadOnlyError):
        program.run("f", x, w, v, s, np.broadcast_to(d[0], (3, 3)))
    # Operands that are only read may be one array.
    program.run("f", x, x, x, s, d)
    x64 = x.astype(F64)
    assert np.array_equal(d, (x64 @ x64.T) @ x64.T)


def test_errors_name_the_place() -> None:
    with pytest.raises(cutl.errors.CompileError) as caught:
        cutl.Program("func.func @f() {\n  cutl.gemm ins() outs()\n}", "wrong.mlir")
    assert "wrong.mlir:2" in str(caught.value.diagnostics[0])
    with pytest.raises(cutl.errors.ArgumentError, match="expected one of raw"):
        cutl.Program("module {}").ir("ast")  # type: ignore[arg-type]
