"""Writes programs of one `cutl.gemm` as IR, and arrays for them of small integers, whose sums are exact."""

from __future__ import annotations

import cutl
import numpy as np
from conftest import F32

ADD_ALL = """^bb0(%acc: f32):
    cutl.yield %acc : f32"""


def function(arguments: str, clauses: str, body: str, types: str) -> cutl.Program:
    """A program whose function `f` is one gemm on memrefs."""
    return cutl.Program(f"""
func.func @f({arguments}) {{
  cutl.gemm {clauses} {{
  {body}
  }} : ({types}) -> ()
  return
}}""")


def memref(rank: int, element: str) -> str:
    """The type of an argument of any sizes and strides."""
    if rank == 0:
        return f"memref<{element}>"
    unknown = ", ".join("?" * rank)
    return f"memref<{'?x' * rank}{element}, strided<[{unknown}], offset: ?>>"


def gemm(operands: list[tuple[str, int, str]], clauses: str, body: str) -> cutl.Program:
    """Like `function`, from (name, rank, element type) of each operand; rank -1 is a number."""
    types = [element if rank < 0 else memref(rank, element) for _, rank, element in operands]
    arguments = ", ".join(f"%{name}: {type_}" for (name, _, _), type_ in zip(operands, types))
    return function(arguments, clauses, body, ", ".join(types))


def ints(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype = F32, low: int = -3) -> np.ndarray:
    return rng.integers(low, 4, shape).astype(dtype)


def nan(shape: tuple[int, ...], dtype: np.dtype = F32) -> np.ndarray:
    return np.full(shape, np.nan if dtype.kind == "f" else 77, dtype)
