"""Bad input: every message names the operand, the rule and both values."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import BF16, F16, F32

import cutl
from cutl import _arrays, errors


def ones(*shape: int, dtype: Any = F16) -> np.ndarray:
    return np.ones(shape, dtype)


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def misaligned() -> np.ndarray:
    return np.frombuffer(bytearray(2 * 15 + 1), np.uint8)[1:].view(F16).reshape(3, 5)


def odd_strides() -> np.ndarray:
    return np.zeros((3, 4), np.dtype([("x", np.float32), ("y", np.int16)], align=False))["x"]


WRONG_CALLS: list[tuple[str, dict[str, Any], type, str]] = [
    ("no D", {"D": None}, errors.MissingOperandError, r"^D: expected an array .* got none"),
    ("no C", {"beta": 1.0}, errors.MissingOperandError, r"^C: expected an array .* since beta is 1\.0, got none"),
    ("list", {"A": [[1.0]]}, errors.DTypeError, r"^A: expected a numpy\.ndarray, got list"),
    ("strings", {"B": np.array([["x"]])}, errors.DTypeError, r"^B: expected one of the element types .*f.*, got <U1"),
    ("complex", {"B": ones(4, 5, dtype=np.complex64)}, errors.DTypeError, r"^B: .*got complex64"),
    ("swapped bytes", {"A": ones(3, 4, dtype=">f2")}, errors.DTypeError, r"^A: expected .* native .* got >f2"),
    ("declared type", {"A": ones(3, 4, dtype=F32)}, errors.DTypeError, r"^A: expected element type f16, got f32"),
    ("rank of A", {"A": ones(4)}, errors.ShapeError, r"^A: expected at least 2 dimensions, got shape \(4,\)"),
    ("rank of D", {"D": ones(15)}, errors.ShapeError, r"^D: expected at least 2 dimensions, got shape \(15,\)"),
    ("K", {"B": ones(6, 5)}, errors.ShapeError, r"^B: expected 4 rows, .* got 6 in shape \(6, 5\)"),
    ("shape of D", {"D": ones(5, 3)}, errors.ShapeError, r"^D: expected shape \(3, 5\) .* got \(5, 3\)"),
    ("batch of D", {"D": ones(2, 3, 5)}, errors.ShapeError, r"^D: expected shape \(3, 5\) .* got \(2, 3, 5\)"),
    (
        "batches",
        {"A": ones(2, 3, 4), "B": ones(3, 4, 5), "D": ones(2, 3, 5)},
        errors.ShapeError,
        r"^B: expected batch dimensions that broadcast with \(2,\) of A, got \(3,\)",
    ),
    (
        "shape of C",
        {"C": ones(5, 3), "beta": 1.0},
        errors.ShapeError,
        r"^C: expected the shape \(3, 5\) of D, or 5 elements as a row, got \(5, 3\)",
    ),
    ("batch of C", {"C": ones(2, 3, 5), "beta": 1.0}, errors.ShapeError, r"^C: .* got \(2, 3, 5\)"),
    ("bias", {"bias": ones(4)}, errors.ShapeError, r"^bias: expected 5 elements .* or shape \(3, 1\) .*, got \(4,\)"),
    ("type of bias", {"bias": [1.0]}, errors.DTypeError, r"^bias: expected a numpy\.ndarray, got list"),
    ("read-only D", {"D": read_only(ones(3, 5))}, errors.ReadOnlyError, r"^D: expected a writable array"),
    (
        "overlapping D",
        {"D": np.lib.stride_tricks.as_strided(ones(20), (3, 5), (2, 2))},
        errors.AliasError,
        r"^D: expected every index to have an element of its own, got shape \(3, 5\) with strides \(2, 2\)",
    ),
    ("misaligned", {"D": misaligned()}, errors.LayoutError, r"^D: expected elements aligned to 2 bytes, got address"),
    ("alpha", {"alpha": "one"}, errors.ArgumentError, r"^alpha: expected a number, got 'one'"),
    ("beta", {"beta": [1, 2]}, errors.ArgumentError, r"^beta: expected a number, got \[1, 2\]"),
]


@pytest.mark.parametrize("changes,error,message", [c[1:] for c in WRONG_CALLS], ids=[c[0] for c in WRONG_CALLS])
def test_wrong_call(changes: dict[str, Any], error: type, message: str) -> None:
    arguments: dict[str, Any] = {"A": ones(3, 4), "B": ones(4, 5), "C": None, "D": ones(3, 5)}
    arguments.update(changes)
    plan = cutl.op.Gemm(element=F16, device="cpu")
    with pytest.raises(error, match=message) as caught:
        plan.run(**arguments)
    assert isinstance(caught.value, errors.CutlError)


def test_odd_strides() -> None:
    with pytest.raises(errors.LayoutError, match=r"^A: expected .*(multiples of the element size 4|aligned to 4)"):
        cutl.op.Gemm(device="cpu").run(odd_strides(), ones(4, 5, dtype=F32), None, ones(3, 5, dtype=F32))


@pytest.mark.parametrize("name", ["A", "B", "C", "bias"])
def test_overlap(name: str) -> None:
    """D may be C as it is, and may overlap nothing else."""
    memory = np.zeros(100, F32)
    d = memory[40:56].reshape(4, 4)
    arrays: dict[str, Any] = {"A": ones(4, 4, dtype=F32), "B": ones(4, 4, dtype=F32), "C": ones(4, 4, dtype=F32)}
    shared = memory[55:59] if name == "bias" else memory[55:71].reshape(4, 4)
    arrays[name] = shared
    with pytest.raises(errors.AliasError, match=rf"^D: expected to .*share no memory with.*, got arrays at 0x"):
        cutl.op.Gemm(device="cpu").run(**arrays, D=d, beta=1.0)
    arrays[name] = memory[56:60] if name == "bias" else memory[56:72].reshape(4, 4)
    cutl.op.Gemm(device="cpu").run(**arrays, D=d, beta=1.0)


def test_overlap_by_interleaving() -> None:
    """Bounds overlap, elements do not."""
    memory = np.ones((4, 8), F32)
    cutl.op.Gemm(device="cpu").run(memory[:, ::2], ones(4, 4, dtype=F32), None, memory[:, 1::2])
    assert np.array_equal(memory, np.tile([1.0, 4.0], (4, 4)))


def test_overlap_that_is_hard_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where NumPy has its error in another place, as before 1.25."""
    memory = np.zeros(192163377, np.int8)
    output = np.lib.stride_tricks.as_strided(memory, (1049,) * 3, (36674, 61119, 85569))
    other = np.lib.stride_tricks.as_strided(memory[64023025:], (1049, 1049, 1), (12223, 12224, 1))
    old = SimpleNamespace(shares_memory=np.shares_memory, TooHardError=getattr(np, "exceptions", np).TooHardError)
    for numpy in (np, old):
        monkeypatch.setattr(_arrays, "np", numpy)
        with pytest.raises(errors.AliasError, match="^D: expected to share no memory with A"):
            _arrays.check_no_overlap("D", output, "A", other, False)


def test_c_transposed_onto_d() -> None:
    d = ones(4, 4, dtype=F32)
    with pytest.raises(errors.AliasError, match=r"^D: expected to be C itself or to share no memory with it"):
        cutl.op.Gemm(device="cpu").run(ones(4, 4, dtype=F32), ones(4, 4, dtype=F32), d.T, d, beta=1.0)


def test_unread_c_may_overlap() -> None:
    d = ones(4, 4, dtype=F32)
    cutl.op.Gemm(device="cpu").run(ones(4, 4, dtype=F32), ones(4, 4, dtype=F32), d.T, d, beta=0.0)
    assert (d == 4.0).all()


WRONG_PLANS: list[tuple[Callable[[], Any], type, str]] = [
    (lambda: cutl.op.Gemm(element="f17"), errors.ArgumentError, r"^element: expected a data type \(.*f16.*'f17'"),
    (lambda: cutl.op.Gemm(element=np.complex64), errors.DTypeError, r"^element: .*got complex64"),
    (lambda: cutl.op.Gemm(layout="row"), errors.ArgumentError, r"^layout: expected a cutl\.LayoutType, got 'row'"),
    (lambda: cutl.op.Gemm(layout_B=1), errors.ArgumentError, r"^layout_B: expected a cutl\.LayoutType, got 1"),
    (lambda: cutl.op.Gemm(A=ones(3, 4), element_A="f16"), errors.ArgumentError, r"^element_A: expected none beside"),
    (
        lambda: cutl.op.Gemm(A=ones(3, 4), layout_A=cutl.LayoutType.RowMajor),
        errors.ArgumentError,
        r"^layout_A: expected none beside",
    ),
    (lambda: cutl.op.Gemm(device="tpu"), errors.ArgumentError, r"^device: expected 'auto', 'cpu' or 'cuda', got 'tpu'"),
    (lambda: cutl.op.Gemm(element="f16").compile("tpu"), errors.ArgumentError, r"^device: expected .* got 'tpu'"),
    (lambda: cutl.op.Gemm(alpha=None), errors.ArgumentError, r"^alpha: expected a number, got None"),
    (lambda: cutl.op.Gemm(element="s4").compile(), errors.DTypeError, r"^A: expected one of the CPU .* got s4"),
    (
        lambda: cutl.op.Gemm(element_A="f64", element_B="f16", element_D="f32").compile(),
        errors.DTypeError,
        r"^B: expected an element type that can be multiplied with f64 of A, got f16",
    ),
    (lambda: cutl.op.Gemm().compile(), errors.MissingOperandError, r"^element_A: expected an element type"),
    (
        lambda: cutl.op.Gemm(element="f32", element_accumulator="f16").compile(),
        errors.CompileError,
        r"f16",
    ),
    (lambda: cutl.op.Gemm(element="f16").ir("sass"), errors.ArgumentError, r"^stage: expected one of raw.*'sass'"),
    (
        lambda: cutl.op.Gemm(element="f16").ir("raw", chip="sm_1"),
        errors.ArgumentError,
        r"^chip: expected one of .*sm_90a.*, got 'sm_1'",
    ),
    (lambda: cutl.op.Gemm(element="f16").ir("raw", shape=(1, 2)), errors.ArgumentError, r"^shape: expected M, N and K"),
    (lambda: cutl.op.Gemm(element="f16").ir("raw", shape=(1, 2, -3)), errors.ArgumentError, r"^shape: .*-3"),
    (lambda: cutl.op.Gemm(element="f16").ir(shape=(2**70, 1, 1)), errors.ArgumentError, r"^shape: .*0 to 9223372036854775807, got"),
]


@pytest.mark.parametrize("make,error,message", WRONG_PLANS)
def test_wrong_plan(make: Callable[[], Any], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    "value,message",
    [
        ("softmax", "expected one of .*relu.*, got 'softmax'"),
        (None, "got None"),
        (("relu", 0.5), "expected no argument for relu, got 0.5"),
        (("leaky_relu", "x"), "expected a number as the argument of leaky_relu, got 'x'"),
        (("leaky_relu", 1, 2), "expected one of"),
    ],
)
def test_wrong_activation(value: Any, message: str) -> None:
    plan = cutl.op.Gemm(element=F16)
    with pytest.raises(errors.ArgumentError, match=f"^activation: .*{re.escape(message) if 'got' not in message else message}"):
        plan.activation = value
    assert plan.activation is cutl.epilogue.identity


def test_bf16_from_ml_dtypes_only() -> None:
    assert cutl.DataType.bf16.numpy == BF16


def test_errors_are_builtin_kinds() -> None:
    assert issubclass(errors.ShapeError, ValueError)
    assert issubclass(errors.DTypeError, TypeError)
    assert issubclass(errors.DeviceError, RuntimeError)
    for name in errors.__all__:
        kind = getattr(errors, name)
        if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, Warning):
            assert issubclass(kind, errors.CutlError)


@pytest.mark.parametrize("value", [None, "1.5", b"2", 1j, [1, 2], 10**400])
def test_factors_are_checked_when_set(value: Any) -> None:
    plan = cutl.op.Gemm(element=F16, device="cpu")
    for name in ("alpha", "beta"):
        with pytest.raises(cutl.errors.ArgumentError, match=f"{name}: expected a number"):
            setattr(plan, name, value)
