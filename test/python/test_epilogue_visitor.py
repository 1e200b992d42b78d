"""Traced functions run on the CPU target, against the same function in float64: how operands lie, what is read, mixtures of
these, and what is stored."""

from __future__ import annotations

import cutl
import numpy as np
import pytest
from conftest import BF16, E4M3, E5M2, F16, F32, F64
from cutl import epilogue
from cutl.epilogue import cast, gelu_tanh, linear_combination, permute, relu, reshape, silu
from epilogue_check import SIZES, SMALL, SQUARE, TALL, WIDE, check, draw, full

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
