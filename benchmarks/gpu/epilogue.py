"""Products with fused epilogues on a GPU: `python benchmarks/gpu/epilogue.py`, with the installed package and PyTorch.

Each chain is one Python function of `CHAINS`, traced into the epilogue of one kernel. --kind names what is measured:

chains        against PyTorch: where cuBLASLt has one call for the chain, that call; else the better of the chain as it is
              written and of torch.compile of it.
activations   bias and each activation, over our plain product.
full          a whole matrix read and another written beside the result, over our plain product.

Each case is checked first, on results poisoned with NaN, against the chain in float64. All sides run in turn from CUDA graphs
whose launches go through enough sets of operands that 256 MB pass before one is used again, as in gemm.py, which has the timing.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Optional

import gemm
import torch
import torch.nn.functional as F

import cutl
from cutl import epilogue

# ruff: noqa: N803, N806 - operands have the names that plans know them by.


def bias(accum: Any, bias: Any) -> Any:
    D = accum + bias
    return D


def bias_relu(accum: Any, bias: Any) -> Any:
    D = epilogue.relu(accum + bias)
    return D


def bias_gelu(accum: Any, bias: Any) -> Any:
    D = epilogue.gelu_tanh(accum + bias)
    return D


def bias_gelu_erf(accum: Any, bias: Any) -> Any:
    D = epilogue.gelu(accum + bias)
    return D


def bias_silu(accum: Any, bias: Any) -> Any:
    D = epilogue.silu(accum + bias)
    return D


def bias_sigmoid(accum: Any, bias: Any) -> Any:
    D = epilogue.sigmoid(accum + bias)
    return D


def bias_tanh(accum: Any, bias: Any) -> Any:
    D = epilogue.tanh(accum + bias)
    return D


def bias_hardswish(accum: Any, bias: Any) -> Any:
    D = epilogue.hardswish(accum + bias)
    return D


def bias_softplus(accum: Any, bias: Any) -> Any:
    D = epilogue.softplus(accum + bias)
    return D


def bias_leaky_relu(accum: Any, bias: Any) -> Any:
    D = epilogue.leaky_relu(accum + bias, 0.01)
    return D


def bias_silu_mul_aux(accum: Any, bias: Any, aux: Any) -> Any:
    D = epilogue.silu(accum + bias) * aux
    return D


def bias_residual(accum: Any, bias: Any, aux: Any) -> Any:
    D = accum + bias + aux
    return D


def bias_gelu_colsum(accum: Any, bias: Any) -> Any:
    D = epilogue.gelu_tanh(accum + bias)
    sums = epilogue.sum(D, dim=0)
    return D, sums


def silu_of_sum(accum: Any, aux: Any) -> Any:
    stored = accum + aux
    D = epilogue.silu(stored)
    return D, stored


@dataclass(frozen=True)
class Chain:
    traced: Callable[..., Any]
    # From the product, of any precision, and the set of operands.
    torch: Callable[[torch.Tensor, Any], tuple[torch.Tensor, ...]]
    # PyTorch's one call, into x.d.
    library: Optional[Callable[[Any], Any]] = None
    # The rest starts from addmm rather than from mm.
    adds_bias: bool = True

    @property
    def arguments(self) -> tuple[str, ...]:
        code = self.traced.__code__
        return code.co_varnames[1 : code.co_argcount]

    @property
    def results(self) -> tuple[str, ...]:
        code = self.traced.__code__
        return tuple(name for name in ("stored", "sums") if name in code.co_varnames)


def activation(traced: Callable[..., Any], function: Callable[[torch.Tensor], torch.Tensor]) -> Chain:
    return Chain(traced, lambda y, x: (function(y),))


def gelu_tanh(y: torch.Tensor) -> torch.Tensor:
    return F.gelu(y, approximate="tanh")


def with_sums(y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    d = gelu_tanh(y)
    return d, d.sum(0, dtype=torch.float64 if d.dtype == torch.float64 else torch.float32)


CHAINS = {
    "bias": Chain(bias, lambda y, x: (y,), lambda x: torch.addmm(x.bias, x.a, x.b, out=x.d)),
    "bias_relu": Chain(
        bias_relu, lambda y, x: (F.relu(y),), lambda x: torch._addmm_activation(x.bias, x.a, x.b, out=x.d)
    ),
    "bias_gelu": Chain(
        bias_gelu,
        lambda y, x: (gelu_tanh(y),),
        lambda x: torch._addmm_activation(x.bias, x.a, x.b, use_gelu=True, out=x.d),
    ),
    "bias_silu_mul_aux": Chain(bias_silu_mul_aux, lambda y, x: (F.silu(y) * x.aux,)),
    "bias_residual": Chain(bias_residual, lambda y, x: (y + x.aux,)),
    "bias_gelu_colsum": Chain(bias_gelu_colsum, lambda y, x: with_sums(y)),
    "bias_gelu_erf": activation(bias_gelu_erf, F.gelu),
    "bias_silu": activation(bias_silu, F.silu),
    "bias_sigmoid": activation(bias_sigmoid, torch.sigmoid),
    "bias_tanh": activation(bias_tanh, torch.tanh),
    "bias_hardswish": activation(bias_hardswish, F.hardswish),
    "bias_softplus": activation(bias_softplus, F.softplus),
    "bias_leaky_relu": activation(bias_leaky_relu, F.leaky_relu),
    "silu_of_sum": Chain(silu_of_sum, lambda y, x: (F.silu(y + x.aux), y + x.aux), adds_bias=False),
}

FUSED_BY_LIBRARY = [name for name, chain in CHAINS.items() if chain.library]
OTHERS = ["bias_silu_mul_aux", "bias_residual", "bias_gelu_colsum"]
ACTIVATIONS = [name for name, chain in CHAINS.items() if chain.arguments == ("bias",) and not chain.results]

Shape = tuple[int, int, int]
KINDS: dict[str, tuple[list[Shape], list[str]]] = {
    "chains": ([(8192, 8192, 4096), (512, 14336, 4096), (4096, 4096, 1024)], FUSED_BY_LIBRARY + OTHERS),
    "activations": ([(8192, 8192, 4096), (4096, 4096, 4096)], ACTIVATIONS),
    "full": ([(4096, 4096, 4096)], ["silu_of_sum"]),
}


@dataclass(frozen=True)
class Case:
    m: int
    n: int
    k: int
    chain: str

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k} {self.chain}"

    @property
    def flops(self) -> float:
        return 2.0 * self.m * self.n * self.k

    @property
    def bytes(self) -> float:
        chain = CHAINS[self.chain]
        whole = 1 + ("aux" in chain.arguments) + ("stored" in chain.results)
        return 2.0 * (self.m * self.k + self.k * self.n + whole * self.m * self.n)


class Operands:
    """One set, as `gemm.py` has it, with what the chain reads and writes besides."""

    def __init__(self, case: Case) -> None:
        chain = CHAINS[case.chain]
        plain = gemm.Operands(gemm.Case(case.m, case.n, case.k))
        self.a, self.b, self.d, self.bias = plain.a, plain.b, plain.d, plain.bias
        self.aux = torch.randn_like(self.d) if "aux" in chain.arguments else None
        self.stored = torch.full_like(self.d, float("nan")) if "stored" in chain.results else None
        self.sums = torch.full((case.n,), float("nan"), device="cuda") if "sums" in chain.results else None
        # Keeps what a graph allocates from being used again at once.
        self.kept: Any = None

    def extra(self, chain: Chain) -> dict[str, torch.Tensor]:
        return {name: getattr(self, name) for name in (*chain.arguments, *chain.results)}


def ours(case: Case, x: Operands) -> Any:
    chain = CHAINS[case.chain]
    # Launched as usual, as in gemm.py.
    plan = cutl.op.Gemm(device="cuda", programmatic_launch=False)
    plan.epilogue_visitor = epilogue.trace(chain.traced, {"accum": x.d, "D": x.d, **x.extra(chain)})

    def run(x: Operands) -> None:
        plan.run(x.a, x.b, None, x.d, visitor_args=x.extra(chain))

    run.plan = plan
    return run


def peers(case: Case) -> dict[str, Any]:
    chain = CHAINS[case.chain]
    if chain.library:
        return {"cuBLASLt": chain.library}

    # Each case is compiled for its own sizes.
    torch._dynamo.reset()

    def eager(x: Operands) -> None:
        product = torch.addmm(x.bias, x.a, x.b) if chain.adds_bias else torch.mm(x.a, x.b)
        x.kept = chain.torch(product, x)

    @torch.compile(dynamic=False)
    def fused(a: Any, b: Any, bias: Any, aux: Any) -> Any:
        x = _Given(bias, aux)
        product = torch.addmm(bias, a, b) if chain.adds_bias else torch.mm(a, b)
        return chain.torch(product, x)

    def compiled(x: Operands) -> None:
        x.kept = fused(x.a, x.b, x.bias, x.aux)

    return {"eager": eager, "torch.compile": compiled}


@dataclass
class _Given:
    bias: Any
    aux: Any


def error_of(case: Case, x: Operands) -> float:
    """The largest of the results' errors, each its norm over the result's."""
    chain = CHAINS[case.chain]
    results = [x.d, *(getattr(x, name) for name in chain.results)]
    b = x.b.double()
    rows = max(1, 2**28 // max(case.n, case.k))
    above, below = [0.0] * len(results), [0.0] * len(results)
    sums = 0.0
    for first in range(0, case.m, rows):
        part = slice(first, first + rows)
        product = x.a[part].double() @ b
        if chain.adds_bias:
            product += x.bias.double()
        given = _Given(x.bias.double(), x.aux[part].double() if x.aux is not None else None)
        for i, value in enumerate(chain.torch(product, given)):
            if results[i].dim() == 1:
                sums = sums + value
                continue
            above[i] += float((results[i][part].double() - value).square().sum())
            below[i] += float(value.square().sum())
    for i, result in enumerate(results):
        if result.dim() == 1:
            above[i] = float((result.double() - sums).square().sum())
            below[i] = float(sums.square().sum())
    return max(math.sqrt(a / b) if math.isfinite(a) else math.inf for a, b in zip(above, below))


@dataclass
class Figure:
    case: Case
    ours: float
    plain: float
    theirs: dict[str, float]
    config: str

    @property
    def ratio(self) -> float:
        return min(self.theirs.values()) / self.ours

    @property
    def cost(self) -> float:
        return self.ours / self.plain


def measure(case: Case, rounds: int, compare: bool) -> Figure:
    count = max(1, math.ceil(gemm.BETWEEN_USES / case.bytes))
    sets = [Operands(case) for _ in range(count)]
    mine = ours(case, sets[0])
    mine(sets[0])
    torch.cuda.synchronize()
    error = error_of(case, sets[0])
    if not error < 2.0**-8:
        raise AssertionError(f"wrong: error {error:.1e} of the result's norm")
    plain = gemm.ours(gemm.Case(case.m, case.n, case.k))
    others = peers(case) if compare else {}
    least = max(count, math.ceil(gemm.GRAPH_SECONDS * 600e12 / case.flops))
    launches = math.ceil(least / count) * count
    graphs = [gemm.capture(run, sets, launches) for run in (mine, plain, *others.values())]
    times = gemm.in_turn(graphs, launches, rounds)
    return Figure(case, times[0], times[1], dict(zip(others, times[2:])), mine.plan.config)


def table(figures: list[Figure], rate: float, bandwidth: float) -> list[str]:
    names = list(dict.fromkeys(name for f in figures for name in f.theirs))
    lines = [
        "| case | " + "".join(f"{name} us | " for name in names) + "ours us | " + ("ratio | " if names else "")
        + "over plain | over floor | configuration |",
        "|---|" + "---:|" * (len(names) + 3 + bool(names)) + "---|",
    ]  # fmt: skip
    for f in figures:
        theirs = "".join(f"{f.theirs[name] * 1e6:.1f} | " if name in f.theirs else " | " for name in names)
        floor = max(f.case.flops / rate, f.case.bytes / bandwidth)
        lines.append(
            f"| {f.case} | {theirs}{f.ours * 1e6:.1f} | " + (f"{f.ratio:.3f} | " if names else "")
            + f"{f.cost:.3f} | {f.ours / floor:.2f} | {gemm.short(f.config)} |"
        )  # fmt: skip
    return lines


def summary(name: str, values: list[tuple[float, str]], what: str, worst_first: bool) -> str:
    if not values:
        return f"{name}: nothing measured"
    ordered = sorted(values, reverse=not worst_first)
    mean = math.exp(statistics.fmean(math.log(v) for v, _ in values))
    worst = ", ".join(f"{case} {value:.3f}" for value, case in ordered[:3])
    below = f"; {sum(v < 1.0 for v, _ in values)} of {len(values)} under 1" if worst_first else ""
    return f"{name}: geometric mean of {what} {mean:.3f}{below}; worst {worst}"


def draw(cases: list[Case], count: int, seed: int) -> list[Case]:
    """Cases like the given ones, of sizes that are in no list."""
    rng = random.Random(seed)
    return [
        replace(case, **{d: round(getattr(case, d) * rng.uniform(0.6, 1.4) / 8) * 8 for d in "mnk"})
        for case in (rng.choice(cases) for _ in range(count))
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", action="append", choices=tuple(KINDS), help="all of them if none is named")
    parser.add_argument("--chain", action="append", choices=tuple(CHAINS), help="only these")
    parser.add_argument("--drawn", type=int, default=0, help="as many cases of chains again, of sizes drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the drawn sizes; 0 for one from the clock")
    parser.add_argument("--rounds", type=int, default=13)
    parser.add_argument("--output", default="gpu-epilogue.md", help="Markdown file to write")
    options = parser.parse_args()
    rate, bandwidth = gemm.limits()
    text = [
        "# Fused epilogues on a GPU",
        "",
        f"`python benchmarks/gpu/epilogue.py {' '.join(sys.argv[1:])}`".replace(" `", "`"),
        "",
        f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}, {options.rounds} rounds in"
        f" turn, medians. The floor is the larger of FLOPs at {rate / 1e12:.0f} TFLOP/s and bytes at {bandwidth / 1e12:.2f}"
        " TB/s, both measured in this run. A ratio above 1 is faster than the best of the others.",
    ]
    groups = []
    for kind in options.kind or KINDS:
        shapes, chains = KINDS[kind]
        groups.append(
            (kind, [Case(*s, c) for c in chains if not options.chain or c in options.chain for s in shapes])
        )
    if options.drawn:
        seed = options.seed or random.SystemRandom().randrange(1, 2**31)
        given = [case for kind, cases in groups for case in cases if kind == "chains"]
        groups.append((f"drawn, seed {seed}", draw(given, options.drawn, seed)))
    failed = 0
    for kind, cases in groups:
        compare = kind not in ("activations", "full")
        figures = []
        for case in cases:
            try:
                figures.append(measure(case, options.rounds, compare))
                print(table(figures[-1:], rate, bandwidth)[-1], flush=True)
            except Exception as error:  # One case that fails must not stop the rest.
                failed += 1
                text.append(f"* {case} failed: {type(error).__name__}: {str(error)[:300]}")
                print(text[-1], flush=True)
            torch.cuda.empty_cache()
        lines = []
        if compare:
            for name, chosen in (("fused by cuBLASLt", True), ("others", False)):
                ratios = [(f.ratio, str(f.case)) for f in figures if bool(CHAINS[f.case.chain].library) == chosen]
                if ratios:
                    lines += [summary(f"{kind}, {name}", ratios, "the ratios", worst_first=True), ""]
        else:
            costs = [(f.cost, str(f.case)) for f in figures]
            lines += [summary(kind, costs, "time over the plain product's", worst_first=False), ""]
        print(*lines, sep="\n", flush=True)
        text += ["", f"## {kind}", ""]
        if compare:
            for chosen in (True, False):
                part = [f for f in figures if bool(CHAINS[f.case.chain].library) == chosen]
                text += [*table(part, rate, bandwidth), ""] if part else []
        else:
            text += [*table(figures, rate, bandwidth), ""]
        text += lines
        Path(options.output).write_text("\n".join(text).rstrip() + "\n")
    print(f"written to {options.output}; {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
