"""Every row of the table of cases in docs/PythonEpilogues.md: it works, or raises what the table says."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import cutl
import ml_dtypes
import numpy as np
import pytest
from conftest import E4M3, E5M2, F16, F32
from cutl import epilogue, errors
from epilogue_check import check
from fake_device import FakeDriver

PAGE = Path(__file__).parents[2] / "docs" / "PythonEpilogues.md"
ROWS = dict(re.findall(r"^\| `([a-z0-9-]+)` \|.*\| (works|raises `\w+`) \|$", PAGE.read_text(), re.MULTILINE))

T = cutl.Tensor
M, N, K = 8, 16, 32
WHOLE = T("f32", (M, N))
SIZE = (0, M, N, K)
OUTSIDE = np.ones(N, F32)
CASES: dict[str, tuple[Callable[..., None], str]] = {}


def case(name: str, message: str = "") -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Registers what a row is about; a part of the message, if it raises."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        assert name not in CASES
        CASES[name] = function, message
        return function

    return register


def trace(text: str, **examples: Any) -> epilogue.Epilogue:
    """Of the body of a function whose arguments are in its first line."""
    first, _, body = text.partition("\n")
    lines = "\n".join("    " + line.strip() for line in body.strip().splitlines())
    known = {
        "accum": WHOLE,
        "accum0": WHOLE,
        "accum1": WHOLE,
        "C": WHOLE,
        "D": WHOLE,
        "E": WHOLE,
        "bias": T("f32", (N,)),
    }
    names = set(re.findall(r"\w+", text))
    given = {**{name: example for name, example in known.items() if name in names}, **examples}
    return epilogue.trace(f"def fn({first}):\n{lines}\n", {k: v for k, v in given.items() if v is not None})


def run(traced: epilogue.Epilogue, *, plan: Optional[cutl.op.Gemm] = None, b: Any = None, **arguments: Any) -> Any:
    plan = plan or cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = traced
    return plan.run(np.ones((M, K), F16), np.ones((K, N), F16) if b is None else b, **arguments)


def whole(dtype: Any = F32, value: float = 1.0) -> np.ndarray:
    return np.full((M, N), value, dtype)


@pytest.mark.parametrize("name", ROWS)
def test_case(name: str, request: pytest.FixtureRequest) -> None:
    assert name in CASES, f"expected a test of the row {name}"
    function, message = CASES[name]
    arguments = [request.getfixturevalue("driver")] if name.startswith("gpu-") else []
    kind = re.fullmatch(r"raises `(\w+)`", ROWS[name])
    if kind is None:
        function(*arguments)
        return
    with pytest.raises(getattr(errors, kind[1]), match=message) as caught:
        function(*arguments)
    assert type(caught.value) is getattr(errors, kind[1]) and message
    if isinstance(caught.value, errors.TraceError):
        location = caught.value.location
        assert location.line > 0 and str(caught.value).startswith(f"{location}: {caught.value.message}")


def test_every_case_has_a_row() -> None:
    assert set(CASES) == set(ROWS) and len(ROWS) > 70


def test_every_error_of_tracing_is_in_the_table() -> None:
    kinds = {name for name in errors.__all__ if issubclass(getattr(errors, name), errors.TraceError)}
    assert kinds - {"TraceError"} <= {row.removeprefix("raises `")[:-1] for row in ROWS.values()}


# The accumulator and examples.

case("no-accumulator", "expected an argument accum for the accumulator .*, got acc, C; rename acc")(
    lambda: trace("acc, C\nD = acc + C\nreturn D", acc=WHOLE)
)
case("accumulator-rank", r"accum: expected an example of two dimensions, .* got shape \(16,\)")(
    lambda: trace("accum\nD = accum\nreturn D", accum=T("f32", (16,)))
)
case("accumulator-number", "accum: expected an array as the example, got 1.0")(
    lambda: trace("accum\nD = accum\nreturn D", accum=1.0)
)
case(
    "missing-example-argument",
    "scale: expected an example of the argument, an array, a cutl.Tensor or a number, got none",
)(lambda: trace("accum, scale\nD = accum * scale\nreturn D"))
case("accumulator-default", "accum: expected the accumulator to have no default, got 1.0")(
    lambda: trace("accum=1\nD = accum\nreturn D")
)


@case("accumulator-names", "accum0: expected one accumulator called accum, or accum0, .* got it beside accum; rename")
def _() -> None:
    with pytest.raises(errors.AccumulatorError, match="accum2: .* without a gap, got it beside accum0"):
        trace("accum0, accum2\nD = accum0 * accum2\nreturn D", accum2=WHOLE)
    trace("accum, accum0\nD = accum * accum0\nreturn D")


case("missing-example-result", "D: expected an example of the result, an array, a cutl.Tensor, got none among accum")(
    lambda: trace("accum\nD = accum\nreturn D", D=None)
)
case("number-as-result-example", "D: expected an array or a cutl.Tensor as the example, got 2")(
    lambda: trace("accum\nD = accum\nreturn D", D=2)
)
case("unknown-example", "examples: expected names of D, accum, got 'F'")(
    lambda: trace("accum\nD = accum\nreturn D", F=WHOLE)
)

# Names and results.

case(
    "defined-twice",
    "expected each name to get a value once, got x, which has one already; choose another name, such as x1",
)(lambda: trace("accum\nx = accum\nx = x + 1\nD = x\nreturn D"))
case("argument-assigned", "got C, which is an argument")(lambda: trace("accum, C\nC = accum + C\nD = C\nreturn D"))
case("augmented-assignment", "expected each name to get a value once, got D again")(
    lambda: trace("accum\nD = accum\nD += 1\nreturn D")
)
case("undefined", "expected a name that has a value, got acum; the nearest is accum")(
    lambda: trace("accum\nD = acum + 1\nreturn D")
)
case("unwritten-result", "expected a name that has a value, got E")(lambda: trace("accum\nD = accum\nreturn D, E"))
case("expression-returned", "expected the name of a variable, got an expression; assign it to a name before")(
    lambda: trace("accum, C\nreturn accum + C")
)
case("argument-returned", "expected a computed value, got the argument C")(
    lambda: trace("accum, C\nD = accum\nreturn D, C")
)
case("nothing-returned", "expected the function to return names of values, got no return")(
    lambda: trace("accum\nD = accum")
)
case("result-twice", "expected each result once, got D again")(lambda: trace("accum\nD = accum\nreturn D, D"))


@case("no-d")
def _() -> None:
    out = whole()
    assert run(trace("accum\nout = accum + 1.0\nreturn out", out=out), visitor_args={"out": out}) is None
    assert (out == K + 1).all()


@case("d-has-users")
def _() -> None:
    d, e = whole(), whole()
    assert run(trace("accum\nD = accum + 1.0\nE = D * D\nreturn D, E"), D=d, visitor_args={"E": e}) is d
    assert (e == (K + 1) ** 2).all()


# Shapes.

case("shape-mismatch", r"add: expected shapes that broadcast, got \(8, 16\) and \(5,\)")(
    lambda: trace("accum, bias\nD = accum + bias\nreturn D", bias=T("f32", (5,)))
)
case("shape-beyond-product", r"C: expected a shape that broadcasts to \(8, 16\) of the product, got \(3, 8, 16\)")(
    lambda: trace("accum, C\nD = accum + C\nreturn D", C=T("f32", (3, M, N)), D=T("f32", (3, M, N)))
)
case("result-shape", r"D: expected the shape \(8, 16\) of its value, got \(16, 8\)")(
    lambda: trace("accum\nD = accum\nreturn D", D=T("f32", (N, M)))
)
case("result-not-whole", r"E: expected a value for every element of the product, .* got a value of shape \(16,\)")(
    lambda: trace("accum, bias\nD = accum + bias\nE = bias * 2.0\nreturn D, E", E=T("f32", (N,)))
)


@case("any-strides")
def _() -> None:
    def fn(accum, C, E):  # type: ignore[no-untyped-def]
        D = accum + C * E
        return D

    rng = np.random.default_rng(0)
    big = rng.standard_normal((3 * M, 2 * N)).astype(F32)
    for c in (big[::3, ::-2], big.T[: 2 * M : 2, :N], np.broadcast_to(big[:1, :N], (M, N))):
        for order in "CF":
            check(fn, SIZE, {"C": c, "E": big[0, : 2 * N : 2]}, {"D": ((M, N), F32)}, out_order=order)


@case("shared-memory")
def _() -> None:
    names = [f"c{i}" for i in range(12)]
    text = f"accum, {', '.join(names)}\nD = accum + {' + '.join(names)}\nreturn D"
    plan = cutl.op.Gemm(element="f16")
    plan.epilogue_visitor = trace(text, **{name: T("f16", (M, N)) for name in names})
    plan.compile("cuda", shape=(4096, 4096, 4096))
    assert "shared memory" in plan.explain(shape=(4096, 4096, 4096))


@case("shared-memory-config", "expected at most 232448 bytes of shared memory on sm_90a")
def _() -> None:
    config = "#cutl.tile_config<cta = [128, 256, 64], stages = 9, kernel = cooperative>"
    plan = cutl.op.Gemm(element="f16", config=config)
    plan.epilogue_visitor = trace("accum\nD = accum\nreturn D")
    plan.compile("cuda")


# Layout.

case("reshape-split", "D: expected one step along m, which is reshaped to")(
    lambda: trace("accum\nD = permute(reshape(accum, (2, 4, 16)), (1, 0, 2))\nreturn D", D=T("f32", (4, 2, N)))
)
case("reshape-broadcast", r"E: expected one step along n, which is reshaped to \(4, 4\)")(
    lambda: trace("accum, E\nD = reshape(accum, (8, 4, 4)) + E\nreturn D", E=T("f32", (4, 1)), D=T("f32", (8, 4, 4)))
)
case("reshape-size", r"reshape: expected a shape of 128 elements for shape \(8, 16\), got \(3, -1\)")(
    lambda: trace("accum\nD = reshape(accum, (3, -1))\nreturn D")
)
case("permute-mismatch", r"add: expected dimensions that strides can express, got shapes \(8, 8\) and \(8, 8\)")(
    lambda: trace("accum\nD = accum + permute(accum, (1, 0))\nreturn D", accum=T("f32", (8, 8)), D=T("f32", (8, 8)))
)
case("permute-indices", r"permute: expected indices that are 0 to 1 in any order for shape \(8, 16\), got \(0, 0\)")(
    lambda: trace("accum\nD = permute(accum, indices=(0, 0))\nreturn D")
)


@case("permute-and-reshape")
def _() -> None:
    def fn(accum, C, E):  # type: ignore[no-untyped-def]
        x = epilogue.permute(accum, (0, 2, 1)) * C
        D = epilogue.reshape(x, (2, 3, 16, 8)) + E
        return D, x

    inputs = {"C": np.ones((6, N, M), F16), "E": np.ones((3, 1, M), F32)}
    check(fn, (6, M, N, K), inputs, {"D": ((2, 3, N, M), F32), "x": ((6, N, M), F16)})


# Runs.

case("missing-argument-at-run", "scale: expected a value for the epilogue visitor in visitor_args, got none")(
    lambda: run(trace("accum, scale\nD = accum * scale\nreturn D", scale=1.0), D=whole())
)
case("unknown-argument-at-run", "visitor_args: expected names of D, got 'scale'")(
    lambda: run(trace("accum\nD = accum\nreturn D"), D=whole(), visitor_args={"scale": 1.0})
)
case("argument-given-twice", "^C: expected it in run.. or in visitor_args, got both")(
    lambda: run(trace("accum, C\nD = accum + C\nreturn D"), C=whole(), D=whole(), visitor_args={"C": whole()})
)
case("dtype-at-run", "C: expected element type f32, which the example in trace.. has, got f16")(
    lambda: run(trace("accum, C\nD = accum + C\nreturn D"), C=whole(F16), D=whole())
)
case("number-at-run", "C: expected an array as the example in trace.. is, got 1.0")(
    lambda: run(trace("accum, C\nD = accum + C\nreturn D"), D=whole(), visitor_args={"C": 1.0})
)
case("alpha-at-run", "alpha: expected none since the epilogue visitor fn has no alpha, got 2.0")(
    lambda: run(trace("accum\nD = accum\nreturn D"), D=whole(), alpha=2.0)
)
case("arguments-without-visitor", "visitor_args: expected none, got some, since the plan has no epilogue_visitor")(
    lambda: cutl.op.Gemm(device="cpu").run(whole(), whole().T, D=np.empty((M, M), F32), visitor_args={})
)


@case("no-graphviz")
def _() -> None:
    assert "<svg" in trace("accum, C\nD = accum + C\nreturn D").visualize()


@case("no-common-root")
def _() -> None:
    def fn(accum, C):  # type: ignore[no-untyped-def]
        shared = accum * 2.0
        unused = shared / C  # noqa: F841
        D = shared + C
        E = shared - C
        return D, E

    check(fn, SIZE, {"C": whole()}, {"D": ((M, N), F32), "E": ((M, N), F16)})


# Reductions.

case(
    "reduction-dims", r"R: expected the shape \(8,\) of the reduction, with or without dimensions of one, got \(16,\)"
)(lambda: trace("accum\nR = sum(accum, dim=1)\nreturn R", R=T("f32", (N,))))
case("reduction-range", r"dim: expected different dimensions of 0 to 1 for shape \(8, 16\), got \(2,\)")(
    lambda: trace("accum\nR = max(accum, dim=[2])\nreturn R", R=T("f32", (M,)))
)
case("reduction-type", "R: expected one of f16, bf16, .* as the element type of a reduction, got e4m3")(
    lambda: trace("accum\nR = max(accum)\nreturn R", R=T("e4m3", ()))
)
case("reduction-used", "expected a reduction's result to be returned and not used, got top in an expression")(
    lambda: trace("accum\ntop = amax(accum, dim=1, keepdims=True)\nD = accum / permute(top, (0, 1))\nreturn D")
)
case(
    "reduction-of-vector",
    r"expected a value for every element of the product, .* to be reduced, got one of shape \(16,\)",
)(lambda: trace("accum, bias\nD = accum\nR = sum(bias)\nreturn D, R", R=T("f32", ())))


@case("reduction-in-d")
def _() -> None:
    def fn(accum):  # type: ignore[no-untyped-def]
        D = epilogue.max(accum, dim=(1,))
        return D

    check(fn, SIZE, {}, {"D": ((M,), F32)})


@case("reduction-of-one")
def _() -> None:
    for shape, dim, left in (((M, 1, N), 1, (M, N)), ((1, M, N, 1), (0, -1), (M, N)), ((M, 1, N), (0, 1), (N,))):
        for name in ("sum", "max", "min", "amax"):
            # Sums in 8-bit integers go around where rows are summed too.
            for dtype in (F32, F16, np.int8)[: len(left) + 1]:

                def fn(accum, C):  # type: ignore[no-untyped-def]
                    x = epilogue.reshape(accum * C, shape)
                    R = getattr(epilogue, name)(x, dim)
                    return R

                text = f"accum, C\nx = reshape(accum * C, {shape})\nR = {name}(x, dim={dim})\nreturn R"
                c = np.linspace(-2.0, 2.0, N).astype(F32)
                result = np.full(left, 99, dtype)
                run(trace(text, C=c, R=result), C=c, visitor_args={"R": result})
                expected = fn(np.full((M, N), float(K)), c.astype(np.float64))
                if dtype == np.int8:
                    expected = np.clip(np.rint(expected), -128, 127)
                np.testing.assert_allclose(result, expected, rtol=2e-3 if dtype == F16 else 1e-5)


@case("other-reduction", "expected a function of cutl.epilogue, .* got (np.prod|mean)")
def _() -> None:
    with pytest.raises(errors.UnknownFunctionError, match="got mean, which has no value; the nearest is sum"):
        trace("accum\nR = mean(accum)\nreturn R", R=T("f32", ()))
    trace("accum\nR = np.prod(accum)\nreturn R", R=T("f32", ()))


# Expressions and statements.


@case("leaky-relu-abs-pow")
def _() -> None:
    def fn(accum):  # type: ignore[no-untyped-def]
        x = abs(accum) + 0.5
        D = epilogue.leaky_relu(accum, 0.2) + x**1.5 + epilogue.pow(x, 1.5) + epilogue.leaky_relu(accum, slope=0.3)
        return D

    check(fn, SIZE, {}, {"D": ((M, N), F32)})


case("loop", "expected assignments and a return, got a loop; write out each step")(
    lambda: trace("accum\nfor i in (1, 2): D = accum\nreturn D")
)
case("if", "got an if statement; write where")(lambda: trace("accum\nif 1: D = accum\nreturn D"))
case("lambda", "got a lambda; write its body where it is used")(
    lambda: trace("accum\nf = lambda x: x\nD = f(accum)\nreturn D")
)
case("lambda-traced", "expected a function made by def, got a lambda")(
    lambda: epilogue.trace(lambda accum: accum, {"accum": WHOLE})
)
case("conditional-expression", "got a conditional expression; write where.condition, a, b.")(
    lambda: trace("accum, C\nD = accum if 1 else C\nreturn D")
)


@case("and-or-not", "expected ~ before a comparison, got 'not'")
def _() -> None:
    for text, message in (
        ("accum > 0 and C > 0", "got 'and' or 'or'; write & or |"),
        ("0 < accum < 1", "got a chain; write"),
    ):
        with pytest.raises(errors.UnsupportedSyntaxError, match=message):
            trace(f"accum, C\nD = where({text}, accum, C)\nreturn D")
    trace("accum, C\nD = where(not (accum > 0), accum, C)\nreturn D")


case("subscript", "got an index; the whole array is taken")(lambda: trace("accum, C\nD = accum + C[0]\nreturn D"))


@case("method", "expected a function of values, got an attribute of the value C; write a call of a function")
def _() -> None:
    with pytest.raises(errors.UnsupportedSyntaxError, match="got the method sum; write sum"):
        trace("accum\nR = accum.sum()\nreturn R", R=T("f32", ()))
    trace("accum, C\nD = accum + C.T\nreturn D")


@case("qualified-call")
def _() -> None:
    def fn(accum):  # type: ignore[no-untyped-def]
        D = cutl.epilogue.relu(accum) + np.exp(np.minimum(accum, 1.0))
        return D

    check(fn, SIZE, {}, {"D": ((M, N), F32)})


@case("unary-minus")
def _() -> None:
    def fn(accum, C):  # type: ignore[no-untyped-def]
        D = -accum * -2.0 + -C - +C
        return D

    check(fn, SIZE, {"C": whole()}, {"D": ((M, N), F32)})


case(
    "unknown-function", "expected a function of cutl.epilogue, got sigmod, which has no value; the nearest is sigmoid"
)(lambda: trace("accum\nD = sigmod(accum)\nreturn D"))


@case("own-function", "expected a function of cutl.epilogue, or one of NumPy that is the same, got helper")
def _() -> None:
    def helper(x):  # type: ignore[no-untyped-def]
        return x

    def fn(accum):  # type: ignore[no-untyped-def]
        D = helper(accum)
        return D

    epilogue.trace(fn, {"accum": WHOLE, "D": WHOLE})


@case("wrong-arguments", "maximum: expected an argument y, got none")
def _() -> None:
    for call, message in (
        ("exp(accum, C, C)", "exp: expected at most 1 arguments .x., got 3"),
        ("exp(accum, base=2)", "exp: expected each of x once, got base"),
        ("permute(accum)", "permute: expected an argument indices, got none"),
        ("permute(accum, 1.5)", "indices: expected integers, got 1.5"),
        ("clamp(accum, 1, 0)", "clamp: expected the lower bound first, got 1 and 0"),
        ("leaky_relu(accum, 1e999)", "leaky_relu: expected a finite slope, got inf"),
        ("accum / (1 / 0)", "expected constants that can be computed with, got division by zero"),
    ):
        with pytest.raises(errors.TraceTypeError, match=message):
            trace(f"accum, C\nD = {call} + C\nreturn D")
    trace("accum\nD = maximum(accum)\nreturn D")


@case("deep-expression", "expected at most 200 operations inside each other in one expression, got more; assign parts")
def _() -> None:
    for terms in (200, 201):
        trace(f"accum\nD = {' + '.join(['accum'] * terms)}\nreturn D")
    too_deep = "expected at most 200 operations"
    for text in ("-" * 2000 + "accum", "-" * 20000 + "accum", "+".join(["accum"] * 20000), "1.0" + " + 1.0" * 900):
        with pytest.raises(errors.UnsupportedSyntaxError, match=too_deep):
            trace(f"accum\nD = {text}\nreturn D")
    with pytest.raises(errors.UnsupportedSyntaxError, match=too_deep):
        trace(f"accum, s={'-' * 2000}1\nD = accum * s\nreturn D")

    def deeper(calls: int) -> None:
        deeper(calls - 1) if calls else trace(f"accum\nD = {'-' * 190}accum\nreturn D")

    # Where little is left of what Python allows.
    with pytest.raises(errors.UnsupportedSyntaxError, match=too_deep):
        deeper(sys.getrecursionlimit() - len(inspect.stack()) - 250)
    trace(f"accum\nD = {' + '.join(['accum'] * 900)}\nreturn D")


@case("number-too-large", "expected a number that f64 holds, got one of 1329 bits")
def _() -> None:
    for use in ("leaky_relu(accum, 10**400)", "clamp(accum, 0, 10**400)", "accum * 10**400"):
        with pytest.raises(errors.TraceTypeError, match="got one of 1329 bits"):
            trace(f"accum\nD = {use}\nreturn D")
    trace("accum, s=10**400\nD = accum * s\nreturn D")


@case("number-as-text", "float: expected a number, got the text 'inf'; write math.inf")
def _() -> None:
    for text, instead in (
        ("-inf", "write -math.inf"),
        ("nan", "write math.nan"),
        ("2", "write 2.0"),
        ("two", "write a"),
    ):
        with pytest.raises(errors.TraceTypeError, match=instead):
            trace(f"accum\nD = accum * float('{text}')\nreturn D")
    trace("accum\nD = minimum(accum, float('inf'))\nreturn D")


@case("ml-dtypes-number")
def _() -> None:
    two = ml_dtypes.bfloat16(2)

    def fn(accum, alpha, s=two):  # type: ignore[no-untyped-def]
        D = accum * two * alpha + s + ml_dtypes.bfloat16(0.5)
        return D

    d = whole()
    traced = epilogue.trace(fn, {"accum": d, "alpha": two, "D": d})
    assert traced.defaults == {"s": 2.0}
    for number in (two, np.float16(2), ml_dtypes.float8_e4m3fn(2), 2):
        run(traced, D=d, alpha=number)
        assert (d == 4 * K + 2.5).all()


case("value-as-constant", "expected a constant, got the value C; .* there are maximum and minimum")(
    lambda: trace("accum, C\nD = min(accum, C)\nreturn D")
)


@case("array-from-outside", "expected a number or a value of the function, got an array; make it an argument")
def _() -> None:
    def fn(accum):  # type: ignore[no-untyped-def]
        D = accum + OUTSIDE
        return D

    epilogue.trace(fn, {"accum": WHOLE, "D": WHOLE})


case("number-as-condition", "where: expected a comparison, got a number; write x != 0.0")(
    lambda: trace("accum, C\nD = where(accum, accum, C)\nreturn D")
)
case("type-not-stored", "cast: dtype: expected one of .*, got tf32")(
    lambda: trace('accum\nD = cast(accum, "tf32")\nreturn D')
)


@case("float8-operand")
def _() -> None:
    def fn(accum, C):  # type: ignore[no-untyped-def]
        D = accum + C
        return D

    check(fn, SIZE, {"C": whole(E4M3)}, {"D": ((M, N), E4M3)})


# Plans.


@case("activation-after", "activation: expected none beside the epilogue visitor fn, got relu; call relu")
def _() -> None:
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = trace("accum\nD = accum\nreturn D")
    plan.activation = "identity"
    plan.activation = "relu"


@case("activation-infinite", "activation: expected a finite number as the argument of leaky_relu, got inf")
def _() -> None:
    plan = cutl.op.Gemm(device="cpu")
    for argument in (float("nan"), 10**400, float("inf")):
        with pytest.raises(errors.ArgumentError, match="expected a finite number as the argument of leaky_relu"):
            plan.activation = ("leaky_relu", argument)
        assert plan.activation is epilogue.identity
    plan.activation = ("leaky_relu", float("inf"))


@case("activation-before", "epilogue_visitor: expected a plan without an activation, got one with relu")
def _() -> None:
    plan = cutl.op.Gemm(device="cpu")
    plan.activation = "relu"
    plan.epilogue_visitor = trace("accum\nD = accum\nreturn D")


@case("no-visitor", "epilogue_visitor: expected what cutl.epilogue.trace returns, or None, got <function")
def _() -> None:
    plan: Any = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = None
    plan.epilogue_visitor = trace


@case("indented-text")
def _() -> None:
    d = whole()
    text = """
        def fn(accum):
            D = relu(accum)
            return D
    """
    run(epilogue.trace(text, {"accum": d, "D": d}), D=d)
    assert (d == K).all()


case("text-with-error", "expected Python source, got an error in it: ")(
    lambda: epilogue.trace("def fn(accum: return", {})
)
case("text-with-more", "expected the text of one function and nothing else, got 2 statements with 1 functions")(
    lambda: epilogue.trace("import os\ndef fn(accum): return accum", {})
)


@case("no-source", "fn: expected a function whose source Python finds, got fn of <nowhere>; pass its text instead")
def _() -> None:
    scope: dict[str, Any] = {}
    exec(compile("def fn(accum): return accum", "<nowhere>", "exec"), scope)
    epilogue.trace(scope["fn"], {})


case("unused-argument", "C: expected a result to depend on the argument; leave it out")(
    lambda: trace("accum, C\nx = accum + C\nD = accum\nreturn D")
)
case("accumulator-count", "B: expected 2 accumulators for accum0, accum1 of the epilogue, got 1 arrays as B")(
    lambda: run(trace("accum0, accum1\nD = accum0 * accum1\nreturn D"), D=whole())
)
case("several-b-types", "B1: expected element type f16 as B has, got f32")(
    lambda: run(
        trace("accum0, accum1\nD = accum0 * accum1\nreturn D"),
        b=(np.ones((K, N), F16), np.ones((K, N), F32)),
        D=whole(),
    )
)
case("odd-split", "B: expected an even number of columns since the plan splits it in halves, got 15")(
    lambda: run(
        trace("accum0, accum1\nD = accum0 * accum1\nreturn D"),
        plan=cutl.op.Gemm(device="cpu", split="halves"),
        b=np.ones((K, 15), F16),
        D=whole(),
    )
)


@case("output-overlap", "E: expected to share no memory with D")
def _() -> None:
    traced = trace("accum\nD = accum\nE = accum\nreturn D, E")
    plan = cutl.op.Gemm(device="cpu")
    plan.epilogue_visitor = traced
    a = np.ones((N, N), F32)
    with pytest.raises(errors.AliasError, match="D: expected to share no memory with A"):
        plan.run(a, np.ones((N, N), F32), D=a, visitor_args={"E": np.ones((N, N), F32)})
    d = whole()
    run(traced, D=d, visitor_args={"E": d})


@case("output-is-operand")
def _() -> None:
    c = whole()
    run(trace("accum, C\nD = accum + C\nreturn D"), C=c, D=c)
    assert (c == K + 1).all()
    with pytest.raises(errors.AliasError, match="D: expected to share no memory with C"):
        half = np.ones((M, N), F32)
        run(trace("accum, C\nD = accum + C\nreturn D", C=T("f32", (N,))), C=half[0], D=half)


# On a GPU.


def run_on_gpu(traced: epilogue.Epilogue, operand: Any = F16, b: Any = None, split: Any = "", **results: Any) -> None:
    """Also with device="auto", which takes the CPU where a GPU refuses."""
    a = np.ones((M, K), operand)
    b = np.ones((K, N), operand) if b is None else b
    d = results.pop("D", None)
    plan = cutl.op.Gemm(split=split)
    plan.epilogue_visitor = traced
    with pytest.warns(errors.DeviceWarning, match="^running on the CPU since cuda:0 .* cannot run the plan: "):
        plan.run(a, b, D=d, visitor_args=results)
    assert plan.device == "cpu"
    plan = cutl.op.Gemm(device="cuda", split=split)
    plan.epilogue_visitor = traced
    plan.run(a, b, D=d, visitor_args=results)


@case("gpu-operand-type", r"^cuda:0 .* cannot run the plan: .*f64 has no wgmma atom")
def _(driver: FakeDriver) -> None:
    traced = trace("accum\nD = accum\nreturn D")
    for operand in (F32, E4M3, E5M2, np.int8):
        with pytest.raises(errors.DeviceError, match="cannot run the plan"):
            plan = cutl.op.Gemm(device="cuda")
            plan.epilogue_visitor = traced
            plan.run(np.ones((M, K), operand), np.ones((N, K), operand).T, D=whole())
    run_on_gpu(traced, np.float64, D=whole())


@case("gpu-interleaved", r"^cuda:0 .* cannot run the plan: .*split\(interleaved\) to be contiguous along")
def _(driver: FakeDriver) -> None:
    traced = trace("accum0, accum1\nD = accum0 * accum1\nreturn D")
    column_major = np.ones((2 * N, K), F16).T
    plan = cutl.op.Gemm(device="cuda", split="interleaved")
    plan.epilogue_visitor = traced
    plan.run(np.ones((M, K), F16), column_major, D=whole())
    run_on_gpu(traced, b=np.ones((K, 2 * N), F16), split="interleaved", D=whole())


@case("gpu-accumulators", "64 accumulators fits no configuration")
def _(driver: FakeDriver) -> None:
    names = [f"accum{i}" for i in range(64)]
    traced = trace(f"{', '.join(names)}\nD = {' + '.join(names)}\nreturn D", **{name: WHOLE for name in names})
    run_on_gpu(traced, b=tuple(np.ones((K, N), F16) for _ in names), D=whole())


@case("gpu-batch", "expected 'a' to have rank 1 to 5, got 6")
def _(driver: FakeDriver) -> None:
    for lead in ((2, 2, 2), (2, 2, 2, 2)):
        shape = (*lead, M, N)
        traced = trace("accum\nD = accum\nreturn D", accum=T("f32", shape), D=T("f32", shape))
        plan = cutl.op.Gemm(device="cuda")
        plan.epilogue_visitor = traced
        plan.run(np.ones((*lead, M, K), F16), np.ones((*lead, K, N), F16), D=np.empty(shape, F32))


@case("gpu-result-type", r"has no lowering yet for outs\[0\] of 'f64'; types of 8, 16 and 32 bits have one")
def _(driver: FakeDriver) -> None:
    run_on_gpu(trace("accum\nD = accum\nreturn D", D=T("f64", (M, N))), D=whole(np.float64))


@case(
    "gpu-reduction-type", r"has no lowering yet for the reduced outs\[1\] of 'i8'; types of 16, 32 and 64 bits have one"
)
def _(driver: FakeDriver) -> None:
    traced = trace("accum\nD = accum\nR = max(accum, dim=1)\nreturn D, R", R=T("s8", (M,)))
    run_on_gpu(traced, D=whole(), R=np.empty(M, np.int8))


@case("gpu-f64-function", "'math.powf' op expected f16, bf16 or f32, for which there is an expansion, got 'f64'")
def _(driver: FakeDriver) -> None:
    for call in ("sin(accum)", "cos(accum)", "accum ** 1.5"):
        text = f"def fn(accum):\n    D = {call}\n    return D\n"
        traced = epilogue.trace(text, {"accum": WHOLE, "D": WHOLE}, element_compute="f64")
        if "**" in call:
            run_on_gpu(traced, D=whole())
        with pytest.raises(errors.DeviceError, match="there is an expansion, got 'f64'"):
            run_on_gpu(traced, D=whole())


# Where in the function.


def test_caret_in_a_file() -> None:
    def fn(accum, bias):  # type: ignore[no-untyped-def]
        x = accum + bias
        D = épsilon(x)  # type: ignore[name-defined] # noqa: F821
        return D

    with pytest.raises(errors.UnknownFunctionError) as caught:
        epilogue.trace(fn, {})
    location = caught.value.location
    first = fn.__code__.co_firstlineno
    assert location.filename == __file__ and location.line == first + 2 and location.column == 13
    place, message, line, caret = re.fullmatch(r"(.*?): (expected .*)\n    (.*)\n    (.*)", str(caught.value)).groups()  # type: ignore[union-attr]
    assert place == f"{__file__}:{first + 2}:13"
    assert line.startswith("D = épsilon(x)") and caret == "    ^^^^^^^"


def test_caret_in_text() -> None:
    text = """
        def fn(accum,
               bias):
            D = accum + where(bias, 1.0,
                              0.0)
            return D
    """
    with pytest.raises(errors.TraceTypeError) as caught:
        epilogue.trace(text, {})
    assert str(caught.value).endswith("D = accum + where(bias, 1.0,\n                      ^^^^")
    assert (caught.value.location.filename, caught.value.location.line, caught.value.location.column) == (
        "<string>",
        4,
        31,
    )


def test_caret_for_shapes_at_run() -> None:
    traced = trace("accum, C\nD = accum + C\nreturn D")
    with pytest.raises(
        errors.TraceShapeError,
        match=r"^<string>:2:9: add: .* got \(8, 16\) and \(5, 16\)\n    D = accum \+ C\n        \^{9}$",
    ):
        run(traced, C=np.ones((5, N), F32), D=whole())
