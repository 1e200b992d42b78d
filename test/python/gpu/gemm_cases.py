"""Matrix products on a GPU against float64, over every pair of factors that a kernel depends on.

Needs the installed package, NumPy, PyTorch and a GPU; `test_gemm.py` runs it under pytest, and without that

    python test/python/gpu/gemm_cases.py [--cases N] [--matching PATTERN]

runs all cases, prints what failed and what was covered, and exits with 1 if anything failed.

Operands lie inside larger buffers. Around A, B, C and bias there is NaN, so that reading outside shows. D and all around
it is filled with one pattern, a NaN, and around D the pattern must still be there afterwards. Every case runs twice and must
give the same bits. Elements must be within

    half an ulp of D + c * sqrt(K) * 2^-24 * |A| |B|,   carried through the epilogue.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import math
import random
import re
import sys
import traceback
from dataclasses import dataclass, field
from typing import Any

import torch

import cutl
from cutl import _compiler

# Of sums by tensor cores with f32 accumulators. Of functions: how many roundings of f32 their results take.
ACCUMULATION_FACTOR = 4.0
ROUNDINGS = 32
EPSILON = 2.0**-24
SLOPES = {"gelu": 1.13, "gelu_tanh": 1.13, "silu": 1.1}
# What is rounded to 16 bits takes shorter formulas: their errors, as parts of the result and of the operand, from
# docs/Epilogues.md.
NARROW = {
    ("gelu", torch.bfloat16): (2.0**-14, 2.0**-28),
    ("gelu", torch.float16): (2.0**-17, 2.0**-40),
    ("silu", torch.bfloat16): (2.0**-17, 0.0),
    ("silu", torch.float16): (2.0**-17, 0.0),
}

CHIP = "sm_90a"
SEED = 20240229
NUM_CASES = 440
# Elements of a guard zone.
GUARD = 256

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
# A NaN of each size in bytes, by which memory that was not written is known.
PATTERNS = {2: 0x7FC5, 4: 0x7FC5A5A5}

SHAPES = (
    (1, 1, 1),
    (1, 4096, 512),
    (7, 9, 8),
    (64, 64, 64),
    (127, 129, 65),
    (128, 256, 64),
    (129, 255, 63),
    (255, 257, 320),
    (256, 512, 1),
    (300, 200, 0),
    (0, 128, 64),
    (128, 0, 64),
    (513, 8, 1000),
    (8, 520, 4096),
    (1000, 1000, 1000),
    (2048, 1536, 640),
    (4100, 264, 72),
)

ORDERS = ("rr", "rc", "cr", "cc")

# Of A and B, and of D.
TYPE_PAIRS = (("f16", "f16"), ("f16", "bf16"), ("f16", "f32"), ("bf16", "bf16"), ("bf16", "f16"), ("bf16", "f32"))

EPILOGUES = (
    "none",
    "bias row",
    "bias column",
    "relu",
    "gelu",
    "gelu_tanh",
    "silu",
    "alpha",
    "alpha C",
    "C in place",
    "C row",
    "C bias relu",
)

# How the operands lie: tight where TMA allows, rows padded, D shifted by elements so that it cannot be stored by TMA.
PITCHES = ("tight", "padded", "D odd", "D shifted", "all padded wide")


@dataclass(frozen=True)
class Case:
    shape: tuple[int, int, int]
    orders: str
    types: tuple[str, str]
    epilogue: str
    config: str
    pitch: str

    def factors(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "orders": self.orders,
            "types": self.types,
            "epilogue": self.epilogue,
            "config": self.config,
            "pitch": self.pitch,
        }

    def __str__(self) -> str:
        config = self.config.removeprefix("#cutl.tile_config<").removesuffix(">") or "chosen"
        m, n, k = self.shape
        return f"{m}x{n}x{k} {self.orders} {self.types[0]}->{self.types[1]} {self.epilogue}, {self.pitch}, {config}"


@dataclass
class Coverage:
    """What the cases that ran have shown."""

    cases: int = 0
    elements: int = 0
    worst: float = 0.0
    worst_case: str = ""
    pairs: set[Any] = field(default_factory=set)

    def add(self, case: Case, elements: int, share: float) -> None:
        self.cases += 1
        self.elements += elements
        self.pairs |= pairs_of(case)
        if share > self.worst:
            self.worst, self.worst_case = share, str(case)

    def report(self, cases: list[Case]) -> list[str]:
        wanted = all_pairs(cases)
        return [
            f"{self.cases} cases, {self.elements} elements, {_compiler.gpu_kernels()} distinct kernels",
            f"{len(self.pairs & wanted)} of {len(wanted)} pairs of factors covered",
            f"largest share of the bound used, beside the last rounding: {self.worst:.3f} ({self.worst_case};"
            f" accumulation factor {ACCUMULATION_FACTOR}, {ROUNDINGS} roundings)",
        ]


def pairs_of(case: Case) -> set[Any]:
    return set(itertools.combinations(sorted(case.factors().items(), key=lambda item: item[0]), 2))


def all_pairs(cases: list[Case]) -> set[Any]:
    """Every pair of values that the factors of the cases have and that some case can have."""
    values: dict[str, set[Any]] = {}
    for case in cases:
        for name, value in case.factors().items():
            values.setdefault(name, set()).add(value)
    return {
        ((first, x), (second, y))
        for first, second in itertools.combinations(sorted(values), 2)
        for x in values[first]
        for y in values[second]
        if first != "config" or not x or is_chosen(x, second, y)
    }


def is_chosen(config: str, factor: str, value: Any) -> bool:
    """Whether some case has that configuration and that value of another factor."""
    return factor not in ("orders", "types") or any(
        config in choosable_configs(o, t) for o in ORDERS for t in TYPE_PAIRS if value in (o, t)
    )


def spec_of(orders: str, types: tuple[str, str], config: str = "") -> _compiler.GemmSpec:
    """A plain product of operands that lie so."""
    element, result = (cutl.DataType[name] for name in types)
    return _compiler.GemmSpec(
        a=_compiler.OperandSpec(element, "mk" if orders[0] == "r" else "km", True),
        b=_compiler.OperandSpec(element, "kn" if orders[1] == "r" else "nk", True),
        d=_compiler.OperandSpec(result, "mn", True),
        accumulator=cutl.DataType.f32,
        activation=cutl.epilogue.identity,
        has_alpha=False,
        config=config,
    )


# Chosen where rows straddle cache lines only.
SWAPPED = (
    "#cutl.tile_config<cta = [128, 160, 64], stages = 4, kernel = pingpong, cluster = [2, 2], swap_operands = true>",
    "#cutl.tile_config<cta = [128, 192, 64], stages = 3, kernel = pingpong, cluster = [2, 1], swap_operands = true>",
    "#cutl.tile_config<cta = [128, 72, 64], stages = 6, kernel = pingpong, swap_operands = true>",
)


@functools.lru_cache(None)
def choosable_configs(orders: str, types: tuple[str, str]) -> tuple[str, ...]:
    """The configurations that the compiler chooses for products of that kind, of one size or another."""
    sizes = itertools.product((1, 16, 64, 200, 1024, 2048, 4096, 8192), (64, 520, 2048, 6144, 8192), (512, 8192))
    spec = spec_of(orders, types)
    return (*dict.fromkeys(_compiler.configure(spec, CHIP, size).config for size in sizes), *SWAPPED)


def make_cases(count: int = NUM_CASES, seed: int = SEED) -> list[Case]:
    """Cases that cover every pair of factors soonest, then random ones."""
    rng = random.Random(seed)

    def draw() -> Case:
        orders, types = rng.choice(ORDERS), rng.choice(TYPE_PAIRS)
        # The compiler's own choice for the shape as often as each that it makes for others.
        config = rng.choice(("", *choosable_configs(orders, types)))
        return Case(rng.choice(SHAPES), orders, types, rng.choice(EPILOGUES), config, rng.choice(PITCHES))

    covered: set[Any] = set()
    cases: list[Case] = []
    while len(cases) < count:
        best = max((draw() for _ in range(50)), key=lambda c: len(pairs_of(c) - covered))
        if best in cases:
            continue
        covered |= pairs_of(best)
        cases.append(best)
    return cases


def round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def matrix(
    rows: int,
    columns: int,
    order: str,
    dtype: torch.dtype,
    generator: torch.Generator,
    extra: int,
    unit: int,
    shift: int = 0,
) -> tuple[torch.Tensor, torch.Tensor]:
    """A random matrix of that order ("r" or "c") inside a buffer of NaN, and the buffer."""
    outer, inner = (rows, columns) if order == "r" else (columns, rows)
    pitch = round_up(max(inner, 1), unit) + extra
    # One row for a matrix of none, so that it too has an address.
    kept = max(outer, 1)
    buffer = torch.full((GUARD + kept * pitch + GUARD,), float("nan"), dtype=dtype, device="cuda")
    view = buffer[GUARD + shift : GUARD + shift + kept * pitch].view(kept, pitch)[:outer, :inner]
    view.copy_(torch.randn((outer, inner), generator=generator, device="cuda"))
    return (view if order == "r" else view.t()), buffer


def bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.view(torch.int16 if tensor.element_size() == 2 else torch.int32)


def half_ulp(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Half the distance of neighbours of `dtype` at |x|, in float64."""
    info = torch.finfo(dtype)
    digits = round(-math.log2(info.eps))
    lowest = math.log2(info.tiny)
    _, exponent = torch.frexp(x.abs())
    exponent = torch.where(x == 0, lowest, exponent.double() - 1).clamp(min=lowest)
    return 0.5 * torch.exp2(exponent - digits)


def activate(name: str, x: torch.Tensor) -> torch.Tensor:
    functional = torch.nn.functional
    if name == "relu":
        return torch.relu(x)
    if name == "gelu":
        return functional.gelu(x)
    if name == "gelu_tanh":
        return functional.gelu(x, approximate="tanh")
    if name == "silu":
        return functional.silu(x)
    return x


def run_case(case: Case) -> tuple[int, float]:
    """Raises AssertionError if anything is wrong; else elements of D and the largest share of the bound."""
    m, n, k = case.shape
    a_type, d_type = (TYPES[name] for name in case.types)
    generator = torch.Generator("cuda").manual_seed(hash_of(case))
    extra = {"tight": 0, "padded": 8, "all padded wide": 64}.get(case.pitch, 0)
    a, _ = matrix(m, k, case.orders[0], a_type, generator, extra, 8)
    b, _ = matrix(k, n, case.orders[1], a_type, generator, extra, 8)
    d_extra = 1 if case.pitch == "D odd" else extra
    d_unit = 1 if case.pitch in ("D odd", "D shifted") else 8
    shift = 3 if case.pitch == "D shifted" else 0
    d, d_buffer = matrix(m, n, "r", d_type, generator, d_extra, d_unit, shift)

    plan = cutl.op.Gemm(device="cuda", config=case.config)
    parts = case.epilogue.split()
    activation = next((p for p in parts if p in ("relu", "gelu", "gelu_tanh", "silu")), "identity")
    plan.activation = activation
    alpha, beta = (0.75, -1.25) if "alpha" in parts else (1.0, 0.0)
    c = bias = None
    if "C" in parts:
        beta = beta or 0.5
        c = d if "place" in parts else matrix(m, n, "r", d_type, generator, d_extra, d_unit, shift)[0]
        if "row" in parts:
            c = torch.randn(n, generator=generator, device="cuda").to(d_type)
    elif case.epilogue == "alpha":
        beta = 0.0
    if "bias" in parts:
        size = (m, 1) if "column" in parts else (n,)
        bias = torch.randn(size, generator=generator, device="cuda")
    original = d.clone() if c is d else None

    pattern = PATTERNS[d.element_size()]

    def once() -> torch.Tensor:
        """D's buffer after one run."""
        bits(d_buffer).fill_(pattern)
        if original is not None:
            d.copy_(original)
        assert plan.run(a, b, c, d, alpha, beta, bias) is d
        torch.cuda.synchronize()
        return d_buffer.clone()

    first = once()
    computed = d.double()
    second = once()
    assert torch.equal(bits(first), bits(second)), "two runs differ"
    around = bits(second).clone()
    inside = torch.zeros_like(d_buffer, dtype=torch.bool)
    inside_view = inside.as_strided(d.shape, d.stride(), d.storage_offset())
    inside_view.fill_(True)
    assert bool((around[~inside] == pattern).all()), "memory around D was written"

    a64, b64 = a.double(), b.double()
    value = alpha * (a64 @ b64)
    magnitude = abs(alpha) * (a64.abs() @ b64.abs())
    error = (ACCUMULATION_FACTOR * math.sqrt(k) + 1) * EPSILON * magnitude
    if c is not None:
        term = beta * (original if original is not None else c).double()
        value = value + term
        error = error + EPSILON * (term.abs() + value.abs())
    if bias is not None:
        value = value + bias.double()
        error = error + EPSILON * value.abs()
    if activation != "identity":
        result = activate(activation, value)
        slope = SLOPES.get(activation, 1.0)
        error = slope * error + ROUNDINGS * EPSILON * (result.abs() + value.abs().clamp(max=1.0))
        of_result, of_operand = NARROW.get((activation, d_type), (0.0, 0.0))
        error = error + of_result * result.abs() + of_operand * value.abs()
        value = result
    return m * n, check(computed, value, error, d_type)


def check(computed: torch.Tensor, value: torch.Tensor, error: torch.Tensor, dtype: torch.dtype) -> float:
    if computed.numel() == 0:
        return 0.0
    assert bool(computed.isfinite().all()), f"{int((~computed.isfinite()).sum())} elements are not finite"
    excess = ((computed - value).abs() - half_ulp(value.abs() + error, dtype)).clamp(min=0.0)
    share = torch.where(excess > 0, excess / error, torch.zeros_like(excess))
    worst = float(share.max())
    if not worst <= 1.0:
        row, column = divmod(int(share.argmax()), computed.shape[1])
        raise AssertionError(
            f"{worst:.2f} times the bound at ({row}, {column}): expected {float(value[row, column])}, got"
            f" {float(computed[row, column])}; {int((share > 1).sum())} of {share.numel()} elements are wrong"
        )
    return worst


def hash_of(case: Case) -> int:
    """The same in every process."""
    value = 1469598103934665603
    for byte in str(case).encode():
        value = (value ^ byte) * 1099511628211 % 2**63
    return value % 2**31


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=NUM_CASES, help="at most as many")
    parser.add_argument("--matching", default="", metavar="PATTERN", help="only cases whose name has a match of it")
    parser.add_argument("--traceback", action="store_true", help="where each failure came from")
    options = parser.parse_args()
    cases = [case for case in make_cases() if re.search(options.matching, str(case))][: options.cases]
    coverage, failed = Coverage(), 0
    for case in cases:
        try:
            coverage.add(case, *run_case(case))
        except Exception as error:  # One case that fails must not stop the rest.
            failed += 1
            lines = str(error).splitlines() or [""]
            print(f"FAILED {case}: {type(error).__name__}: {lines[0]}", flush=True)
            if options.traceback:
                traceback.print_exc()
            if "device-side" in str(error) or "illegal" in str(error):
                print("the context is lost; stopping")
                break
    print(*coverage.report(cases), f"{coverage.cases} passed, {failed} failed", sep="\n")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
