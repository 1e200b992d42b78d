"""Every type, order and alignment of A and B, and how their products are formed."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import type_cases
from conftest import BF16, E4M3, E5M2, F16, F32, F64, S8, S32, U8
from fake_device import FakeDriver, FakeTorch

import cutl
from cutl import LayoutType, MathOperation, errors

COLUMN = LayoutType.ColumnMajor
# The full set is what `python test/python/type_cases.py` runs.
SAMPLE = random.Random(7).sample(type_cases.make_cases(), 120)


@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_exact(case: type_cases.Case) -> None:
    type_cases.run_case(case)


def run(a: np.ndarray, b: np.ndarray, out: np.dtype, **options: Any) -> np.ndarray:
    d = np.zeros((a.shape[0], b.shape[1]), out)
    cutl.op.Gemm(device="cpu", **options).run(a, b, None, d)
    return d


@pytest.mark.parametrize("dtype", [E4M3, E5M2], ids=str)
@pytest.mark.parametrize("out", [F32, F16, BF16], ids=str)
def test_every_value_of_8_bits_as_a_factor(dtype: np.dtype, out: np.dtype) -> None:
    """Of A and of B, along m or n, where a vector holds many, and along k, times one."""
    codes = np.arange(256, dtype=np.uint8).view(dtype)
    one = np.ones((1, 1), dtype)
    values = codes.astype(out)
    for options in ({}, {"fast_accumulation": True}):
        np.testing.assert_array_equal(run(codes.reshape(256, 1), one, out, **options)[:, 0], values)
        np.testing.assert_array_equal(run(one, codes.reshape(1, 256), out, **options)[0], values)
    finite = codes[np.isfinite(codes.astype(F32))]
    identity = np.eye(finite.size, dtype=F32).astype(dtype)
    np.testing.assert_array_equal(run(finite.reshape(1, -1), identity, out)[0], finite.astype(out))
    np.testing.assert_array_equal(run(identity.T, finite.reshape(-1, 1), out)[:, 0], finite.astype(out))


#
# Math operations
#


def test_math_operation_is_one_of_them_or_a_name() -> None:
    plan = cutl.op.Gemm(element="f32")
    assert plan.math_operation is MathOperation.multiply_add
    for value in ("tf32", "multiply_add_tf32", MathOperation.multiply_add_tf32):
        plan.math_operation = value
        assert plan.math_operation is MathOperation.multiply_add_tf32
        assert cutl.op.Gemm(element="f32", math_operation=value).ir() == plan.ir()
    assert " compute(math = tf32) {" in plan.ir()
    plan.math_operation = "multiply_add"
    assert "compute(" not in plan.ir()
    for value in ("tf3", "", None, 1, "multiply_add_"):
        with pytest.raises(errors.ArgumentError, match=r"^math_operation: expected one of multiply_add, multiply_add_sat"):
            plan.math_operation = value  # type: ignore[assignment]
    assert "compute(" not in plan.ir()


@pytest.mark.parametrize(
    "name,math", [("tf32", "tf32"), ("fast_f32", "tf32x3"), ("fast_bf16", "bf16"), ("fast_f16", "f16")]
)
def test_math_operations_of_f32(name: str, math: str) -> None:
    assert f" compute(math = {math}) {{" in cutl.op.Gemm(element="f32", math_operation=name).ir()
    for element in ("f16", "s8"):
        plan = cutl.op.Gemm(element_A=element, element_B=element, element_D="f32", math_operation=name)
        with pytest.raises(
            errors.ArgumentError,
            match=f"^math_operation: expected A and B of f32 with multiply_add_{name}, got {element} and {element};"
            " nearest legal value is multiply_add$",
        ):
            plan.ir()


def test_saturation_is_of_integers() -> None:
    plan = cutl.op.Gemm(element_A="s8", element_B="u8", element_D="s32", math_operation="saturate")
    assert " compute(b = unsigned, saturate) {" in plan.ir()
    with pytest.raises(errors.ArgumentError, match=r"^math_operation: expected integer A and B with .*, got f16 and f16;"):
        cutl.op.Gemm(element="f16", math_operation="saturate").ir()


def test_tf32_rounds_to_the_nearest_even_of_ten_bits(rng: np.random.Generator) -> None:
    unit = 2.0**-10
    a = np.array([[1 + unit / 2, 1 + 3 * unit / 2, 1 + unit / 2 + 2.0**-23, 1 - unit / 4, 3.0, -1 - unit / 2]], F32).T
    one = np.ones((1, 1), F32)
    got = run(a, one, F32, math_operation="tf32")[:, 0]
    np.testing.assert_array_equal(got, np.array([1, 1 + 2 * unit, 1 + unit, 1, 3, -1], F32))
    np.testing.assert_array_equal(run(a, one, F32)[:, 0], a[:, 0])


def test_sums_of_integers_wrap_or_saturate() -> None:
    k = 133_200
    for a, b, value in ((S8, S8, 128 * 128), (U8, U8, 255 * 255), (S8, U8, -128 * 255), (U8, S8, -255 * 128)):
        low = {S8: -128, U8: 255}
        left, right = np.full((3, k), low[a], a), np.full((k, 2), low[b], b)
        total = value * k
        wrapped = (total + 2**31) % 2**32 - 2**31
        assert (run(left, right, S32) == wrapped).all()
        clamped = min(max(total, -(2**31)), 2**31 - 1)
        assert (run(left, right, S32, math_operation="saturate") == clamped).all()
        # What leaves the range on the way and comes back is no overflow of the sum.
        left[:, k // 2 :] = 0
        left[:, k - 1] = 1
        exact = value * (k // 2) + low[b]
        clamped = min(max(exact, -(2**31)), 2**31 - 1)
        assert (run(left, right, S32, math_operation="saturate") == clamped).all()


#
# On a GPU
#


def instructions(ptx: str) -> set[str]:
    return {line.split()[0] for line in ptx.splitlines() if line.strip().startswith("wgmma.mma_async")}


@pytest.mark.parametrize(
    "a,b,accumulator,math,name",
    [
        ("f16", "f16", "f16", "", "k16.f16.f16.f16"),
        ("e4m3", "e5m2", None, "", "k32.f32.e4m3.e5m2"),
        ("e5m2", "e5m2", "f16", "", "k32.f16.e5m2.e5m2"),
        ("s8", "s8", None, "", "k32.s32.s8.s8"),
        ("u8", "s8", None, "", "k32.s32.u8.s8"),
        ("s8", "u8", None, "", "k32.s32.s8.u8"),
        ("f32", "f32", None, "tf32", "k8.f32.tf32.tf32"),
    ],
)
def test_instruction(a: str, b: str, accumulator: Any, math: str, name: str) -> None:
    out = "s32" if a in ("s8", "u8") else "f16"
    plan = cutl.op.Gemm(
        element_A=a,
        element_B=b,
        element_D=out,
        element_accumulator=accumulator,
        math_operation=math or "multiply_add",
        layout_B=COLUMN,
    )
    found = instructions(plan.ptx)
    # The tile may have A and B swapped.
    swapped = name.removesuffix(f"{a}.{b}") + f"{b}.{a}" if math == "" else name
    assert found and all(i.endswith((name, swapped)) for i in found), found


def test_sums_of_8_bit_floats_are_promoted_unless_told_otherwise() -> None:
    plan = cutl.op.Gemm(element_A="e4m3", element_B="e4m3", element_D="bf16", layout_B=COLUMN)
    assert not plan.fast_accumulation and " compute(promote = 128) {" in plan.ir()
    promoted = plan.ptx
    plan.fast_accumulation = True
    assert "compute(" not in plan.ir()
    fast = plan.ptx
    assert promoted.count("add.rn.f32") > fast.count("add.rn.f32")
    for other in (
        {"element": "f16"},
        {"element_A": "e4m3", "element_B": "e4m3", "element_D": "f16", "element_accumulator": "f16"},
        {"element_A": "s8", "element_B": "s8", "element_D": "s32"},
    ):
        assert "compute(" not in cutl.op.Gemm(**other).ir()
    with pytest.raises(errors.ArgumentError, match=r"^fast_accumulation: expected True or False, got 0$"):
        plan.fast_accumulation = 0  # type: ignore[assignment]


@pytest.mark.parametrize("name,out", [("float8_e4m3fn", "bfloat16"), ("float8_e5m2", "float32"), ("int8", "int32")])
def test_tensors_of_8_bits_run(driver: FakeDriver, torch: FakeTorch, name: str, out: str) -> None:
    dtype = getattr(torch, name)
    a, b = torch.tensor((256, 128), dtype), torch.tensor((512, 128), dtype).t()
    d = torch.tensor((256, 512), getattr(torch, out))
    launches = driver.get("launches")
    plan = cutl.op.Gemm()
    assert plan.run(a, b, None, d) is d
    assert driver.get("launches") == launches + 1 and plan.device == "cuda"


def test_f32_tensors_run_as_tf32(driver: FakeDriver, torch: FakeTorch) -> None:
    a, b, d = (torch.tensor(shape, torch.float32) for shape in ((256, 128), (512, 128), (256, 512)))
    plan = cutl.op.Gemm(math_operation="tf32")
    assert plan.run(a, b.t(), None, d) is d and plan.device == "cuda"


def test_saturation_on_a_gpu_needs_a_known_k() -> None:
    options: dict[str, Any] = {"element_A": "s8", "element_B": "s8", "element_D": "s32", "layout_B": COLUMN}
    with pytest.raises(errors.CompileError, match="expected k to be known and at most 131071, got one that is not known"):
        cutl.op.Gemm(math_operation="saturate", **options).ptx  # noqa: B018
