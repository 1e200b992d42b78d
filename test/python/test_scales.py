"""Scales and zeros of operands, of rows, blocks and whole arrays, on the CPU target against NumPy in float64."""

from __future__ import annotations

from pathlib import Path

import cutl
import ml_dtypes
import numpy as np
import pytest
from conftest import BF16, F16, F32, F64, S8, U8
from cutl import errors
from gemm_text import ADD_ALL, function, gemm, ints, nan


@pytest.mark.parametrize("m,n,k", [(5, 7, 19), (200, 300, 64), (1, 1, 1), (600, 1100, 5), (3, 4, 0)])
def test_scales(rng: np.random.Generator, m: int, n: int, k: int) -> None:
    """Block scales of both operands, per row and k block of A and per block of rows and k of B."""
    program = gemm(
        [("a", 2, "f16"), ("b", 2, "f16"), ("sa", 2, "f32"), ("sb", 2, "f32"), ("d", 2, "f32")],
        "ins(%a : (m, k), %b : (n, k)) "
        "scales(%sa of a : (m, k floordiv 8), %sb of b : (n floordiv 100, k floordiv 16)) outs(%d : (m, n))",
        ADD_ALL,
    )
    a, b = ints(rng, (m, k), F16), ints(rng, (n, k), F16)
    sa = 2.0 ** rng.integers(-2, 3, (m, -(-k // 8)))
    sb = 2.0 ** rng.integers(-2, 3, (-(-n // 100), -(-k // 16)))
    d = nan((m, n))
    program.run("f", a, b, sa.astype(F32), sb.astype(F32), d)
    scaled_a = a.astype(F64) * np.repeat(sa, 8, axis=1)[:, :k]
    scaled_b = b.astype(F64) * np.repeat(np.repeat(sb, 100, axis=0)[:n], 16, axis=1)[:, :k]
    assert np.array_equal(d, scaled_a @ scaled_b.T)


@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_zeros_mixed_input(rng: np.random.Generator, sign: str) -> None:
    """f16 activations by 8-bit weights with a zero point and an f32 scale for every 32 of k."""
    program = gemm(
        [("a", 2, "f16"), ("b", 2, "i8"), ("s", 2, "f32"), ("z", 2, "i8"), ("d", 2, "f16")],
        "ins(%a : (m, k), %b : (n, k)) scales(%s of b : (n, k floordiv 32)) zeros(%z of b : (n, k floordiv 32)) "
        f"outs(%d : (m, n)) compute(b = {sign})",
        "^bb0(%x: f32):\n %o = arith.truncf %x : f32 to f16\n cutl.yield %o : f16",
    )
    dtype = S8 if sign == "signed" else U8
    low = -128 if sign == "signed" else 0
    b = rng.integers(low, low + 256, (11, 70)).astype(dtype)
    z = rng.integers(low, low + 256, (11, 3)).astype(dtype)
    a = rng.integers(-1, 2, (17, 70)).astype(F16)
    s = (2.0 ** rng.integers(-9, -5, (11, 3))).astype(F32)
    d = nan((17, 11), F16)
    program.run("f", a, b, s, z, d)
    centred = b.astype(F64) - np.repeat(z.astype(F64), 32, axis=1)[:, :70]
    weights = centred * np.repeat(s.astype(F64), 32, axis=1)[:, :70]
    assert np.array_equal(d, (a.astype(F64) @ weights.T).astype(F16))


def test_scales_of_two_b(rng: np.random.Generator) -> None:
    """A zero of a number, a scale of A by value, and a scale of the second B only."""
    program = gemm(
        [
            ("a", 2, "f16"),
            ("b", 2, "i8"),
            ("c", 2, "i8"),
            ("sa", -1, "f32"),
            ("sc", 1, "f32"),
            ("z", 0, "i8"),
            ("d", 2, "f32"),
        ],
        "ins(%a : (m, k), %b : (n, k), %c : (n, k)) scales(%sa of a : (), %sc of b[1] : (n)) zeros(%z of b : ()) "
        "outs(%d : (m, n))",
        "^bb0(%x: f32, %y: f32):\n %p = arith.addf %x, %y : f32\n cutl.yield %p : f32",
    )
    a, b, c = ints(rng, (4, 6), F16), ints(rng, (5, 6), S8), ints(rng, (5, 6), S8)
    sc, z, d = 2.0 ** np.arange(5, dtype=F32), np.array(2, S8), nan((4, 5))
    program.run("f", a, b, c, np.float32(0.5), sc, z, d)
    a64 = a.astype(F64) * 0.5
    assert np.array_equal(d, a64 @ (b.astype(F64) - 2).T + a64 @ (c.astype(F64) * sc[:, None]).T)


@pytest.mark.parametrize("split,rows", [("halves", 8), ("interleaved", 4)])
def test_split_with_scales(rng: np.random.Generator, split: str, rows: int) -> None:
    """Scales of a split B, one for several rows of B as it lies in memory."""
    program = gemm(
        [("a", 2, "f16"), ("b", 2, "f16"), ("s", 2, "f32"), ("d", 2, "f32")],
        f"ins(%a : (m, k), %b : (n, k)) split({split}) scales(%s of b : (n floordiv {rows}, k floordiv 8)) "
        "outs(%d : (m, n)) promises(n divisible_by 8)",
        "^bb0(%x: f32, %y: f32):\n %p = arith.subf %x, %y : f32\n cutl.yield %p : f32",
    )
    n, k = 16, 24
    a, b = ints(rng, (5, k), F16), ints(rng, (2 * n, k), F16)
    s = (2.0 ** rng.integers(-2, 3, (2 * n // rows, 3))).astype(F32)
    d = nan((5, n))
    program.run("f", a, b, s, d)
    product = a.astype(F64) @ (b.astype(F64) * np.repeat(np.repeat(s, rows, axis=0), 8, axis=1)).T
    first, second = (product[:, :n], product[:, n:]) if split == "halves" else (product[:, ::2], product[:, 1::2])
    assert np.array_equal(d, first - second)


@pytest.mark.parametrize("order", ["m, k floordiv 128", "k floordiv 128, m"])
@pytest.mark.parametrize("m,k", [(37, 128), (37, 320), (37, 385), (37, 640), (3, 384), (3, 300)])
def test_scales_in_either_order_have_every_block(rng: np.random.Generator, order: str, m: int, k: int) -> None:
    """The last block, which K does not fill, had no scale; or scales that lay in the other order were read as they lay. With as
    many rows as blocks only the map says which order it is."""
    program = gemm(
        [("a", 2, "f16"), ("b", 2, "f16"), ("s", 2, "f32"), ("d", 2, "f32")],
        f"ins(%a : (m, k), %b : (n, k)) scales(%s of a : ({order})) outs(%d : (m, n))",
        ADD_ALL,
    )
    n, blocks = 24, -(-k // 128)
    a, b, scales = ints(rng, (m, k), F16), ints(rng, (n, k), F16), 2.0 ** rng.integers(-3, 4, (m, blocks)).astype(F32)
    stored = scales if order.startswith("m") else np.ascontiguousarray(scales.T)
    d = nan((m, n))
    program.run("f", a, b, stored, d)
    assert np.array_equal(d, (a.astype(F64) * np.repeat(scales, 128, axis=1)[:, :k]) @ b.T.astype(F64))
    d[...] = 7.0
    wrong = [np.ones([size + 1 for size in stored.shape], F32), stored[:-1]]
    for array in wrong + [stored.T] * (m != blocks):
        with pytest.raises(errors.ArgumentError, match="expected a size of"):
            program.run("f", a, b, array, d)
    assert (d == 7.0).all()


@pytest.mark.parametrize("m,n,k", [(16, 32, 32), (1, 1, 32), (1, 16, 1), (16, 1, 64), (32, 32, 32)])
def test_a_scale_is_of_a_row_or_of_the_whole_by_its_map(rng: np.random.Generator, m: int, n: int, k: int) -> None:
    """Which it is was guessed from sizes, so that one number was read as if there were one for each row."""
    a, b = ints(rng, (m, k), BF16), ints(rng, (n, k), BF16)
    rows, columns = 2.0 ** rng.integers(-3, 4, m).astype(F32), 2.0 ** rng.integers(-3, 4, n).astype(F32)
    one, half = np.array(4.0, F32), np.array(0.5, F32)
    scales = {("m", "n"): (rows, columns), ("m", ""): (rows, half), ("", "n"): (one, columns), ("", ""): (one, half)}
    for (of_a, of_b), (scale_a, scale_b) in scales.items():
        program = gemm(
            [("a", 2, "bf16"), ("b", 2, "bf16"), ("sa", len(of_a), "f32"), ("sb", len(of_b), "f32"), ("d", 2, "f32")],
            f"ins(%a : (m, k), %b : (n, k)) scales(%sa of a : ({of_a}), %sb of b : ({of_b})) outs(%d : (m, n))",
            ADD_ALL,
        )
        d = nan((m, n))
        program.run("f", a, b, scale_a, scale_b, d)
        factors = np.broadcast_to(scale_a, m)[:, None].astype(F64) * np.broadcast_to(scale_b, n)
        assert np.array_equal(d, factors * (a.astype(F64) @ b.T.astype(F64)))
        if of_a:
            with pytest.raises(errors.ArgumentError, match=f"argument 2.*expected a size of {m}"):
                program.run("f", a, b, np.ones(m + 1, F32), scale_b, d)


MISPLACED = {
    "rows in blocks": ("m, k floordiv 32", "32x16", "scales[0] to have 128 entries along 'm' (extent 128 in steps of 1), got 32"),
    "blocks of blocks": ("m, k floordiv 32", "1x1x32x4x4", "as many results as the operand has dimensions, got 2 for rank 5"),
    "longer blocks": ("m, k floordiv 32", "128x2", "scales[0] to have 4 entries along 'k' (extent 128 in steps of 32), got 2"),
    "of B": ("n, k floordiv 32", "128x4", "expected the map of scales[0] to use only dimensions of a, but it uses 'n'"),
    "every 32nd row": ("m mod 32, m floordiv 32, k floordiv 32", "32x4x4", "expected ')' in a map"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISPLACED)
def test_scales_that_lie_as_no_map_says_are_refused(name: str) -> None:
    """Blocks of scales in the order of another kernel were read as if they were rows."""
    map_, shape, message = MISPLACED[name]
    types = f"memref<128x128xf16>, memref<8x128xf16>, memref<{shape}xf32>, memref<128x8xf32>"
    arguments = ", ".join(f"%{operand}: {kind}" for operand, kind in zip("absd", types.split(", ")))
    clauses = f"ins(%a : (m, k), %b : (n, k)) scales(%s of a : ({map_})) outs(%d : (m, n))"
    with pytest.raises(errors.CompileError) as caught:
        function(arguments, clauses, ADD_ALL, types)
    assert message in str(caught.value)


@pytest.mark.parametrize("element,dtype", [("f16", F16), ("bf16", BF16), ("f32", F32)])
@pytest.mark.parametrize("group", [1, 7, 64, 128, 4096])
def test_groups_of_any_length_scale_narrow_weights(
    rng: np.random.Generator, element: str, dtype: np.dtype, group: int
) -> None:
    """Groups shorter than what is loaded at once were refused late or never ended; sums lost the digits of a wider type."""
    m, n, k = 16, 24, 2048
    program = gemm(
        [("a", 2, element), ("b", 2, "i8"), ("s", 2, "f32"), ("d", 2, "f32")],
        f"ins(%a : (m, k), %b : (n, k)) scales(%s of b : (n, k floordiv {group})) outs(%d : (m, n))",
        ADD_ALL,
    )
    a, b = ints(rng, (m, k), dtype), rng.integers(-8, 8, (n, k)).astype(S8)
    s = (2.0 ** rng.integers(-2, 3, (n, -(-k // group)))).astype(F32)
    d = nan((m, n))
    program.run("f", a, b, s, d)
    assert np.array_equal(d, a.astype(F64) @ (b * np.repeat(s.astype(F64), group, axis=1)[:, :k]).T)


def test_what_has_no_form_yet_is_named_before_it_runs(tmp_path: Path) -> None:
    """Types of A and B that are multiplied nowhere, two types on a GPU, and scales there, without which results would be
    wrong."""
    narrow = np.dtype(ml_dtypes.int4)
    for other in (narrow, BF16):
        with pytest.raises(errors.DTypeError, match="^B: expected one of the CPU target's .*, got s4$|^A: .*s4$"):
            cutl.op.Gemm(device="cpu").run(np.ones((4, 8), other), np.ones((8, 4), narrow), None, nan((4, 4)))
    for types in (("e4m3", "bf16"), ("bf16", "s4"), ("f16", "s8"), ("s8", "s4")):
        plan = cutl.op.Gemm(element_A=types[0], element_B=types[1], element_D="f32")
        with pytest.raises(errors.CompileError, match=f"{types[0]} x {types[1]} into [fs]32 has no mma atom on sm_90a"):
            plan.compile("cuda")
    program = gemm(
        [("a", 2, "f16"), ("b", 2, "f16"), ("s", 2, "f32"), ("d", 2, "f32")],
        "ins(%a : (m, k), %b : (n, k)) scales(%s of b : (n, k floordiv 64)) outs(%d : (m, n))",
        ADD_ALL,
    )
    with pytest.raises(errors.CompileError, match="scales.* has no tile form yet"):
        program.bundle(tmp_path / "scaled.cutlb")
