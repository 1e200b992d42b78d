"""Faults reported of systems that do this job, in terms of traced epilogues. The links are to the reports."""

from __future__ import annotations

import cutl
import numpy as np
import pytest
from conftest import BF16, E4M3, E5M2, F16, F32, F64
from cutl import epilogue, errors
from epilogue_check import check
from fake_device import FakeDriver, FakeTorch

T = cutl.Tensor


def combine(accum, alpha, beta, C):  # type: ignore[no-untyped-def]
    D = epilogue.linear_combination(alpha, accum, beta, C)
    return D


def plan_of(function, **examples) -> cutl.op.Gemm:  # type: ignore[no-untyped-def]
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = epilogue.trace(function, examples)
    return plan


@pytest.mark.parametrize("size", [(2, 3, 5000), (64, 64, 16), (1, 1, 4096), (5, 7, 0)], ids=str)
def test_beta_of_zero_never_reads_c(size: tuple[int, int, int]) -> None:
    """https://github.com/kokkos/kokkos-kernels/issues/509"""
    m, n, k = size
    d, c = np.empty((m, n), F32), np.full((m, n), np.nan, F32)
    plan = plan_of(combine, accum=d, alpha=1.0, beta=0.0, C=c, D=d)
    plan.run(np.ones((m, k), F32), np.ones((k, n), F32), c, d, visitor_args={"alpha": 1.0, "beta": 0.0})
    assert (d == k).all()


def test_result_over_a_is_refused() -> None:
    """https://github.com/pytorch/pytorch/issues/48900 and https://github.com/pytorch/pytorch/pull/184094"""

    def add(accum, bias):  # type: ignore[no-untyped-def]
        D = accum + bias
        return D

    for size in (5, 4, 50):
        t, other, bias = np.ones((size, size), F32), np.eye(size, dtype=F32), np.ones(size, F32)
        plan = plan_of(add, accum=t, bias=bias, D=t)
        for a, b, name in ((t, other, "A"), (other, t, "B"), (t, t, "A"), (t.T, other, "A")):
            with pytest.raises(errors.AliasError, match=f"^D: expected to share no memory with {name}"):
                plan.run(a, b, D=t, visitor_args={"bias": bias})
        assert (t == 1).all()
        with pytest.raises(errors.AliasError, match="^D: expected to share no memory with bias"):
            plan.run(other, other, D=t, visitor_args={"bias": t[0]})


def test_result_that_overlaps_itself_is_refused() -> None:
    """https://github.com/pytorch/pytorch/issues/23063"""

    def both(accum):  # type: ignore[no-untyped-def]
        D = accum
        top = epilogue.max(accum, dim=1)
        return D, top

    d, top = np.empty((4, 4), F32), np.empty(4, F32)
    plan = plan_of(both, accum=d, D=d, top=top)
    row = np.lib.stride_tricks.as_strided(np.empty(4, F32), (4, 4), (0, 4))
    with pytest.raises(errors.AliasError, match="^D: expected every index to have an element of its own"):
        plan.run(d, np.empty((4, 4), F32), D=row, visitor_args={"top": top})
    one = np.lib.stride_tricks.as_strided(np.empty(1, F32), (4,), (0,))
    with pytest.raises(errors.AliasError, match="^top: expected every index to have an element of its own"):
        plan.run(np.ones((4, 4), F32), np.ones((4, 4), F32), D=d, visitor_args={"top": one})


def test_first_call_in_place_and_of_a_reduction_is_like_later_ones() -> None:
    """https://github.com/triton-lang/triton/issues/6547 and https://github.com/triton-lang/triton/issues/4217"""

    def accumulate(accum, C):  # type: ignore[no-untyped-def]
        D = accum + C
        total = epilogue.sum(accum, dim=0)
        return D, total

    c, total = np.zeros((62, 120), F32), np.full(120, 1e9, F32)
    plan = plan_of(accumulate, accum=c, C=c, D=c, total=total)
    for call in range(1, 4):
        plan.run(np.ones((62, 8), F32), np.ones((8, 120), F32), c, c, visitor_args={"total": total})
        assert (c == 8 * call).all() and (total == 62 * 8).all()


def test_scalars_of_every_kind(driver: FakeDriver, torch: FakeTorch) -> None:
    """https://github.com/cupy/cupy/issues/4200, https://github.com/apple/coremltools/pull/2779 and
    https://github.com/flashinfer-ai/flashinfer/pull/3597"""
    whole = T("f16", (256, 512))
    a, b, c, d = (torch.tensor(shape) for shape in ((256, 128), (128, 512), (256, 512), (256, 512)))
    plan = cutl.op.Gemm()
    plan.epilogue_visitor = epilogue.trace(combine, {"accum": whole, "alpha": 1.0, "beta": 0, "C": whole, "D": whole})
    launches = driver.get("launches")
    on_gpu = torch.tensor((1,), torch.float32)
    for alpha, beta in ((0.5, 2), (1, np.float16(2)), (on_gpu, 0.0), (on_gpu, torch.tensor((), torch.float32))):
        plan.run(a, b, c, d, visitor_args={"alpha": alpha, "beta": beta})
    assert driver.get("launches") == launches + 4
    assert "memref<f32" in plan.ir()
    with pytest.raises(
        errors.DeviceError, match="^alpha: expected a CUDA tensor or a NumPy array, got a tensor on cpu"
    ):
        plan.run(a, b, c, d, visitor_args={"alpha": torch.tensor((), torch.float32, device=-1), "beta": 1.0})


def test_factor_of_product_and_bias_scales_both() -> None:
    """https://github.com/openxla/xla/issues/46110"""

    def scaled(accum, bias):  # type: ignore[no-untyped-def]
        D = 0.1 * (accum + bias)
        return D

    results = check(scaled, (0, 24, 40, 16), {"bias": np.full(40, 1000, F32)}, {"D": ((24, 40), F32)})
    assert (np.abs(results["D"]) > 90).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_axis_of_a_bias_does_not_depend_on_the_order_of_the_result(order: str) -> None:
    """https://github.com/NVIDIA/cutlass/issues/3540"""

    def biased(accum, row, column):  # type: ignore[no-untyped-def]
        D = accum + row * 2.0 + column
        return D

    rng = np.random.default_rng(0)
    inputs = {"row": rng.standard_normal(40).astype(F16), "column": rng.standard_normal((24, 1)).astype(F16)}
    check(biased, (0, 24, 40, 16), inputs, {"D": ((24, 40), F32)}, out_order=order)


@pytest.mark.parametrize("name", ["C", "bias", "A", "anything"])
def test_names_of_operands_mean_nothing(name: str) -> None:
    """https://github.com/pytorch/pytorch/pull/189774: a row called C beside a square result."""
    size, rng = 24, np.random.default_rng(0)
    row = rng.standard_normal(size).astype(F32)
    text = f"def biased(accum, {name}):\n    D = accum + {name}\n    return D\n"
    check(text, (0, size, size, 8), {name: row}, {"D": ((size, size), F32)})
    check(text, (0, size, size, 8), {name: row[:, None]}, {"D": ((size, size), F32)})


def test_formulas_of_gelu_are_never_exchanged() -> None:
    """https://github.com/pytorch/pytorch/pull/104061"""

    def both(accum, bias):  # type: ignore[no-untyped-def]
        D = epilogue.gelu(accum + bias)
        E = epilogue.gelu_tanh(accum + bias)
        return D, E

    x = np.linspace(-4, 4, 64).astype(F64).reshape(1, 64)
    d, e = np.empty((1, 64), F64), np.empty((1, 64), F64)
    plan = plan_of(both, accum=d, bias=x, D=d, E=e)
    plan.run(np.zeros((1, 1)), np.zeros((1, 64)), D=d, visitor_args={"bias": x, "E": e})
    assert np.abs(d - e).max() > 1e-4
    np.testing.assert_allclose(d, epilogue.gelu(x), atol=1e-15)
    np.testing.assert_allclose(e, epilogue.gelu_tanh(x), atol=1e-15)


def test_clamp_keeps_nan() -> None:
    """https://github.com/pytorch/ao/pull/4271"""

    def clamped(accum, bias):  # type: ignore[no-untyped-def]
        D = epilogue.clamp(accum + bias, -1.0, 1.0)
        E = epilogue.cast(epilogue.clamp(accum + bias, -1.0, 1.0), "s8", saturate=True)
        return D, E

    bias = np.array([np.nan, np.inf, -np.inf, 0.25], F32)
    d, e = np.empty((3, 4), F32), np.empty((3, 4), np.int8)
    plan = plan_of(clamped, accum=d, bias=bias, D=d, E=e)
    plan.run(np.zeros((3, 2), F32), np.zeros((2, 4), F32), D=d, visitor_args={"bias": bias, "E": e})
    assert np.isnan(d[:, 0]).all() and (d[:, 1:] == [1.0, -1.0, 0.25]).all()
    # An integer has no NaN; it is 0 and not a bound.
    assert (e == [0, 1, -1, 0]).all()


def test_scale_of_the_result_is_applied_before_it_saturates() -> None:
    """https://github.com/pytorch/pytorch/issues/190449 and https://github.com/pytorch/pytorch/issues/154807"""
    ml_dtypes = pytest.importorskip("ml_dtypes")

    def scaled(accum, scale_a, scale_b, scale):  # type: ignore[no-untyped-def]
        D = epilogue.cast(accum * scale_a * scale_b * scale, "e4m3", saturate=True)
        return D

    d = np.empty((2, 3), ml_dtypes.float8_e4m3fn)
    a, b = np.full((2, 16), 8.0, F16), np.full((16, 3), 8.0, F16)
    plan = plan_of(scaled, accum=np.empty((2, 3), F32), scale_a=1.0, scale_b=1.0, scale=1.0, D=d)
    for scale, expected in ((0.25, 128.0), (2.0**-12, 0.125), (1.0, 448.0), (-1.0, -448.0)):
        plan.run(a, b, D=d, visitor_args={"scale_a": 0.5, "scale_b": 1.0, "scale": scale})
        assert (d.astype(F32) == expected).all()
    # An argument that nothing reads is a mistake of the function, and named.
    with pytest.raises(errors.TraceError, match="scale: expected a result to depend on the argument"):

        def forgetful(accum, scale):  # type: ignore[no-untyped-def]
            D = accum
            return D

        epilogue.trace(forgetful, {"accum": np.empty((2, 3), F32), "scale": 1.0, "D": np.empty((2, 3), F32)})


@pytest.mark.parametrize("order", ["C", "F"])
def test_transposed_result_is_the_transpose(order: str) -> None:
    """https://github.com/pytorch/pytorch/issues/184247: a change of layout after the epilogue is a map of its own."""

    def transposed(accum, bias, C):  # type: ignore[no-untyped-def]
        x = epilogue.relu(accum + bias)
        D = epilogue.permute(x, (1, 0))
        E = D * 2.0 + C
        return D, E, x

    rng = np.random.default_rng(0)
    for m, n in ((24, 40), (32, 32), (1, 40)):
        inputs = {"bias": rng.standard_normal(n).astype(F32), "C": rng.standard_normal((n, m)).astype(F32)}
        outputs = {"D": ((n, m), F16), "E": ((n, m), F32), "x": ((m, n), F32)}
        results = check(transposed, (0, m, n, 16), inputs, outputs, out_order=order)
        np.testing.assert_array_equal(results["D"], results["x"].T.astype(F16))


def test_sum_in_f32_is_written_over_its_operand_only_where_nothing_reads_it_later() -> None:
    """https://github.com/pytorch/pytorch/issues/191433: the sizes, types and in-place sum of the report."""

    def layer(accum, C, scale):  # type: ignore[no-untyped-def]
        x = C + epilogue.cast(accum, "bf16")
        D = epilogue.cast(x, "bf16") * scale
        squares = epilogue.sum(x * x, dim=-1)
        change = x - C
        return D, x, squares, change

    rng, shape = np.random.default_rng(0), (96, 8, 192)
    a = (rng.standard_normal(shape) / 8).astype(BF16)
    b = rng.standard_normal((192, 192)).astype(BF16)
    before = rng.standard_normal(shape).astype(F32)
    scale = rng.standard_normal(192).astype(F32)

    def run(c: np.ndarray, x: np.ndarray) -> list[np.ndarray]:
        d, change, squares = np.empty(shape, BF16), np.empty(shape, F32), np.empty(shape[:2], F32)
        plan = plan_of(layer, accum=x, C=c, scale=scale, D=d, x=x, squares=squares, change=change)
        values = {"scale": scale, "x": x, "squares": squares, "change": change}
        plan.run(a, b, c, d, visitor_args=values)
        return [d, x, squares, change]

    apart = run(before.copy(), np.empty(shape, F32))
    over = before.copy()
    for one, other in zip(apart, run(over, over)):
        np.testing.assert_array_equal(one, other)
    wide = a.astype(F64) @ b.astype(F64)
    # A bf16 product has half a unit of its 8 bits as its error, and the sum little more.
    error = np.abs(wide) * 2.0**-8 + 1e-4
    assert (np.abs(over - (before + wide)) <= error).all()
    room = np.concatenate([before.ravel(), np.zeros(192, F32)])
    with pytest.raises(errors.AliasError, match="^x: expected to be C itself or to share no memory with it"):
        run(room[:-192].reshape(shape), room[192:].reshape(shape))


@pytest.mark.parametrize("narrow", [E4M3, E5M2], ids=str)
@pytest.mark.parametrize("wide", [BF16, F16, F32, F64], ids=str)
def test_every_code_of_an_8_bit_float_keeps_its_value(narrow: np.dtype, wide: np.dtype) -> None:
    """https://github.com/triton-lang/triton/pull/11784: infinities and NaN too."""

    name = "e4m3" if narrow == E4M3 else "e5m2"

    def through(accum, C):  # type: ignore[no-untyped-def]
        # Chosen and not added, so that zeros keep their signs.
        D = epilogue.where(accum == 0.0, C, accum)
        E = epilogue.cast(D, "bf16")
        F = epilogue.cast(E, name)
        return D, E, F

    codes = np.arange(256, dtype=np.uint8).view(narrow).reshape(1, 256)
    d, e, f = np.empty((1, 256), wide), np.empty((1, 256), F32), np.empty((1, 256), narrow)
    plan = plan_of(through, accum=e, C=codes, D=d, E=e, F=f)
    plan.run(np.zeros((1, 8), F32), np.zeros((8, 256), F32), codes, d, visitor_args={"E": e, "F": f})
    # By the formats' definitions, not by a library's conversion.
    bits = np.arange(256)
    exponent_bits, bias = (4, 7) if narrow == E4M3 else (5, 15)
    mantissa_bits = 7 - exponent_bits
    exponent, mantissa = bits >> mantissa_bits & (2**exponent_bits - 1), bits & (2**mantissa_bits - 1)
    fraction = mantissa / 2.0**mantissa_bits
    value = np.where(exponent == 0, fraction * 2.0 ** (1 - bias), (1.0 + fraction) * 2.0 ** (exponent - bias))
    if narrow == E4M3:
        value[bits & 127 == 127] = np.nan
    else:
        value[exponent == 31] = np.where(mantissa[exponent == 31] == 0, np.inf, np.nan)
    value = np.where(bits >= 128, -value, value).reshape(1, 256)
    signs = np.signbit(value)
    for result in (d, e, f):
        np.testing.assert_array_equal(result.astype(F64), value)
        np.testing.assert_array_equal(np.signbit(result.astype(F64))[~np.isnan(value)], signs[~np.isnan(value)])


def test_f64_becomes_an_8_bit_float_by_one_rounding() -> None:
    """https://github.com/triton-lang/triton/pull/11897: 126.24 is nearest to 128; types without a conversion are named."""

    def narrowed(accum, C):  # type: ignore[no-untyped-def]
        D = accum + C
        E = epilogue.cast(D, "e5m2")
        return D, E

    # The second and the third are next to a middle of two values, from which a rounding to f32 takes them away.
    c = np.array([[126.24, 116.0 + 1e-9, 108.0 - 1e-9, -126.24, 116.0, 108.0, 464.0 - 1e-9, 2.0**-10 + 1e-12]])
    d, e = np.empty(c.shape, E4M3), np.empty(c.shape, F64)
    plan = plan_of(narrowed, accum=np.empty(c.shape), C=c, D=d, E=e)
    plan.run(np.zeros((1, 4)), np.zeros((4, 8)), c, d, visitor_args={"E": e})
    assert d.astype(F64).tolist() == [[128.0, 120.0, 104.0, -128.0, 112.0, 112.0, 448.0, 2.0**-9]]
    assert e[0, :7].tolist() == [128.0, 112.0, 112.0, -128.0, 112.0, 112.0, 448.0]
    with pytest.raises(errors.TraceTypeError, match="cast: dtype: expected one of .*, got e2m1"):
        plan_of("def f(accum):\n    D = cast(accum, 'e2m1')\n    return D\n", accum=c, D=d)
