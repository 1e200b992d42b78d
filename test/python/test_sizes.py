"""The CPU target over sizes 0 to 1001 in each dimension and every pair of maps, compared for equality.

Inputs are small integers, so every sum is exact. CI runs a seeded sample; CUTL_FULL=1 runs all.
"""

from __future__ import annotations

import itertools
import os
import random

import numpy as np
import pytest
from conftest import F16, F32

import cutl

SIZES = [0, 1, 2, 7, 8, 16, 17, 24, 127, 130, 511, 1001]
MAPS = list(itertools.product(["m, k", "k, m"], ["n, k", "k, n"], ["m, n", "n, m"]))
SHAPES = list(itertools.product(SIZES, repeat=3))
FULL = os.environ.get("CUTL_FULL") == "1"
# Every size stands in every dimension several times in the sample.
SAMPLE = SHAPES if FULL else random.Random(7).sample(SHAPES, 250)


@pytest.fixture(scope="module")
def programs() -> dict[tuple[str, str, str], cutl.Program]:
    types = {"f16": "memref<?x?xf16, strided<[?, ?], offset: ?>>", "f32": "memref<?x?xf32, strided<[?, ?], offset: ?>>"}
    return {
        (a, b, d): cutl.Program(f"""
func.func @f(%a: {types["f16"]}, %b: {types["f16"]}, %d: {types["f32"]}) {{
  cutl.gemm ins(%a : ({a}), %b : ({b})) outs(%d : ({d})) {{
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  }} : ({types["f16"]}, {types["f16"]}, {types["f32"]}) -> ()
  return
}}""")
        for a, b, d in MAPS
    }


def test_sample_has_every_size() -> None:
    for dim in range(3):
        assert {shape[dim] for shape in SAMPLE} == set(SIZES)


@pytest.mark.parametrize("m", SIZES)
def test_all_maps(programs: dict[tuple[str, str, str], cutl.Program], m: int) -> None:
    rng = np.random.default_rng(m)
    shapes = [shape for shape in SAMPLE if shape[0] == m]
    assert shapes
    for index, (_, n, k) in enumerate(shapes):
        a = rng.integers(-2, 3, (m, k)).astype(F16)
        b = rng.integers(-2, 3, (n, k)).astype(F16)
        # Sums stay below 2^24, so that f32 holds them exactly.
        expected = a.astype(F32) @ b.T.astype(F32)
        maps = MAPS if FULL else MAPS[index % 2 :: 2]
        for a_map, b_map, d_map in maps:
            d = np.full((m, n) if d_map == "m, n" else (n, m), np.nan, F32)
            programs[a_map, b_map, d_map].run(
                "f",
                a if a_map == "m, k" else np.ascontiguousarray(a.T),
                b if b_map == "n, k" else np.ascontiguousarray(b.T),
                d,
            )
            got = d if d_map == "m, n" else d.T
            assert np.array_equal(got, expected), f"{m}x{n}x{k} with maps ({a_map}), ({b_map}), ({d_map})"
