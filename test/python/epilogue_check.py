"""Runs a traced function on the CPU target, and in float64 with a bound on the error of each step; with sizes, operands and a
function that several tests share."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, Optional, Union

import numpy as np
from conftest import ACCUMULATION_FACTOR, EPSILON, F16, assert_close

import cutl
from cutl import epilogue
from cutl.epilogue import _reference
from cutl.epilogue._graph import COMPARISONS, CONSTANT, LOAD, PERMUTE, REDUCE, RESHAPE, Graph

# Batch, M, N and K.
SMALL = (3, 8, 8, 128)
TALL = (3, 488, 8, 128)
WIDE = (3, 8, 768, 128)
SQUARE = (3, 488, 768, 128)
SIZES = (SMALL, TALL, WIDE)

# Roundings of one step: transcendental functions are good to a few units in the last place.
STEP = 6.0

Value = tuple[Any, Any]
Shape = tuple[int, ...]


def draw(*shape: int, dtype: type = F16, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def full(size: tuple[int, int, int, int], dtype: type = F16) -> tuple[tuple[int, ...], type]:
    return size[:3], dtype


def swiglu(accum0, accum1, bias):  # type: ignore[no-untyped-def]
    D = epilogue.silu(accum0 + bias) * accum1
    top = epilogue.amax(D, dim=-1)
    return D, top


def bound(graph: Graph, arguments: dict[str, Value], epsilon: float) -> dict[str, Value]:
    """The results and bounds on their errors, from values and bounds of the arguments."""
    values: dict[int, Value] = {}
    for index in graph.live():
        node = graph.nodes[index]
        if node.op == LOAD:
            values[index] = arguments[node.name]
            continue
        operands = [values[operand] for operand in node.operands]
        value = _reference._apply(node, [v for v, _ in operands])
        values[index] = (value, _error(node, value, operands, epsilon))
    return {result.name: values[result.node] for result in graph.results}


def _error(node: Any, value: Any, operands: list[Value], epsilon: float) -> Any:
    if node.op == CONSTANT:
        return 0.0
    if node.op in (PERMUTE, RESHAPE):
        return _reference._apply(node, [np.broadcast_to(operands[0][1], np.shape(operands[0][0]))])
    x, dx = operands[0]
    if node.op == REDUCE:
        dx = np.broadcast_to(dx, np.shape(x))
        if node.combiner != "add":
            return _reference._REDUCTIONS["max"](dx, node.dims, node.keepdims)
        count = np.size(x) / max(1, np.size(value))
        total = _reference._REDUCTIONS["add"](
            dx + 2.0 * math.sqrt(count) * EPSILON * np.abs(x), node.dims, node.keepdims
        )
        return total + epsilon * np.abs(value)
    if node.op == "select":
        (_, dc), (a, da), (b, db) = operands
        return np.where(np.asarray(dc) > 0.0, np.abs(a - b) + da + db, np.where(x, da, db))
    worst: Any = 0.0
    for signs in itertools.product((-1.0, 1.0), repeat=len(operands)):
        if node.op in ("and", "or", "xor", "not"):
            break
        moved = [v + sign * d for sign, (v, d) in zip(signs, operands)]
        other = _reference._apply(node, moved)
        if node.op in COMPARISONS:
            worst = np.maximum(worst, (other != value) * 1.0)
        else:
            worst = np.maximum(worst, np.abs(other - value))
    if node.op in ("and", "or", "xor", "not"):
        return sum(d for _, d in operands)
    if node.op in (*COMPARISONS, "convert"):
        return worst
    scale = np.abs(value)
    if node.op in ("gelu", "gelu_tanh", "silu", "hardswish", "softplus", "sin", "cos", "tanh") or node.op.endswith(
        "_grad"
    ):
        scale = scale + np.minimum(np.abs(x), 1.0)
    return worst + STEP * epsilon * scale


def check(
    fn: Union[Callable[..., Any], str],
    size: tuple[int, int, int, int],
    inputs: dict[str, Any],
    outputs: dict[str, tuple[Shape, Any]],
    *,
    element: Any = F16,
    batch: Optional[Shape] = None,
    plan_args: Optional[dict[str, Any]] = None,
    out_order: str = "C",
    num_b: int = 1,
    seed: int = 7,
) -> dict[str, np.ndarray]:
    """Traces a function, runs it for `size` (batch or 0 for none, M, N, K), and compares every result."""
    l, m, n, k = size
    lead = batch if batch is not None else (l,) if l else ()
    rng = np.random.default_rng(seed)
    a = (rng.standard_normal((*lead, m, k)) / math.sqrt(k) * 2).astype(element)
    bs = [rng.standard_normal((*lead, k, n)).astype(element) for _ in range(num_b)]
    results = {
        name: np.full(shape, np.nan if np.dtype(dtype).kind not in "iu" else 77, dtype, order=out_order)
        for name, (shape, dtype) in outputs.items()
    }
    split = (plan_args or {}).get("split", "")
    names = ["accum"] if num_b == 1 and not split else ["accum0", "accum1"]
    n_accumulator = n // 2 if split else n
    stand_in = cutl.Tensor("f32", (*lead, m, n_accumulator))
    traced = cutl.epilogue.trace(fn, {**{name: stand_in for name in names}, **inputs, **results})
    plan = cutl.op.Gemm(device="cpu", **(plan_args or {}))
    plan.epilogue_visitor = traced
    arguments = {**inputs, **results}
    c, d = arguments.pop("C", None), arguments.pop("D", None)
    returned = plan.run(a, bs[0] if num_b == 1 else tuple(bs), c, d, visitor_args=arguments)
    assert returned is results.get("D")

    known: dict[str, Value] = {}
    wide_a = a.astype(np.float64)
    columns = [b.astype(np.float64) for b in bs]
    if split == "halves":
        columns = [columns[0][..., : n // 2], columns[0][..., n // 2 :]]
    elif split == "interleaved":
        columns = [columns[0][..., ::2], columns[0][..., 1::2]]
    for name, b in zip(names, columns):
        known[name] = (wide_a @ b, ACCUMULATION_FACTOR * math.sqrt(k) * EPSILON * (np.abs(wide_a) @ np.abs(b)))
    for name, value in inputs.items():
        wide = np.float64(np.float32(value)) if isinstance(value, float) else np.asarray(value, dtype=np.float64)
        known[name] = (wide, 0.0)
    with np.errstate(all="ignore"):
        expected = bound(traced._graph, known, EPSILON)
        if callable(fn):
            own = fn(**{name: value for name, (value, _) in known.items()})
            own = own if isinstance(own, tuple) else (own,)
            for value, name in zip(own, traced.results):
                np.testing.assert_allclose(value, expected[name][0], rtol=1e-12, atol=1e-12, err_msg=name)
    for name, result in results.items():
        value, error = expected[name]
        value = np.broadcast_to(np.asarray(value, dtype=np.float64), np.shape(value)).reshape(result.shape)
        error = np.broadcast_to(error, np.shape(expected[name][0])).reshape(result.shape)
        if result.dtype.kind in "iu":
            limits = np.iinfo(result.dtype)
            clipped = np.clip(value, limits.min, limits.max)
            assert (np.abs(result.astype(np.float64) - clipped) <= 0.5 + error).all(), name
        else:
            assert_close(result, value, np.asarray(error) + 1e-300)
    return results
