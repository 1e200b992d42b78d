"""Plans with traced functions: their IR, arguments and caches, on a driver that stands in for a GPU, and the code of the pages."""

from __future__ import annotations

import copy
import functools
import pickle
import re
import subprocess
import sys
import time
import weakref
from pathlib import Path
from typing import Any, Optional

import cutl
import numpy as np
import pytest
from conftest import F16, F32
from cutl import _cutl, epilogue, errors
from cutl.epilogue._layout import Domain
from cutl.op import _launch, _runner
from epilogue_check import swiglu
from fake_device import FakeDriver, FakeTorch
from fake_device import Tensor as FakeTensor

T = cutl.Tensor


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
    with pytest.raises(errors.ArgumentError, match="^split: expected '', got 'interleaved', since the plan has no"):
        plan.ir()


def test_as_many_b_as_accumulators_before_a_run() -> None:
    """What no run takes is not shown either, as a problem of other operands."""
    a, d = np.ones((4, 4), F16), np.empty((4, 4), F16)
    one = epilogue.trace("def f(accum):\n  D = accum\n  return D", {"accum": d, "D": d})
    two = epilogue.trace("def f(accum0, accum1):\n  D = accum0 - accum1\n  return D", {"accum0": d, "accum1": d, "D": d})
    wrong: list[tuple[Any, str, Optional[epilogue.Epilogue]]] = [
        (a, "", two),
        ((a, a), "", one),
        ((a, a, a), "", two),
        (a, "halves", one),
        ((a, a), "interleaved", two),
        (a, "halves", None),
        ((a, a), "", None),
    ]
    for b, split, visitor in wrong:
        plan = cutl.op.Gemm(a, b, D=d, split=split, device="cpu")  # type: ignore[arg-type]
        plan.epilogue_visitor = visitor
        with pytest.raises(errors.CutlError) as refused:
            plan.run()
        calls = (plan.ir, plan.explain, plan.configs, plan.compile, lambda: plan.ir("ptx", shape=(64, 64, 64)))
        for call in calls:
            with pytest.raises(type(refused.value), match=f"^{re.escape(str(refused.value))}$"):
                call()
        # What is known of it is too little to check a configuration.
        plan.config = "#cutl.tile_config<cta = [64, 64, 64], stages = 2, kernel = single>"
    for b, split in (((a, a), ""), (None, ""), (np.ones((4, 8), F16), "halves")):
        element = None if b is not None else "f16"
        plan = cutl.op.Gemm(a, b, D=d, element_B=element, split=split, device="cpu")  # type: ignore[arg-type]
        plan.epilogue_visitor = two
        assert "arith.subf" in plan.ir()


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
    cache, launches = plan._runner.cache, driver.get("launches")
    assert len(cache) == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_runner, "VisitedProblem", None)
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
