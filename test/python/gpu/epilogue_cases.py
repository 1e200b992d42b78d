"""Epilogues with auxiliary matrices, several outputs, reductions and gates on a GPU, against float64.

Needs the installed package, NumPy, ml_dtypes and a GPU; `test_epilogues.py` runs it under pytest, and without that

    python test/python/gpu/epilogue_cases.py [--device cpu] [--matching PATTERN]

runs all cases and prints what failed. Arrays are NumPy's and are copied to the GPU and back. Outputs are filled with a NaN pattern before each run, and every case runs twice and
must give the same bits: reductions too, which nobody initialises.
"""

from __future__ import annotations

import argparse
import itertools
import math
import re
import sys
import zlib
from dataclasses import dataclass
from typing import Any, Callable

import ml_dtypes
import numpy as np
import numpy.typing as npt

import cutl

EPSILON = 2.0**-24
# Of sums by tensor cores with f32 accumulators, times |A||B| sqrt(K) 2^-24; what a function adds, in roundings of f32.
ACCUMULATION_FACTOR = 4.0
ROUNDINGS = 32.0

TYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "i8": np.int8,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
}
# Unit roundoff, and the smallest spacing.
ROUNDOFF = {
    "f16": (2.0**-11, 2.0**-24),
    "bf16": (2.0**-8, 2.0**-133),
    "f32": (2.0**-24, 2.0**-149),
    "f8E4M3FN": (2.0**-4, 2.0**-9),
}

SHAPES = (
    (1, 1, 8),
    (300, 200, 64),
    (129, 264, 1000),
    (1000, 1000, 1000),
    (513, 8, 512),
    (257, 203, 128),
    (300, 200, 0),
    (0, 128, 64),
)

CONFIGS = (
    "",
    "cta = [128, 56, 64], stages = 3, kernel = pingpong",
    "cta = [128, 128, 64], stages = 3, kernel = cooperative, cluster = [2, 1]",
    "cta = [128, 104, 64], stages = 3, kernel = cooperative",
    "cta = [64, 24, 64], stages = 4, kernel = single",
    "cta = [64, 16, 64], stages = 4, kernel = single, swap_operands = true",
)

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Operand:
    """Map and type of an auxiliary operand; its numbers lie within 1."""

    name: str
    map: str
    type: str


@dataclass(frozen=True)
class Output:
    """Map, type, and the function of the accumulators and operands in float64 with the bound on its slope."""

    map: str
    type: str
    formula: Callable[..., Array]
    slope: float = 1.0
    combiner: str = ""


@dataclass(frozen=True)
class Epilogue:
    name: str
    body: str
    outputs: tuple[Output, ...]
    # What B is: one, two of them, or one that is split.
    b: str = "one"
    aux: tuple[Operand, ...] = ()
    batches: int = 0


def normal(x: Array) -> Array:
    erf: Array = np.vectorize(math.erf, otypes=[np.float64])(x / math.sqrt(2.0))
    return 0.5 * (1.0 + erf)


def gelu(x: Array) -> Array:
    return x * normal(x)


def gelu_grad(x: Array) -> Array:
    return normal(x) + x * np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def silu(x: Array) -> Array:
    return x / (1.0 + np.exp(-x))


EPILOGUES = (
    Epilogue(
        "gelu and preactivation",
        "%s = arith.addf %x, %bias : f32\n%p = arith.truncf %s : f32 to f16\n%g = cutl.gelu %s : f32\n"
        "%o = arith.truncf %g : f32 to bf16\ncutl.yield %o, %p : bf16, f16",
        (Output("(m, n)", "bf16", lambda x, v: gelu(x + v), 1.13), Output("(m, n)", "f16", lambda x, v: x + v)),
        aux=(Operand("bias", "(n)", "f32"),),
    ),
    Epilogue(
        "relu and mask",
        "%zero = arith.constant 0.0 : f32\n%c = arith.cmpf ogt, %x, %zero : f32\n%q = arith.extui %c : i1 to i8\n"
        "%r = cutl.relu %x : f32\ncutl.yield %r, %q : f32, i8",
        (Output("(m, n)", "f32", lambda x: np.maximum(x, 0.0)), Output("(m, n)", "i8", lambda x: (x > 0.0).astype(np.float64), 0.0)),
    ),
    Epilogue(
        "both orders",
        "%o = arith.truncf %x : f32 to bf16\n%y = arith.negf %x : f32\ncutl.yield %o, %y, %o : bf16, f32, bf16",
        (
            Output("(m, n)", "bf16", lambda x: x),
            Output("(n, m)", "f32", lambda x: -x),
            Output("(n, m)", "bf16", lambda x: x),
        ),
    ),
    Epilogue(
        "quantised with amax",
        "%h = arith.constant 0.03125 : f32\n%y = arith.mulf %x, %h : f32\n%o = arith.truncf %y : f32 to f8E4M3FN\n"
        "cutl.yield %o, %x : f8E4M3FN, f32",
        (
            Output("(m, n)", "f8E4M3FN", lambda x: x / 32.0, 1.0 / 32.0),
            Output("()", "f32", lambda x: x, combiner="amax"),
        ),
    ),
    Epilogue(
        "bytes down the columns",
        "%zero = arith.constant 0.0 : f32\n%c = arith.cmpf ogt, %x, %zero : f32\n%q = arith.extui %c : i1 to i8\n"
        "cutl.yield %q : i8",
        (Output("(n, m)", "i8", lambda x: (x > 0.0).astype(np.float64), 0.0),),
    ),
    Epilogue(
        "sums and extremes",
        "%o = arith.truncf %x : f32 to bf16\n%y = arith.mulf %x, %x : f32\n"
        "cutl.yield %o, %x, %x, %y : bf16, f32, f32, f32",
        (
            Output("(m, n)", "bf16", lambda x: x),
            Output("(m)", "f32", lambda x: x, combiner="add"),
            Output("(n)", "f32", lambda x: x, combiner="max"),
            Output("()", "f32", lambda x: x * x, 64.0, combiner="add"),
        ),
    ),
    Epilogue(
        "nothing but reductions",
        "%h = arith.truncf %x : f32 to f16\ncutl.yield %x, %h, %x : f32, f16, f32",
        (
            Output("(n)", "f32", lambda x: x, combiner="add"),
            Output("(m)", "f16", lambda x: x, combiner="min"),
            Output("()", "f32", lambda x: x, combiner="max"),
        ),
    ),
    Epilogue(
        "reductions over a batch",
        "%o = arith.truncf %x : f32 to bf16\ncutl.yield %o, %x, %x : bf16, f32, f32",
        (
            Output("(b, m, n)", "bf16", lambda x: x),
            Output("(n)", "f32", lambda x: x, combiner="add"),
            Output("(b, m)", "f32", lambda x: x, combiner="amax"),
        ),
        batches=3,
    ),
    *(
        Epilogue(
            f"gated, {b}",
            "%g = cutl.silu %x : f32\n%y = arith.mulf %g, %z : f32\n%o = arith.truncf %y : f32 to bf16\n"
            "cutl.yield %o : bf16",
            (Output("(m, n)", "bf16", lambda x, z: silu(x) * z, 64.0),),
            b=b,
        )
        for b in ("two", "halves", "interleaved")
    ),
    Epilogue(
        "residual",
        "%w = arith.extf %r : bf16 to f32\n%s = arith.addf %x, %w : f32\n%o = arith.truncf %s : f32 to bf16\n"
        "cutl.yield %o : bf16",
        (Output("(m, n)", "bf16", lambda x, r: x + r),),
        aux=(Operand("r", "(m, n)", "bf16"),),
    ),
    Epilogue(
        "two matrices into two outputs",
        "%w = arith.extf %r : bf16 to f32\n%s = arith.addf %x, %w : f32\n%p = arith.truncf %s : f32 to bf16\n"
        "%v = arith.extf %g : f16 to f32\n%y = arith.mulf %s, %v : f32\n%o = arith.truncf %y : f32 to f16\n"
        "cutl.yield %p, %o : bf16, f16",
        (
            Output("(m, n)", "bf16", lambda x, r, g: x + r),
            Output("(m, n)", "f16", lambda x, r, g: (x + r) * g),
        ),
        aux=(Operand("r", "(m, n)", "bf16"), Operand("g", "(m, n)", "f16")),
    ),
    Epilogue(
        "three matrices into one output",
        "%u = arith.extf %r : bf16 to f32\n%v = arith.extf %g : bf16 to f32\n%s = arith.mulf %x, %u : f32\n"
        "%y = arith.addf %s, %v : f32\n%z = arith.addf %y, %t : f32\n%o = arith.truncf %z : f32 to bf16\n"
        "cutl.yield %o : bf16",
        (Output("(m, n)", "bf16", lambda x, r, g, t: x * r + g + t),),
        aux=(Operand("r", "(m, n)", "bf16"), Operand("g", "(n, m)", "bf16"), Operand("t", "(m, n)", "f32")),
    ),
    Epilogue(
        "matrices in both orders",
        "%u = arith.extf %r : bf16 to f32\n%v = arith.extf %g : bf16 to f32\n%s = arith.addf %x, %u : f32\n"
        "%y = arith.addf %x, %v : f32\n%o = arith.truncf %s : f32 to bf16\n%p = arith.truncf %y : f32 to bf16\n"
        "cutl.yield %o, %p : bf16, bf16",
        (Output("(n, m)", "bf16", lambda x, r, g: x + r), Output("(m, n)", "bf16", lambda x, r, g: x + g)),
        aux=(Operand("r", "(n, m)", "bf16"), Operand("g", "(m, n)", "bf16")),
    ),
    Epilogue(
        "relu in f16",
        "%h = arith.truncf %x : f32 to f16\n%r = cutl.relu %h : f16\ncutl.yield %r : f16",
        (Output("(m, n)", "f16", lambda x: np.maximum(x, 0.0)),),
    ),
    # By a power of two, which adds no rounding to the one before.
    Epilogue(
        "product in f16",
        "%h = arith.truncf %x : f32 to f16\n%q = arith.constant 0.25 : f16\n%p = arith.mulf %h, %q : f16\n"
        "cutl.yield %p, %h, %h : f16, f16, f16",
        (
            Output("(m, n)", "f16", lambda x: 0.25 * x, 0.25),
            Output("(m, n)", "f16", lambda x: x),
            Output("(n)", "f16", lambda x: x, combiner="max"),
        ),
    ),
    Epilogue(
        "words",
        "%s = arith.subf %x, %r : f32\ncutl.yield %s : f32",
        (Output("(m, n)", "f32", lambda x, r: x - r),),
        aux=(Operand("r", "(m, n)", "f32"),),
    ),
    Epilogue(
        "bytes in and out",
        "%w = arith.extf %r : f8E4M3FN to f32\n%h = arith.constant 0.03125 : f32\n%y = arith.mulf %x, %h : f32\n"
        "%s = arith.addf %y, %w : f32\n%o = arith.truncf %s : f32 to f8E4M3FN\n%c = arith.trunci %q : i8 to i1\n"
        "%zero = arith.constant 0.0 : f32\n%m = arith.select %c, %x, %zero : f32\n%p = arith.truncf %m : f32 to bf16\n"
        "cutl.yield %o, %p : f8E4M3FN, bf16",
        (
            Output("(m, n)", "f8E4M3FN", lambda x, r, q: x / 32.0 + r, 1.0 / 32.0),
            Output("(m, n)", "bf16", lambda x, r, q: np.where(q != 0.0, x, 0.0)),
        ),
        aux=(Operand("r", "(m, n)", "f8E4M3FN"), Operand("q", "(m, n)", "i8")),
    ),
    Epilogue(
        "backward",
        "%w = arith.extf %p : bf16 to f32\n%g = cutl.gelu_grad %w : f32\n%y = arith.mulf %x, %g : f32\n"
        "%o = arith.truncf %y : f32 to bf16\ncutl.yield %o, %y : bf16, f32",
        (
            Output("(m, n)", "bf16", lambda x, p: x * gelu_grad(p), 1.13),
            Output("(n)", "f32", lambda x, p: x * gelu_grad(p), 1.13, combiner="add"),
        ),
        aux=(Operand("p", "(m, n)", "bf16"),),
    ),
    Epilogue(
        "matrices of a batch",
        "%u = arith.extf %r : bf16 to f32\n%v = arith.extf %g : bf16 to f32\n%s = arith.addf %x, %u : f32\n"
        "%y = arith.mulf %s, %v : f32\n%o = arith.truncf %s : f32 to bf16\n%p = arith.truncf %y : f32 to bf16\n"
        "cutl.yield %o, %p : bf16, bf16",
        (
            Output("(b, m, n)", "bf16", lambda x, r, g: x + r),
            Output("(b, m, n)", "bf16", lambda x, r, g: (x + r) * g),
        ),
        aux=(Operand("r", "(b, m, n)", "bf16"), Operand("g", "(m, n)", "bf16")),
        batches=3,
    ),
    Epilogue(
        "gated with a residual",
        "%g = cutl.silu %x : f32\n%y = arith.mulf %g, %z : f32\n%w = arith.extf %r : bf16 to f32\n"
        "%s = arith.addf %y, %w : f32\n%o = arith.truncf %s : f32 to bf16\ncutl.yield %o : bf16",
        (Output("(m, n)", "bf16", lambda x, z, r: silu(x) * z + r, 64.0),),
        b="halves",
        aux=(Operand("r", "(m, n)", "bf16"),),
    ),
)


@dataclass(frozen=True)
class Case:
    epilogue: Epilogue
    shape: tuple[int, int, int]
    config: str

    def __str__(self) -> str:
        m, n, k = self.shape
        return f"{self.epilogue.name}, {m}x{n}x{k}, {self.config or 'chosen'}"


def make_cases() -> list[Case]:
    """Every epilogue with every shape; configurations take turns."""
    cases = []
    for i, (epilogue, shape) in enumerate(itertools.product(EPILOGUES, SHAPES)):
        # A gated pair has two sets of accumulators, which no tile with swapped operands has.
        configs = CONFIGS[:5] if epilogue.b != "one" else CONFIGS
        cases.append(Case(epilogue, shape, ""))
        if config := configs[i % len(configs)]:
            cases.append(Case(epilogue, shape, config))
    return cases


def memref(map_text: str, kind: str) -> str:
    return f"memref<{'?x' * len(dims_of(map_text))}{kind}>"


def text_of(case: Case) -> str:
    epilogue = case.epilogue
    batch = "b, " if epilogue.batches else ""
    arguments = [("a", f"({batch}m, k)", "bf16"), ("b", f"({batch}n, k)", "bf16")]
    if epilogue.b == "two":
        arguments.append(("b1", f"({batch}n, k)", "bf16"))
    inputs = len(arguments)
    arguments += [(f"{operand.name}_in", operand.map, operand.type) for operand in epilogue.aux]
    outs = len(arguments)
    arguments += [(f"d{i}", output.map, output.type) for i, output in enumerate(epilogue.outputs)]
    declared = ", ".join(f"%{name}: {memref(where, kind)}" for name, where, kind in arguments)
    ins = ", ".join(f"%{name} : {where}" for name, where, _ in arguments[:inputs])
    aux = ", ".join(f"%{name} : {where}" for name, where, _ in arguments[inputs:outs])
    written = ", ".join(
        f"%{name} : {where} {output.combiner}".rstrip()
        for (name, where, _), output in zip(arguments[outs:], epilogue.outputs)
    )
    split = f"split({epilogue.b}) " if epilogue.b in ("halves", "interleaved") else ""
    values = ", ".join(
        ["%x: f32", *(["%z: f32"] if epilogue.b != "one" else []), *(f"%{o.name}: {o.type}" for o in epilogue.aux)]
    )
    config = f"config(#cutl.tile_config<{case.config}>) " if case.config else ""
    return f"""func.func @f({declared}) {{
  cutl.gemm ins({ins}) {split}{f"aux({aux}) " if aux else ""}outs({written}) {config}{{
  ^bb0({values}):
{epilogue.body}
  }} : ({", ".join(memref(where, kind) for _, where, kind in arguments)}) -> ()
  return
}}
"""


def poison(array: Array) -> None:
    array.reshape(-1).view(np.uint8)[...] = 0x7F if array.dtype == ml_dtypes.float8_e4m3fn else 0xFF


def dims_of(where: str) -> list[str]:
    return [d.strip() for d in where.strip("()").split(",") if d.strip()]


def spread_over(array: Array, dims: str, where: str) -> Array:
    """An operand of the map `where` in float64, as an array that broadcasts over the domain `dims`."""
    own = dims_of(where)
    ordered = array.astype(np.float64).transpose([own.index(d) for d in dims if d in own])
    return np.expand_dims(ordered, [i for i, d in enumerate(dims) if d not in own])


def reduce(values: Array, dims: str, output: Output, combiner: str) -> Array:
    """`values` over the domain `dims`, as the output's map and a combiner have them."""
    kept = dims_of(output.map)
    dropped = tuple(i for i, d in enumerate(dims) if d not in kept)
    if combiner == "amax":
        values = np.abs(values)
    if dropped:
        if combiner == "add":
            values = values.sum(dropped)
        elif combiner == "min":
            values = values.min(dropped, initial=math.inf)
        else:
            values = values.max(dropped, initial=0.0 if combiner == "amax" else -math.inf)
    order = [d for d in dims if d in kept]
    return np.asarray(values).transpose([order.index(d) for d in kept])


def run(case: Case, device: str) -> str:
    """What is wrong, or nothing."""
    epilogue = case.epilogue
    m, n, k = case.shape
    lead = (epilogue.batches,) if epilogue.batches else ()
    dims = "bmn" if lead else "mn"
    sizes = dict(zip(dims, (*lead, m, n)))
    rng = np.random.default_rng(zlib.crc32(str(case).encode()))

    def random(*shape: int) -> Array:
        return rng.standard_normal(shape).astype(ml_dtypes.bfloat16)

    a = random(*lead, m, k)
    rows = 2 * n if epilogue.b in ("halves", "interleaved") else n
    bs = [random(*lead, rows, k) for _ in range(2 if epilogue.b == "two" else 1)]
    aux = [
        rng.integers(0, 2, [sizes[d] for d in dims_of(operand.map)]).astype(np.int8)
        if operand.type == "i8"
        else rng.uniform(-1.0, 1.0, [sizes[d] for d in dims_of(operand.map)]).astype(TYPES[operand.type])
        for operand in epilogue.aux
    ]
    outputs = [np.empty([sizes[d] for d in dims_of(output.map)], TYPES[output.type]) for output in epilogue.outputs]

    program = cutl.Program(text_of(case))
    arguments = [a, *bs, *aux, *outputs]
    results = []
    for _ in range(2):
        for array in outputs:
            poison(array)
        program.run("f", *arguments, device=device)
        results.append([array.tobytes() for array in outputs])
    if results[0] != results[1]:
        return "two runs gave different bits"

    parts = [b.astype(np.float64) for b in bs]
    if epilogue.b == "halves":
        parts = [parts[0][..., :n, :], parts[0][..., n:, :]]
    elif epilogue.b == "interleaved":
        parts = [parts[0][..., 0::2, :], parts[0][..., 1::2, :]]
    left = a.astype(np.float64)
    products = [left @ b.swapaxes(-1, -2) for b in parts]
    factor = ACCUMULATION_FACTOR * math.sqrt(k) * EPSILON
    error = sum(factor * (np.abs(left) @ np.abs(b).swapaxes(-1, -2)) for b in parts)
    operands = [spread_over(array, dims, operand.map) for array, operand in zip(aux, epilogue.aux)]
    for number, (output, array) in enumerate(zip(epilogue.outputs, outputs)):
        exact = output.formula(*products, *operands)
        spread = error * output.slope + ROUNDINGS * EPSILON * np.abs(exact)
        if output.type in ROUNDOFF:
            relative, spacing = ROUNDOFF[output.type]
            spread = spread + np.abs(exact) * relative + spacing
        if output.combiner == "add":
            steps = math.prod(size for d, size in sizes.items() if d not in dims_of(output.map))
            # The CPU adds one by one, a GPU in many short sums that are added in turn.
            depth = steps if device == "cpu" else min(steps, 1024)
            spread = spread + depth * EPSILON * np.abs(exact)
        wanted = reduce(exact, dims, output, output.combiner)
        # An extreme is as uncertain as the most uncertain value.
        allowed = reduce(spread, dims, output, "add" if output.combiner == "add" else "amax")
        got = array.astype(np.float64)
        if output.type == "i8":
            # Where the sign is not certain either is right.
            certain = reduce((np.abs(products[0]) > error).astype(np.float64), dims, output, "")
            wrong = (certain == 1.0) & (got != wanted)
        else:
            if output.type == "f8E4M3FN":
                # Beyond the largest number there is NaN.
                beyond = np.abs(wanted) > 440.0
                got = np.where(beyond & (np.isnan(got) | (np.abs(got) >= 416.0)), wanted, got)
            with np.errstate(invalid="ignore"):
                wrong = ~((got == wanted) | (np.abs(got - wanted) <= allowed))
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            return (
                f"outs[{number}]: {int(wrong.sum())} of {wrong.size} wrong, the first at {at}:"
                f" expected {float(wanted[at])} within {float(allowed[at]):.3g}, got {float(array[at])}"
            )
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--matching", default="", metavar="PATTERN", help="only cases whose name has a match of it")
    options = parser.parse_args()
    failed = 0
    cases = [case for case in make_cases() if re.search(options.matching, str(case))]
    for case in cases:
        try:
            problem = run(case, options.device)
        except (cutl.errors.CutlError, RuntimeError) as error:
            problem = f"{type(error).__name__}: {error}"
        if problem:
            failed += 1
            print(f"{case}: {problem}", flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
