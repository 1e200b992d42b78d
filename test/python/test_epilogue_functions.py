"""Functions of cutl.epilogue on NumPy arrays and on tensors, stand-ins, drawings, and plans on a driver that stands in."""

from __future__ import annotations

import copy
import functools
import math
import pickle
import re
import subprocess
import sys
import time
import types
import weakref
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import cutl
import ml_dtypes
import numpy as np
import pytest
from conftest import BF16, E4M3, F16, F32, F64
from cutl import _cutl, epilogue, errors
from cutl.epilogue import _rules
from cutl.epilogue._graph import COMPARISONS, LOGIC
from cutl.epilogue._layout import Domain
from cutl.op import _launch
from fake_device import FakeDriver, FakeTorch
from fake_device import Tensor as FakeTensor

T = cutl.Tensor
X = np.concatenate([np.linspace(-9, 9, 37), [0.0, -0.0, 1e-30, -1e-30, 700.0, -700.0]])


def swiglu(accum0, accum1, bias):  # type: ignore[no-untyped-def]
    D = epilogue.silu(accum0 + bias) * accum1
    top = epilogue.amax(D, dim=-1)
    return D, top


# Functions.


@pytest.mark.parametrize("name", [a.name for a in epilogue.activations() if a.name != "identity"])
def test_derivatives_are_slopes(name: str) -> None:
    function, derivative = getattr(epilogue, name), getattr(epilogue, f"{name}_grad")
    x, step = np.linspace(-6, 6, 100) + 0.01, 1e-6
    slope = (function(x + step) - function(x - step)) / (2 * step)
    np.testing.assert_allclose(derivative(x), slope, atol=1e-8)


@pytest.mark.parametrize("name", [name for name in epilogue.__all__ if name.endswith("_grad")])
def test_derivatives_of_special_values(name: str) -> None:
    got = getattr(epilogue, name)(np.array([np.nan, 700.0, -700.0]))
    assert np.isnan(got[0])
    limits = {"leaky_relu": (1, 0.01), "sigmoid": (0, 0), "tanh": (0, 0)}.get(name.removesuffix("_grad"), (1, 0))
    np.testing.assert_allclose(got[1:], limits, atol=1e-12)


def test_softplus_is_stable() -> None:
    got = epilogue.softplus(np.array([0.0, 1e4, -1e4, np.nan, -40.0]))
    np.testing.assert_array_equal(got[:3], [math.log(2), 1e4, 0.0])
    assert np.isnan(got[3]) and got[4] == math.log1p(math.exp(-40))


def test_casts_of_numbers_and_arrays() -> None:
    x = np.array([2.5, 3.5, -2.5, 1e9, -1e9, np.nan, 0.1])
    np.testing.assert_array_equal(epilogue.cast(x, "s8"), [2, 4, -2, 127, -128, 0, 0])
    np.testing.assert_array_equal(epilogue.cast(x, "u8", rounding="upward"), [3, 4, 0, 255, 0, 0, 1])
    np.testing.assert_array_equal(epilogue.cast(x, np.int32, rounding="downward")[:3], [2, 3, -3])
    np.testing.assert_array_equal(epilogue.cast(x, BF16), x.astype(BF16).astype(F64))
    np.testing.assert_array_equal(epilogue.cast(x, E4M3, saturate=True)[3:5], [448, -448])
    assert np.isnan(epilogue.cast(x, E4M3)[3]) and np.isinf(epilogue.cast(x, F16)[3])
    for dtype in ("f16", "bf16", "e4m3", "e5m2", "f32"):
        assert epilogue._functions._largest(cutl.DataType[dtype]) == float(
            ml_dtypes.finfo(cutl.DataType[dtype].numpy).max
        )
    for arguments, message in (
        (("s8", False), "saturate: expected True or none for the integer type s8"),
        (("f16", None, "upward"), "rounding: expected 'nearest_even' for the floating-point type f16, got 'upward'"),
        (("s8", None, "nearest"), "rounding: expected one of nearest_even, .*, got 'nearest'"),
    ):
        with pytest.raises(errors.ArgumentError, match=message):
            epilogue.cast(x, *arguments)
    with pytest.raises(errors.DTypeError, match="dtype: expected one of .*, got e2m1"):
        epilogue.cast(x, "e2m1")


def test_linear_combination_of_nothing() -> None:
    nan = np.array([np.nan])
    assert epilogue.linear_combination(2.0, np.array([3.0]), 0.0, nan) == 6.0
    assert epilogue.linear_combination(2.0, np.array([3.0]), np.zeros(1), nan) == 6.0
    assert np.isnan(epilogue.linear_combination(2.0, np.array([3.0]), 1.0, nan))


def test_what_is_no_array() -> None:
    for function in (epilogue.exp, epilogue.relu, epilogue.erf, epilogue.sum):
        with pytest.raises(errors.DTypeError, match="expected a NumPy array, a PyTorch tensor or a number, got str"):
            function("x")
    with pytest.raises(errors.ArgumentError, match="relu: expected no argument beside x, got 0.5"):
        epilogue.relu(X, 0.5)


class Tensor:
    """What the functions need of a tensor: a NumPy array behind PyTorch's names."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array, dtype=F64)
        self.dtype, self.device, self.ndim = "float64", "cpu", self.array.ndim

    def permute(self, indices: Any) -> Tensor:
        return Tensor(self.array.transpose(indices))

    def reshape(self, shape: Any) -> Tensor:
        return Tensor(self.array.reshape(shape))

    def to(self, dtype: Any) -> Tensor:
        return Tensor(self.array.astype(dtype))

    def __getattr__(self, name: str) -> Any:
        if name not in ("sum", "amax", "amin"):
            raise AttributeError(name)
        return lambda dim, keepdim: Tensor(getattr(np, name)(self.array, axis=dim, keepdims=keepdim))


def _operator(name: str) -> Any:
    def apply(self: Tensor, *others: Any) -> Tensor:
        return Tensor(getattr(self.array, name)(*[getattr(other, "array", other) for other in others]))

    return apply


for _name in "add radd sub rsub mul rmul truediv rtruediv pow neg gt ge lt le eq".split():
    setattr(Tensor, f"__{_name}__", _operator(f"__{_name}__"))


@pytest.fixture
def numbers_in_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module with no other functions than these of PyTorch."""
    module = types.ModuleType("torch")
    names = "abs exp exp2 expm1 log log1p log2 sqrt sin cos floor ceil trunc maximum minimum fmax fmin tanh".split()
    for name in [*names, "round"]:
        function = getattr(np, {"round": "rint"}.get(name, name))
        setattr(module, name, lambda *x, f=function: Tensor(f(*[t.array for t in x])))
    module.erf = lambda x: Tensor(np.vectorize(math.erf)(x.array))  # type: ignore[attr-defined]
    module.where = lambda c, x, y: Tensor(np.where(c.array, *[getattr(v, "array", v) for v in (x, y)]))  # type: ignore[attr-defined]
    module.as_tensor = lambda x, dtype, device: Tensor(x)  # type: ignore[attr-defined]
    module.Tensor, module.float16, module.int8 = Tensor, "float16", "int8"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", module)


def test_functions_of_tensors(numbers_in_tensors: None) -> None:
    """Each gives on tensors what it gives on arrays, and calls nothing that PyTorch has not."""
    skipped = {"Activation", "ActivationLike", "Epilogue", "activations", "as_activation", "trace"}
    special = {
        "where": lambda f, x: f(x > 0.0, x, 0.5),
        "permute": lambda f, x: f(f(x, (0,)), [0]),
        "reshape": lambda f, x: f(x, (1, -1)),
        "cast": lambda f, x: f(f(x, "f16"), "s8") + f(x, "f16", saturate=True),
        "clamp": lambda f, x: f(x, -1.0, 2.0),
        "multiply_add": lambda f, x: f(x, 2.0, x),
        "linear_combination": lambda f, x: f(2.0, x, x * 0.0 + 1.0, x) + f(2.0, x, 0.0, x),
        "pow": lambda f, x: f(x, 2),
        "sum": lambda f, x: f(x) + f(x, 0, True),
        "max": lambda f, x: f(x, [0]) + f(x),
    }
    with np.errstate(all="ignore"):
        for name in set(epilogue.__all__) - skipped:
            function = getattr(epilogue, name)
            call = special.get(name, lambda f, x: f(x, 1.5) if name in ("maximum", "minimum", "fmax", "fmin") else f(x))
            got = call(function, Tensor(X))
            assert isinstance(got, Tensor), name
            np.testing.assert_array_equal(got.array, call(function, X), err_msg=name)


def test_traced_function_is_its_own_reference() -> None:
    shape = (3, 4, 6)
    traced = epilogue.trace(
        swiglu,
        {
            "accum0": T("f32", shape),
            "accum1": T("f32", shape),
            "bias": T("f16", (6,)),
            "D": T("f16", shape),
            "top": T("f32", (3, 4)),
        },
    )
    rng = np.random.default_rng(0)
    values = {
        "accum0": rng.standard_normal(shape),
        "accum1": rng.standard_normal(shape),
        "bias": rng.standard_normal(6),
    }
    d, top = swiglu(**values)
    got = traced.reference(**values)
    assert list(got) == ["D", "top"] and (got["D"] == d).all() and (got["top"] == top).all()
    with pytest.raises(errors.MissingOperandError, match="bias: expected a value of the argument, got none"):
        traced.reference(accum0=1.0, accum1=1.0)
    assert repr(traced) == "<cutl.epilogue.Epilogue swiglu(accum0, accum1, bias) -> D, top>"
    assert (
        traced.accumulators == ("accum0", "accum1") and traced.arguments == ("bias",) and traced.results == ("D", "top")
    )


def test_every_op_of_the_compiler_has_a_name_in_python() -> None:
    rules = [*_rules._FUNCTIONS.values(), *_rules._NUMPY.values(), *map(_rules.find, epilogue.activations())]
    written = {rule.op for rule in rules if rule is not None} | {*COMPARISONS, *LOGIC, "neg"}
    ops = {name: (operands, numbers) for name, operands, numbers in _cutl.epilogue_ops()}
    assert set(ops) <= written
    assert written - set(ops) == {"convert", "permute", "reshape", "square", "reciprocal"} | {
        f"reduce {combiner}" for combiner in ("add", "max", "min", "amax")
    }
    for rule in rules:
        if rule is not None and rule.op in ops and rule.op != "clamp":
            assert (len(rule.values), len(rule.constants)) == ops[rule.op], rule.op
    page = (Path(__file__).parents[2] / "docs" / "PythonEpilogues.md").read_text()
    table = page[page.index("## What can be called") : page.index("## Cases")]
    names = set(table.replace("(", " ").replace("`", " ").replace(",", " ").replace("np.", "").split())
    assert {name for name in _rules.NAMES if name not in ("np", "numpy")} <= names
    assert {function.__name__ for function in _rules._NUMPY} - {"amax", "amin", "true_divide"} <= names


# Stand-ins.


def test_stand_ins() -> None:
    assert T("f16", (2, 3)).strides == (3, 1)
    assert T("f16", [4, 2, 3], cutl.LayoutType.ColumnMajor).strides == (6, 1, 2)
    assert T(np.float32, (2, 3), strides=(1, 9)).strides == (1, 9)
    of = T(tensor=np.ones((4, 6), BF16)[:, ::2])
    assert (of.element, of.shape, of.strides) == (cutl.DataType.bf16, (4, 3), (6, 2))
    assert T(tensor=of).strides == of.strides
    assert repr(of) == "cutl.Tensor('bf16', (4, 3), strides=(6, 2))"


@pytest.mark.parametrize(
    "arguments,message",
    [
        ({}, "element, shape: expected both, or a tensor that has them"),
        ({"element": "f16"}, "element, shape: expected both"),
        ({"element": "f16", "tensor": X}, "element: expected none beside a tensor"),
        ({"shape": (1,), "tensor": X}, "shape: expected none beside a tensor"),
        ({"layout": cutl.LayoutType.RowMajor, "tensor": X}, "layout: expected none beside a tensor"),
        ({"strides": (1,), "tensor": X}, "strides: expected none beside a tensor"),
        (
            {"element": "f16", "shape": (2, 2), "layout": cutl.LayoutType.RowMajor, "strides": (2, 1)},
            "layout: expected none beside strides",
        ),
        ({"element": "f16", "shape": (2, 2), "strides": (1,)}, "strides: expected 2, one for each size"),
        ({"element": "f16", "shape": (2, -2)}, "shape: expected sizes of 0 or more"),
        ({"element": "f16", "shape": (2.5,)}, "shape: expected a sequence of integers"),
        ({"element": "f16", "shape": 2}, "shape: expected a sequence of integers"),
        ({"element": "f16", "shape": (2, 2), "layout": "row"}, "layout: expected a cutl.LayoutType"),
    ],
)
def test_wrong_stand_ins(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.ArgumentError, match=f"^{message}"):
        T(**arguments)


def test_what_is_no_example() -> None:
    with pytest.raises(errors.DTypeError, match="bias: expected an array, a cutl.Tensor or a number, got str"):
        epilogue.trace("def f(accum, bias):\n D = accum + bias\n return D", {"accum": X, "bias": "x", "D": X})
    with pytest.raises(errors.ArgumentError, match="fn: expected a Python function or its source text, got 3"):
        epilogue.trace(3, {})  # type: ignore[arg-type]
    with pytest.raises(errors.ArgumentError, match="examples: expected a dict from names to arrays or numbers"):
        epilogue.trace(swiglu, None)  # type: ignore[arg-type]
    with pytest.raises(errors.ArgumentError, match="element_compute: expected f32 or f64, got f16"):
        epilogue.trace(swiglu, {}, element_compute="f16")


# Drawings.


def test_drawing(tmp_path: Path) -> None:
    def fn(accum, alpha, C, bias):  # type: ignore[no-untyped-def]
        F = alpha * accum + epilogue.permute(C, (1, 0)) * 0.5
        D = epilogue.where(F < bias, F, epilogue.cast(F, "e4m3", saturate=True))
        total = epilogue.sum(F, dim=0)
        return D, F, total

    examples = {"accum": T("f32", (4, 6)), "alpha": 1.0, "C": T("f16", (6, 4)), "bias": T("f32", (6,))}
    examples |= {"D": T("f16", (4, 6)), "F": T("f32", (4, 6)), "total": T("f32", (6,))}
    traced = epilogue.trace(fn, examples)
    path = tmp_path / "graph.svg"
    text = traced.visualize(path)
    assert path.read_text(encoding="utf-8") == text == traced._repr_svg_()
    root = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    texts = [element.text for element in root.iter(f"{space}text")]
    for expected in (
        "accum",
        "alpha",
        "C",
        "bias",
        "D",
        "F",
        "total",
        "a < b",
        "where",
        "cast e4m3",
        "permute",
        "sum",
        "0.5",
        "over 0",
        "f16 4×6",
    ):
        assert expected in texts, expected
    # One box for each value, at a place of its own and inside of the drawing; one edge for each use.
    boxes = [(float(b.get("x", "")), float(b.get("y", ""))) for b in root.iter(f"{space}rect")]
    assert len(boxes) == len(set(boxes)) == 4 + 1 + 8 + 3
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    assert all(0 <= x <= width - 132 and 0 <= y <= height - 44 for x, y in boxes)
    assert len([e for e in root.iter(f"{space}path") if e.get("marker-end")]) == 2 + 1 + 2 + 2 + 2 + 1 + 3 + 1 + 3


# Plans.


def test_forms_in_the_ir() -> None:
    plan = cutl.op.Gemm(element="f16", layout_B=cutl.LayoutType.ColumnMajor, split="interleaved")
    shape = (5, 4, 6)
    plan.epilogue_visitor = epilogue.trace(
        swiglu,
        {
            "accum0": T("f32", shape),
            "accum1": T("f32", shape),
            "bias": T("f16", (6,)),
            "D": T("bf16", (5, 4, 6)),
            "top": T("f32", (5, 4)),
        },
    )
    text = plan.ir()
    assert "split(interleaved)" in text and "aux(%arg2 : (n))" in text
    assert "outs(%arg3 : (b, m, n), %arg4 : (b, m) amax)" in text
    assert "cutl.silu" in text and 'cutl.name = "top"' in text
    plan.epilogue_visitor = None
    assert "amax" not in plan.ir()


def test_copies_of_a_traced_function() -> None:
    d = np.empty((4, 4), F32)
    traced = epilogue.trace("def f(accum, c):\n  D = accum * c\n  return D", {"accum": d, "c": d, "D": d})
    for other in (copy.deepcopy(traced), pickle.loads(pickle.dumps(traced))):
        plan = cutl.op.Gemm(device="cpu")
        plan.epilogue_visitor = other
        plan.run(np.ones((4, 4), F32), np.ones((4, 4), F32), D=d, visitor_args={"c": np.full((4, 4), 3, F32)})
        assert (d == 12).all() and other.visualize() == traced.visualize()


def test_output_space_of_another_operation() -> None:
    """A convolution's, of dimensions n, p, q and k, none of which is a batch dimension."""

    def layer(accum, bias, residual, gate):  # type: ignore[no-untyped-def]
        D = epilogue.relu(accum + bias) * gate + residual
        pooled = epilogue.permute(epilogue.sum(D, dim=(1, 2)), (1, 0))
        return D, pooled

    shape = (2, 5, 6, 8)
    examples = {
        "accum": T("f32", shape),
        "bias": T("f32", (8,)),
        "residual": T("f16", shape),
        "gate": T("f32", (2, 1, 1, 1)),
    }
    traced = epilogue.trace(layer, {**examples, "D": T("f16", shape), "pooled": T("f32", (8, 2))})
    arrays = {
        "bias": np.empty(8, F32),
        "residual": np.empty((2, 8, 5, 6), F16).transpose(0, 2, 3, 1),
        "gate": np.empty((2, 1, 1, 1), F32),
        "D": np.empty(shape, F16),
        "pooled": np.empty((8, 2), F32),
    }
    typed = {name: (array, cutl.DataType["f16" if array.dtype == F16 else "f32"]) for name, array in arrays.items()}
    binding = traced.bind(Domain("npqk", shape, 0), typed, cutl.DataType.f32)
    dims = {operand.name: operand.dims for operand in (*binding.inputs, *binding.outputs)}
    assert dims == {"bias": "k", "residual": "npkq", "gate": "n", "D": "npqk", "pooled": "kn"}
    residual = next(operand for operand in binding.inputs if operand.name == "residual")
    assert residual.sizes == (2, 5, 8, 6) and residual.strides == (240, 6, 30, 1)
    assert binding.spec.outputs[1].combiner == "add" and binding.batch == ()


def test_arrays_are_not_kept() -> None:
    traced = epilogue.trace(
        "def f(accum):\n  D = accum\n  return D", {"accum": T("f32", (4, 4)), "D": T("f32", (4, 4))}
    )
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = traced
    a = np.ones((4, 4), F32)
    for _ in range(2):
        d = np.empty((4, 4), F32)
        plan.run(a, a, D=d)
        assert (d == 4).all()
        alive = weakref.ref(d)
        del d
        assert alive() is None


def test_forms_of_functions() -> None:
    class Holder:
        @staticmethod
        def static(accum, *, scale=2.0):  # type: ignore[no-untyped-def]
            """A docstring
            with less indentation."""
            # A comment.
            first, second = (accum * scale), np.float32(0.5) * float(2)
            D = other = first * second
            return [D, other]

        def method(self, accum):  # type: ignore[no-untyped-def]
            D = accum
            return D

    @functools.wraps(Holder.static)
    def wrapped(*arguments):  # type: ignore[no-untyped-def]
        return Holder.static(*arguments)

    whole = T("f32", (4, 4))
    for function in (Holder.static, wrapped):
        traced = epilogue.trace(function, {"accum": whole, "D": whole, "other": whole})
        assert traced.reference(accum=np.array(3.0))["D"] == 6.0
    for wrong in (Holder().method, functools.partial(wrapped), Holder):
        with pytest.raises(errors.ArgumentError, match="^fn: expected a Python function or its source text, got "):
            epilogue.trace(wrong, {})
    unusual = {
        "D = yield accum": "got Yield",
        "D = exp(*accum)": "got several behind a",
        "D = accum + 'x'": "expected a number or a value of the function, got 'x'",
        "D = accum + 1j": "got 1j",
        "D = accum @ accum": "the product is the operation's own",
        "D = accum // 2": "write floor",
        "D = accum if 1 else 2": "a conditional expression",
        "D: float": "expected assignments and a return, got AnnAssign",
        "accum[0] = 1": "expected the name of a variable before the =",
        "D = accum is None": "expected one of == != < <= > >=",
        "D = 10 ** 400 + accum": "expected a number that f64 holds, got one of 1329 bits",
        "accum": "got a value that is not used",
        "D = (lambda: accum)()": "expected a call of a function by its name",
        "return accum; D = 1": "expected the return to be last",
    }
    for line, message in unusual.items():
        with pytest.raises(errors.TraceError, match=message):
            epilogue.trace(f"def f(accum):\n  {line}\n  return D", {})


def test_arguments_of_plans() -> None:
    a, d = np.ones((4, 4), F32), np.empty((4, 4), F32)
    plan = cutl.op.Gemm(device="cpu", split="halves")
    with pytest.raises(
        errors.ArgumentError, match="^split: expected '', got 'halves', since the plan has no epilogue_visitor"
    ):
        plan.run(a, a, D=d)
    with pytest.raises(errors.ArgumentError, match="^split: expected 'halves', 'interleaved' or '', got 'quarters'"):
        cutl.op.Gemm(split="quarters")  # type: ignore[arg-type]
    plan = cutl.op.Gemm(a, (a, a), D=d, device="cpu", element_accumulator="f32")
    plan.epilogue_visitor = epilogue.trace(
        "def f(accum0, accum1):\n  D = accum0 - accum1\n  return D", {"accum0": d, "accum1": d, "D": d}
    )
    assert "ins(%arg0 : (m, k), %arg1 : (k, n), %arg2 : (k, n))" in plan.ir()
    assert plan.run() is d and (d == 0).all()
    for b, message in (((), "^B: expected an array in run"), ((a, None), "^B1: expected an array in run")):
        with pytest.raises(errors.MissingOperandError, match=message):
            plan.run(B=b)
    with pytest.raises(errors.ShapeError, match="^B1: expected 4 columns as B has"):
        plan.run(B=(a, np.ones((4, 3), F32)))
    with pytest.raises(errors.ShapeError, match="^B1: expected 4 rows, the K of A"):
        plan.run(B=(a, np.ones((3, 4), F32)))
    with pytest.raises(errors.DTypeError, match="^B1: expected element type f32, got f16"):
        plan.run(B=(a, a.astype(F16)))


def test_equal_functions_share_code() -> None:
    before = len(cutl._compiler._executables)
    for name in ("first", "second"):
        d = np.empty((4, 4), F32)
        text = f"def {name}(accum):\n  {name}_value = accum * 123.0\n  D = {name}_value + 1.0\n  return D"
        plan = cutl.op.Gemm(device="cpu")
        plan.epilogue_visitor = epilogue.trace(text, {"accum": d, "D": d})
        plan.run(np.ones((4, 4), F32), np.ones((4, 4), F32), D=d)
        assert (d == 4 * 123 + 1).all()
    assert len(cutl._compiler._executables) == before + 1


def test_known_calls_on_a_gpu(driver: FakeDriver, torch: FakeTorch) -> None:
    """A second call like the first decides nothing anew; one that differs does."""

    def fn(accum, alpha, C, A, bias=1.0):  # type: ignore[no-untyped-def]
        D = epilogue.silu(alpha * accum + C + epilogue.permute(A, (1, 0))) * bias
        return D

    whole = T("f16", (256, 512))
    traced = epilogue.trace(fn, {"accum": whole, "alpha": 1.0, "C": whole, "A": T("f16", (512, 256)), "D": whole})
    a, b, c, d = (torch.tensor(shape) for shape in ((256, 128), (128, 512), (256, 512), (256, 512)))
    other = torch.tensor((512, 256))
    plan = cutl.op.Gemm()
    plan.epilogue_visitor = traced
    arguments = {"alpha": 0.5, "A": other}
    plan.run(a, b, c, d, visitor_args=arguments)
    cache, launches = plan._launcher.cache, driver.get("launches")
    assert len(cache) == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutl.op.gemm, "VisitedProblem", None)
        for alpha in (0.5, 2, np.float64(3.0)):
            assert plan.run(a, b, c, d, visitor_args={"alpha": alpha, "A": other}) is d
        assert plan.run(a, b, c, alpha=2.0, visitor_args={"A": other, "D": d, "bias": 2.0}) is d
        assert plan.run(torch.tensor((256, 128)), b, c, d, stream=0, visitor_args=arguments) is d
    assert driver.get("launches") == launches + 5 and len(cache) == 1
    # In place, and other sizes.
    plan.run(a, b, d, d, visitor_args=arguments)
    assert len(cache) == 1 and driver.get("launches") == launches + 6
    small = torch.tensor((512, 64))
    plan.run(
        torch.tensor((64, 128)),
        b,
        torch.tensor((64, 512)),
        torch.tensor((64, 512)),
        visitor_args={"alpha": 1.0, "A": small},
    )
    assert len(cache) == 2
    # What is wrong is said as in the first call.
    with pytest.raises(errors.AliasError, match=r"^D: expected to share no memory with A, got"):
        plan.run(a, b, c, FakeTensor(a.data_ptr() + 128, (256, 512), a.dtype), visitor_args=arguments)
    with pytest.raises(errors.AliasError, match="^D: expected to be C itself or to share no memory with it"):
        plan.run(a, b, FakeTensor(d.data_ptr() + 128, (256, 512), d.dtype), d, visitor_args=arguments)
    with pytest.raises(errors.ArgumentError, match="visitor_args: expected names of .*, got 'beta'"):
        plan.run(a, b, c, d, visitor_args={**arguments, "beta": 1.0})
    with pytest.raises(errors.ArgumentError, match="^C: expected it in run.. or in visitor_args, got both"):
        plan.run(a, b, c, d, visitor_args={**arguments, "C": c})
    with pytest.raises(errors.MissingOperandError, match="^A: expected a value for the epilogue visitor"):
        plan.run(a, b, c, d, visitor_args={"alpha": 1.0})
    with pytest.raises(errors.DTypeError, match=r"^visitor_args\['A'\]: expected element type f16"):
        plan.run(a, b, c, d, visitor_args={"alpha": 1.0, "A": torch.tensor((512, 256), torch.float32)})
    with pytest.raises(errors.ArgumentError, match="^visitor_args: expected a dict from names to values, got 3"):
        plan.run(a, b, c, d, visitor_args=3)  # type: ignore[arg-type]
    assert driver.get("launches") == launches + 7
    best = 1.0
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(100):
            plan.run(a, b, c, d, visitor_args=arguments)
        best = min(best, (time.perf_counter() - start) / 100)
    print(f"plan.run with an epilogue visitor on known tensors: {best * 1e6:.1f} us on a driver that does nothing")
    assert best < 40e-6


def test_what_is_remembered_is_what_was_launched(
    driver: FakeDriver, torch: FakeTorch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Operands and numbers by their place among what a plan is given, in the order that the kernel takes them."""

    def fn(accum, beta, C, alpha, B, row):  # type: ignore[no-untyped-def]
        E = epilogue.linear_combination(alpha, accum, beta, C)
        D = E * row + epilogue.permute(B, (1, 0)) + B
        return D

    square = T("f16", (256, 256))
    examples = {
        "accum": square,
        "beta": 1.0,
        "C": square,
        "alpha": 1.0,
        "B": square,
        "row": T("f32", (256,)),
        "D": square,
    }
    launched: list[Any] = []
    prepared: list[Any] = []
    real_launch, real_prepared = _launch.launch, _cutl.Prepared
    monkeypatch.setattr(_launch, "launch", lambda *a: (launched.append(a), real_launch(*a)))
    monkeypatch.setattr(_cutl, "Prepared", lambda *a: (prepared.append(a), real_prepared(*a))[1])
    a, b, c, d, other = (torch.tensor((256, 256)) for _ in range(5))
    row, beta = torch.tensor((256,), torch.float32), torch.tensor((1,), torch.float32)
    plan = cutl.op.Gemm()
    plan.epilogue_visitor = epilogue.trace(fn, examples)
    for factor in (2.0, beta):
        plan.run(a, b, c, d, alpha=3.0, beta=factor, visitor_args={"B": other, "row": row})
        order = [a, b, factor, c, 3.0, other, row, d]
        _, _, _, operands, numbers, _, _ = launched.pop()
        _, _, _, remembered, places, spans, outputs = prepared.pop()
        assert [(order[source].data_ptr(), *rest) for source, *rest in remembered] == operands
        assert [(order[source], code) for source, code in places] == numbers
        assert [span is not None for span in spans] == [hasattr(value, "data_ptr") for value in order]
        # D may be C; B is read in two ways.
        assert outputs == [(7, [3])] and len(operands) == (8 if factor is beta else 7)


def test_visitor_on_a_gpu(driver: FakeDriver, torch: FakeTorch) -> None:
    def fn(accum, alpha, C, bias):  # type: ignore[no-untyped-def]
        D = epilogue.relu(alpha * accum + C + bias)
        return D

    whole = T("f16", (256, 512))
    traced = epilogue.trace(fn, {"accum": whole, "alpha": 1.0, "C": whole, "bias": T("f32", (512,)), "D": whole})
    a, b, c, d = (torch.tensor(shape) for shape in ((256, 128), (128, 512), (256, 512), (256, 512)))
    bias = torch.tensor((512,), torch.float32)
    plan = cutl.op.Gemm()
    plan.epilogue_visitor = traced
    launches, loads = driver.get("launches"), driver.get("loads")
    for alpha in (0.5, 2.0):
        assert plan.run(a, b, c, d, visitor_args={"alpha": alpha, "bias": bias}) is d
    assert driver.get("launches") == launches + 2 and driver.get("loads") == loads + 1
    assert plan.device == "cuda" and "cutl.relu" in plan.ir() and plan.config.startswith("#cutl.tile_config<")
    with pytest.raises(errors.DeviceError, match="bias: expected all operands in one place"):
        plan.run(a, b, c, d, visitor_args={"alpha": 1.0, "bias": np.ones(512, F32)})
    # Arrays are copied there, and what is written is copied back.
    plan = cutl.op.Gemm(device="cuda")
    plan.epilogue_visitor = traced
    before = driver.get("copiesIn"), driver.get("copiesOut")
    host = np.ones((256, 512), F16)
    plan.run(
        np.ones((256, 128), F16),
        np.ones((128, 512), F16),
        host,
        np.ones_like(host),
        visitor_args={"alpha": 1.0, "bias": np.ones(512, F32)},
    )
    assert driver.get("copiesIn") == before[0] + 4 and driver.get("copiesOut") == before[1] + 1


# What is written for readers.


@pytest.mark.parametrize("page", ["docs/PythonEpilogues.md", "README.md"])
def test_code_of_the_pages(page: str, tmp_path: Path) -> None:
    """Each page's blocks in order, as one file, up to what needs a GPU or other files."""
    text = (Path(__file__).parents[2] / page).read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    kept = [block for block in blocks if "torch" not in block and "cutl.load" not in block]
    assert any("epilogue.trace(" in block for block in kept)
    script = tmp_path / "page.py"
    script.write_text("\n".join(kept))
    result = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_example(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "python" / "epilogue.py"
    result = subprocess.run([sys.executable, str(example), str(tmp_path / "x.svg")], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("device: ") and (tmp_path / "x.svg").read_text().startswith("<svg")
