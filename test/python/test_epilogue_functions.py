"""Functions of cutl.epilogue on NumPy arrays and on tensors, stand-ins, and drawings."""

from __future__ import annotations

import math
import sys
import types
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import cutl
import ml_dtypes
import numpy as np
import pytest
from conftest import BF16, E4M3, F16, F64
from cutl import _cutl, epilogue, errors
from cutl.epilogue import _rules
from cutl.epilogue._graph import COMPARISONS, LOGIC
from epilogue_check import swiglu

T = cutl.Tensor
X = np.concatenate([np.linspace(-9, 9, 37), [0.0, -0.0, 1e-30, -1e-30, 700.0, -700.0]])


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
