"""Batches that are one product, whose operand in common is read once."""

from __future__ import annotations

from typing import Optional

import numpy as np
import pytest
from conftest import F16, assert_close, reference

import cutl
from cutl.op._problem import fold_batches

# Shapes of A, B and D, the axes in which each lies in memory, outermost first, and M and N of the one product; none if there is
# no such product.
CASES = [
    ((4, 3, 8), (8, 5), (4, 3, 5), "bmk", "kn", "bmn", (12, 5)),
    ((2, 3, 1, 8), (8, 5), (2, 3, 1, 5), "abmk", "kn", "abmn", (6, 5)),
    ((4, 3, 8), (1, 8, 5), (4, 3, 5), "bmk", "bkn", "bmn", (12, 5)),
    ((3, 8), (4, 8, 5), (4, 3, 5), "mk", "bnk", "bnm", (3, 20)),
    ((3, 8), (4, 8, 1), (4, 3, 1), "mk", "bnk", "bnm", (3, 4)),
    ((1, 3, 8), (1, 8, 5), (1, 3, 5), "bmk", "bkn", "bmn", (3, 5)),
    # Rows of the products take turns, or lie apart.
    ((4, 3, 8), (8, 5), (4, 3, 5), "mbk", "kn", "bmn", None),
    ((4, 3, 8), (8, 5), (4, 3, 5), "bmk", "kn", "mbn", None),
    ((4, 3, 8), (8, 5), (4, 3, 5), "kbm", "kn", "bmn", (12, 5)),
    ((2, 4, 3, 8), (8, 5), (2, 4, 3, 5), "bamk", "kn", "abmn", None),
    # Each has its own B, or A is broadcast.
    ((4, 3, 8), (4, 8, 5), (4, 3, 5), "bmk", "bkn", "bmn", None),
    ((4, 1, 3, 8), (8, 5), (4, 1, 3, 5), "abmk", "kn", "abmn", (12, 5)),
    ((4, 3, 8), (2, 1, 8, 5), (2, 4, 3, 5), "bmk", "abkn", "abmn", None),
]


def lay_out(rng: np.random.Generator, shape: tuple[int, ...], names: str, axes: str) -> np.ndarray:
    """An array of a shape whose dimensions, called `names`, lie in memory as `axes` says."""
    sizes = [shape[names.index(axis)] for axis in axes]
    array = rng.standard_normal(sizes).astype(F16)
    return array.transpose([axes.index(name) for name in names])


@pytest.mark.parametrize("a_shape,b_shape,d_shape,a_axes,b_axes,d_axes,one", CASES)
@pytest.mark.parametrize("source", ["none", "c", "row", "column"])
def test_folded_batches(
    rng: np.random.Generator,
    a_shape: tuple[int, ...],
    b_shape: tuple[int, ...],
    d_shape: tuple[int, ...],
    a_axes: str,
    b_axes: str,
    d_axes: str,
    one: Optional[tuple[int, int]],
    source: str,
) -> None:
    a = lay_out(rng, a_shape, "ab"[4 - len(a_shape) :] + "mk", a_axes)
    b = lay_out(rng, b_shape, "ab"[4 - len(b_shape) :] + "kn", b_axes)
    d = lay_out(rng, d_shape, "ab"[4 - len(d_shape) :] + "mn", d_axes)
    c = lay_out(rng, d_shape, "ab"[4 - len(d_shape) :] + "mn", d_axes) if source == "c" else None
    m, n = d_shape[-2:]
    bias = {"row": rng.standard_normal(n), "column": rng.standard_normal((m, 1))}.get(source)
    bias = None if bias is None else bias.astype(F16)
    arrays = {"A": a, "B": b, "C": c, "D": d, "bias": bias}
    folded = fold_batches({name: (array, None) for name, array in arrays.items() if array is not None})
    # A vector along what is folded is another for each product.
    along_rows = one is not None and one[0] != m
    if one is None or (source == "row" and not along_rows and n != one[1]) or (source == "column" and along_rows):
        assert folded is None
    else:
        assert folded is not None and folded["D"][0].shape == one
        assert np.shares_memory(folded["D"][0], d)
    beta = 0.5 if c is not None else 0.0
    expected, error = reference(a, b, c, 1.0, beta, bias)
    cutl.op.Gemm(device="cpu").run(a, b, c, d, 1.0, beta, bias)
    assert_close(d, expected, error)


def test_nothing_is_folded() -> None:
    a, b, d = np.zeros((0, 3, 8), F16), np.zeros((8, 5), F16), np.zeros((0, 3, 5), F16)
    assert fold_batches({"A": (a, None), "B": (b, None), "D": (d, None)}) is None
    assert fold_batches({"A": (d[0:0, 0], None), "B": (b, None), "D": (d[0:0, 0], None)}) is None
