"""Measures the errors of the functions in the tables of docs/Epilogues.md, against float64.

Needs the installed package, NumPy, ml_dtypes and a GPU; `test_activation_errors.py` runs it under pytest, and without that

    python test/python/gpu/activation_errors.py [--device cpu] [--page PATH]

prints a table of bounds and of what was measured, and fails where a bound is exceeded. Operands are the elements of an
auxiliary matrix of a product with K = 0, so they are exact: for f32 results bit patterns all over f32, for results
that are rounded all numbers of bf16 and f16.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator

import ml_dtypes
import numpy as np
import numpy.typing as npt

import cutl

PAGE = Path(__file__).parents[3] / "docs" / "Epilogues.md"
COLUMNS = 1024
OUTPUTS = 4
# Of smaller results that are rounded, the error is not measured in ulps.
LARGE = 2.0**-8
GPU_CONFIG = "config(#cutl.tile_config<cta = [64, 16, 64], stages = 4, kernel = single>) "

Array = npt.NDArray[Any]
SQRT_HALF = math.sqrt(0.5)
GELU_SCALE = 2.0 * math.sqrt(2.0 / math.pi)
GELU_CUBIC = 0.044715
SLOPE = float(np.float32(0.01))


def each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of Python's math over an array."""
    return lambda x: np.fromiter(map(function, x.tolist()), np.float64, x.size)


erf, erfc = each(math.erf), each(math.erfc)


def bounded(x: Array) -> Array:
    """|x|, and a number that stands for infinity."""
    return np.minimum(np.abs(x), 1e4)


def reflected(x: Array, small: Array) -> Array:
    """What is `small` at -|x| and 1 - small at |x|."""
    return np.where(x < 0.0, small, 1.0 - small)


def below(x: Array, y: Array) -> Array:
    """`y`, and -0.0 where x is -inf."""
    return np.where(x == -np.inf, -0.0, y)


def sigmoid_grad(x: Array) -> Array:
    t = np.exp(-np.abs(x))
    return t / (1.0 + t) / (1.0 + t)


def silu_grad(x: Array) -> Array:
    a = bounded(x)
    t = np.exp(-a)
    # The sum makes 0.0 of -0.0.
    return reflected(x, t / (1.0 + t) * (1.0 - a / (1.0 + t)) + 0.0)


def gelu_grad(x: Array) -> Array:
    a = bounded(x)
    density = np.exp(-0.5 * a * a) / math.sqrt(2.0 * math.pi)
    return reflected(x, 0.5 * erfc(a * SQRT_HALF) - a * density)


def gelu_tanh(x: Array) -> Array:
    u = np.maximum(x, -1e3)
    return below(x, u / (1.0 + np.exp(-GELU_SCALE * (u + GELU_CUBIC * u * u * u))))


def gelu_tanh_grad(x: Array) -> Array:
    a = np.minimum(np.abs(x), 1e3)
    t = np.exp(-GELU_SCALE * (a + GELU_CUBIC * a * a * a))
    s = t / (1.0 + t)
    return reflected(x, s - a * (s / (1.0 + t)) * GELU_SCALE * (1.0 + 3.0 * GELU_CUBIC * a * a))


def step(x: Array, lower: float) -> Array:
    return np.where(np.isnan(x), x, np.where(x > 0.0, 1.0, lower))


# The first cells of the table, and the functions in float64.
FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "cutl.relu %x": lambda x: np.maximum(x, 0.0) + 0.0,
    "cutl.leaky_relu %x slope 0.01": lambda x: np.where(x > 0.0, x, SLOPE * x),
    "cutl.clamp %x low -1.0 high 6.0": lambda x: np.clip(x, -1.0, 6.0),
    "cutl.hardswish %x": lambda x: below(x, x * np.clip(x + 3.0, 0.0, 6.0) / 6.0),
    "cutl.gelu %x": lambda x: below(x, 0.5 * x * erfc(-x * SQRT_HALF)),
    "cutl.gelu tanh %x": gelu_tanh,
    "cutl.silu %x": lambda x: below(x, x / (1.0 + np.exp(-x))),
    "cutl.sigmoid %x": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "cutl.tanh %x": np.tanh,
    "cutl.softplus %x": lambda x: np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x))),
    "cutl.relu_grad %x": lambda x: step(x, 0.0),
    "cutl.leaky_relu_grad %x slope 0.01": lambda x: step(x, SLOPE),
    "cutl.hardswish_grad %x": lambda x: np.where(x <= -3.0, 0.0, np.where(x >= 3.0, 1.0, (x + 1.5) / 3.0)),
    "cutl.gelu_grad %x": gelu_grad,
    "cutl.gelu_grad tanh %x": gelu_tanh_grad,
    "cutl.silu_grad %x": silu_grad,
    "cutl.sigmoid_grad %x": sigmoid_grad,
    "cutl.tanh_grad %x": lambda x: 4.0 * sigmoid_grad(2.0 * x),
    "cutl.softplus_grad %x": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "math.exp %x": np.exp,
    "math.exp2 %x": np.exp2,
    "math.expm1 %x": np.expm1,
    "math.log %x": np.log,
    "math.log1p %x": np.log1p,
    "math.log2 %x": np.log2,
    "math.sqrt %x": np.sqrt,
    "math.rsqrt %x": lambda x: 1.0 / np.sqrt(x),
    "math.erf %x": erf,
    "math.tanh %x": np.tanh,
    "math.sin %x": np.sin,
    "math.cos %x": np.cos,
}


@dataclass(frozen=True)
class Bound:
    """A bound of the first table: ulps, and what is allowed beside them; where x < 0 multiples of 2^-24, or of
    2^-24·|x|."""

    text: str
    ulp: float
    lower: float | None
    of_operand: bool
    least: float

    @property
    def relative(self) -> float:
        return self.ulp * 2.0**-23

    def at(self, x: Array, y: Array) -> Array:
        bound = self.ulp * spacing(y, 23, -126) + self.least
        if self.lower is None:
            return bound
        return np.where(x < 0.0, self.lower * 2.0**-24 * (np.abs(x) if self.of_operand else 1.0), bound)


def power(text: str) -> float:
    """2^…"""
    return float(2.0 ** float(text.removeprefix("2^")))


def bound_of(text: str) -> Bound:
    match = re.fullmatch(
        r"(?:exact|([\d.]+) ulp)(?:; x < 0: ([\d.]+)·2\^-24(·abs\(x\))?)?(?: \+ (2\^-\d+))?",
        text,
    )
    if not match:
        raise ValueError(f"{PAGE}: expected a bound, got {text!r}")
    ulp, lower, of_operand, least = match.groups()
    return Bound(text, float(ulp or 0.0), float(lower) if lower else None, bool(of_operand), power(least) if least else 0.0)


@dataclass(frozen=True)
class NarrowBound:
    """A bound of the table of results that are rounded: the sum of parts of y and x and of an absolute error."""

    text: str
    relative: float
    of_operand: float
    absolute: float

    def at(self, x: Array, y: Array) -> Array:
        finite = np.isfinite(x) & np.isfinite(y)
        part = self.relative * np.abs(y) + self.of_operand * np.abs(x)
        return np.where(finite, part, 0.0) + self.absolute


def narrow_bound_of(text: str) -> NarrowBound:
    parts = {"·abs(y)": 0.0, "·abs(x)": 0.0, "": 0.0}
    for term in text.split(" + "):
        match = re.fullmatch(r"(2\^-[\d.]+)(·abs\([xy]\))?", term)
        if not match:
            raise ValueError(f"{PAGE}: expected a bound, got {text!r}")
        parts[match[2] or ""] = power(match[1])
    return NarrowBound(text, parts["·abs(y)"], parts["·abs(x)"], parts[""])


def rows_of(page: Path, section: str) -> Iterator[list[str]]:
    """The rows of a section's tables whose first cell is an op."""
    text = page.read_text(encoding="utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    for line in text.splitlines():
        if line.startswith("| `"):
            yield [cell.strip().strip("`") for cell in line.strip("|").split("|")]


def program_of(ops: list[str], kind: str, device: str) -> cutl.Program:
    """A function `f0`, `f1`, … for every few ops, which applies them to an f32 matrix."""
    functions = []
    for start in range(0, len(ops), OUTPUTS):
        group = ops[start : start + OUTPUTS]
        outs = range(len(group))
        body = []
        for i, op in enumerate(group):
            body.append(f"%y{i} = {op} : f32")
            if kind != "f32":
                body.append(f"%r{i} = arith.truncf %y{i} : f32 to {kind}")
        values = ", ".join(f"{'%y' if kind == 'f32' else '%r'}{i}" for i in outs)
        matrix = f"memref<?x?x{kind}>"
        declared = ", ".join(f"%d{i}: {matrix}" for i in outs)
        written = ", ".join(f"%d{i} : (m, n)" for i in outs)
        config = GPU_CONFIG if device == "cuda" else ""
        types = ", ".join(["memref<?x?xbf16>"] * 2 + ["memref<?x?xf32>"] + [matrix] * len(group))
        lines = "\n    ".join(body)
        functions.append(
            f"""func.func @f{start // OUTPUTS}(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %in: memref<?x?xf32>, {declared}) {{
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%in : (m, n)) outs({written}) {config}{{
  ^bb0(%acc: f32, %x: f32):
    {lines}
    cutl.yield {values} : {", ".join([kind] * len(group))}
  }} : ({types}) -> ()
  return
}}
"""
        )
    return cutl.Program("\n".join(functions))


def evaluate(ops: list[str], kind: str, operands: Array, device: str) -> dict[str, Array]:
    """The results of the ops in the type `kind`, as float64."""
    rows = -(-operands.size // COLUMNS)
    x = np.zeros(rows * COLUMNS, np.float32)
    x[: operands.size] = operands
    empty_a, empty_b = np.zeros((rows, 0), ml_dtypes.bfloat16), np.zeros((COLUMNS, 0), ml_dtypes.bfloat16)
    program = program_of(ops, kind, device)
    dtype = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16}[kind]
    results = {}
    for start in range(0, len(ops), OUTPUTS):
        group = ops[start : start + OUTPUTS]
        outputs = [np.empty((rows, COLUMNS), dtype) for _ in group]
        program.run(f"f{start // OUTPUTS}", empty_a, empty_b, x.reshape(rows, COLUMNS), *outputs, device=device)
        for op, output in zip(group, outputs):
            results[op] = output.reshape(-1)[: operands.size].astype(np.float64)
    return results


def single_operands() -> Array:
    """Bit patterns all over f32, and the numbers where the functions turn."""
    spread = np.arange(0, 2**32, 2039, dtype=np.uint64).astype(np.uint32).view(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 3.0, -3.0, 6.0], np.float32)
    return np.concatenate([spread, np.arange(-20.0, 20.0, 2.0**-12, dtype=np.float32), special])


def narrow_operands() -> Array:
    """All numbers of bf16 and f16."""
    bits = np.arange(2**16, dtype=np.uint16)
    return np.concatenate([bits.view(ml_dtypes.bfloat16).astype(np.float32), bits.view(np.float16).astype(np.float32)])


def spacing(y: Array, digits: int, least_exponent: int) -> Array:
    """The unit in the last place at y of a float with `digits` after the point."""
    _, exponent = np.frexp(y)
    exponent = np.where(y == 0.0, least_exponent, np.maximum(exponent - 1, least_exponent))
    return np.ldexp(1.0, exponent - digits)


def compare_special(x: Array, want: Array, got: Array, threshold: float, relative: float) -> tuple[str, Array]:
    """What is wrong with NaN, infinity and the sign of zero, and which elements are numbers in both."""
    numbers = np.isfinite(want) & np.isfinite(got) & (np.abs(want) < threshold)
    # Near the threshold rounding decides what is infinite.
    near = (np.abs(want) * (1.0 + relative) >= threshold) & (np.abs(want) * (1.0 - relative) <= threshold)
    rounded = np.where(np.abs(want) >= threshold, np.copysign(np.inf, want), want)
    wrong = ~numbers & ~near & ~((got == rounded) | (np.isnan(got) & np.isnan(want)))
    wrong |= (want == 0.0) & (got == 0.0) & (np.signbit(want) != np.signbit(got))
    if not wrong.any():
        return "", numbers
    at = int(np.argmax(wrong))
    return f"expected {want[at]} at {x[at]}, got {got[at]}", numbers


def worst(errors: Array, x: Array) -> tuple[float, float]:
    if not errors.size:
        return 0.0, 0.0
    at = int(np.argmax(errors))
    return float(errors[at]), float(x[at])


def measure_single(bound: Bound, x: Array, want: Array, got: Array) -> tuple[str, str]:
    """What is wrong, or nothing, and the cell of the table."""
    problem, numbers = compare_special(x, want, got, 2.0**128 * (1.0 - 2.0**-25), 2.0**-22)
    x, want, got = x[numbers], want[numbers], got[numbers]
    distance = np.abs(got - want)
    lower = (x < 0.0) if bound.lower is not None else np.zeros(x.shape, bool)
    errors = np.maximum(distance - bound.least, 0.0) / spacing(want, 23, -126)
    ulp, at = worst(errors[~lower], x[~lower])
    cell = f"{ulp:.2f} ulp"
    if ulp > bound.ulp:
        problem = problem or f"{ulp:.3f} ulp at {at!r}"
    if bound.lower is not None:
        scale = np.abs(x) if bound.of_operand else 1.0
        units, at = worst((distance / (2.0**-24 * scale + 2.0**-149))[lower], x[lower])
        cell += f"; x < 0: {units:.2f}·2^-24" + ("·abs(x)" if bound.of_operand else "")
        if units > bound.lower:
            problem = problem or f"{units:.3f} units at {at!r}"
    return problem, cell


def measure_narrow(bound: Bound | NarrowBound, kind: str, x: Array, want: Array, got: Array) -> tuple[str, str]:
    """The same for a result that is rounded to `kind`. Its error beyond half an ulp is the expansion's."""
    digits, least, greatest = (7, -126, 128) if kind == "bf16" else (10, -14, 16)
    threshold = 2.0**greatest * (1.0 - 2.0 ** -(digits + 2))
    problem, numbers = compare_special(x, want, got, threshold, bound.relative)
    x, want, got = x[numbers], want[numbers], got[numbers]
    distance, ulp = np.abs(got - want), spacing(want, digits, least)
    excess = np.maximum(distance - 0.5 * ulp, 0.0)
    share, at = worst(excess / (bound.at(x, want) + 2.0**-149), x)
    if share > 1.0:
        problem = problem or f"{share:.3f} of the bound beyond half an ulp at {at!r}"
    large = np.abs(want) >= LARGE
    ulps, _ = worst((distance / ulp)[large], x[large])
    return problem, f"{share:.2f} of that; {ulps:.3f} ulp"


# Overflow, NaN and the like are among the operands.
@np.errstate(all="ignore")
def measure(device: str, page: Path = PAGE) -> list[str]:
    """Prints the tables and returns what is wrong."""
    column = -2 if device == "cuda" else -1
    bounds = {row[0]: bound_of(row[column]) for row in rows_of(page, "Functions of one float")}
    narrow: dict[str, list[Bound | NarrowBound]] = {
        row[0]: [narrow_bound_of(cell) for cell in row[1:3]] for row in rows_of(page, "Results that are rounded")
    }
    if unknown := (set(bounds) ^ set(FUNCTIONS)) | (set(narrow) - set(bounds)):
        return [f"{page}: expected the functions of this script, which differ in {', '.join(sorted(unknown))}"]
    if device == "cpu":
        # It has one formula for all uses.
        narrow = {op: [bounds[op], bounds[op]] for op in narrow}

    problems = []
    x = single_operands()
    wide = x.astype(np.float64)
    results = evaluate(list(bounds), "f32", x, device)
    print(f"f32 results of {x.size} operands on {device}\n\n| op | bound | measured |\n|---|---|---|")
    for op, bound in bounds.items():
        problem, cell = measure_single(bound, wide, FUNCTIONS[op](wide), results[op])
        print(f"| `{op}` | {bound.text} | {cell} |")
        if problem:
            problems.append(f"{op}: {problem}")

    kinds = ("bf16", "f16")
    x = narrow_operands()
    wide = x.astype(np.float64)
    rounded = {kind: evaluate(list(narrow), kind, x, device) for kind in kinds}
    print(f"\nRounded results of {x.size} operands: the bound beside half an ulp, the part of it that is needed, and the")
    print(f"whole error where abs(y) >= {LARGE:g}\n")
    print("| op | bound, bf16 | measured | bound, f16 | measured |\n|---|---|---|---|---|")
    for op, pair in narrow.items():
        want = FUNCTIONS[op](wide)
        cells = []
        for bound, kind in zip(pair, kinds):
            problem, cell = measure_narrow(bound, kind, wide, want, rounded[kind][op])
            cells += [bound.text, cell]
            if problem:
                problems.append(f"{op} to {kind}: {problem}")
        print(f"| `{op}` | {' | '.join(cells)} |")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page that has the tables")
    options = parser.parse_args()
    problems = measure(options.device, options.page)
    for problem in problems:
        print(problem)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
