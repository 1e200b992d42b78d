"""Rows of the table of cases in docs/PythonEpilogues.md about the function, its examples and its source, and where errors
say that a mistake is."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

import cutl
import ml_dtypes
import numpy as np
import pytest
from case_table import SIZE, WHOLE, Cases, K, M, N, T, run, trace, whole
from conftest import E4M3, E5M2, F32
from cutl import epilogue, errors
from epilogue_check import check

OUTSIDE = np.ones(N, F32)

case = Cases()


def compile_for_gpu(traced: epilogue.Epilogue) -> None:
    plan = cutl.op.Gemm(element="f16")
    plan.epilogue_visitor = traced
    plan.compile("cuda")


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
case("unused-argument", "C: expected a result to depend on the argument; leave it out")(
    lambda: trace("accum, C\nx = accum + C\nD = accum\nreturn D")
)
case("nothing-returned", "expected the function to return names of values, got no return")(
    lambda: trace("accum\nD = accum")
)
case("result-twice", "expected each result once, got D again")(lambda: trace("accum\nD = accum\nreturn D, D"))


@case("no-d")
def _() -> None:
    out = whole()
    traced = trace("accum\nout = accum + 1.0\nreturn out", out=out)
    assert run(traced, visitor_args={"out": out}) is None
    assert (out == K + 1).all()
    compile_for_gpu(traced)


@case("d-has-users")
def _() -> None:
    d, e = whole(), whole()
    traced = trace("accum\nD = accum + 1.0\nE = D * D\nreturn D, E")
    assert run(traced, D=d, visitor_args={"E": e}) is d
    assert (e == (K + 1) ** 2).all()
    compile_for_gpu(traced)


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

    for operand, result in ((E4M3, E5M2), (E5M2, E4M3)):
        check(fn, SIZE, {"C": whole(operand)}, {"D": ((M, N), result)})


# Source.


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


@pytest.mark.parametrize("name", case.names())
def test_case(name: str) -> None:
    case.check(name)


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
