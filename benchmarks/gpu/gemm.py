"""Matrix products on a GPU against cuBLAS: `python benchmarks/gpu/gemm.py [SHAPE ...]`, with the installed package and PyTorch.

A shape is [BATCHx]MxNxK[:ORDERS[:TYPE[:EPILOGUE]]], as in 8192x8192x4096:rc:bf16:bias_relu. ORDERS has a letter for A and one
for B, r for rows and c for columns that lie together in memory (rc by default, a linear layer); TYPE is bf16 or f16; EPILOGUE
is none, bias, bias_relu or bias_gelu (in its tanh form); epilogue.py has more. Instead of shapes, --kind names a list: square,
llm, random, deep_k, batched and others, of this benchmark or of a JSON file; --drawn adds cases of the same kinds, of sizes
drawn from a seed.

Each case is checked first, on a result poisoned with NaN, against float64. Then both sides run in turn, A B A B, each from a
CUDA graph whose launches go through enough sets of operands that 256 MB pass before one is used again. The figure is the ratio
of the medians, cuBLAS over ours: above 1 ours is faster. Ours is launched as usual; what programmatic launches, which are a
plan's default, make of the ratio has a column of its own. cuBLAS is torch.mm, addmm, _addmm_activation, bmm and baddbmm. Where
there is an epilogue a further column is ours over our plain product. Where bytes are the floor, the rate at which they passed
is given, and as a share of what a copy and a sum reach in this run.

--candidates times what the compiler could have chosen besides: the first half of a list of that many by prediction, the rest
evenly from those behind. The three fastest and the choice are then timed again in turn; the loss is how much longer the choice
takes than the fastest of those.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import statistics
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Optional

import torch
from cases import DRAWN, KINDS, Case, draw, parse, read_kind, spread

import cutl

BETWEEN_USES = 256e6
LONGEST_SETS = 1024
GRAPH_SECONDS = 1e-3
# Faster than any launch is, so that graphs are long enough.
LEAST_SECONDS = 2.5e-6
SCREENING_ROUNDS = 3
COMPILERS = 12
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16}


def matrix(case: Case, rows: int, columns: int, order: str) -> torch.Tensor:
    shape = (rows, columns) if order == "r" else (columns, rows)
    shape = shape if case.batch is None else (case.batch, *shape)
    values = torch.randn(shape, device="cuda", dtype=TYPES[case.dtype])
    return values if order == "r" else values.transpose(-1, -2)


class Operands:
    """One set of operands."""

    def __init__(self, case: Case) -> None:
        dtype = TYPES[case.dtype]
        self.a = matrix(case, case.m, case.k, case.orders[0])
        self.b = matrix(case, case.k, case.n, case.orders[1])
        self.d = torch.full((*self.a.shape[:-1], case.n), float("nan"), dtype=dtype, device="cuda")
        self.bias = torch.randn(case.n, device="cuda").to(dtype)


def peer(case: Case) -> Any:
    """How PyTorch computes the case."""
    if case.batch is not None:
        if case.epilogue == "none":
            return lambda x: torch.bmm(x.a, x.b, out=x.d)
        return lambda x: torch.baddbmm(x.bias.expand_as(x.d), x.a, x.b, out=x.d)
    if case.epilogue == "none":
        return lambda x: torch.mm(x.a, x.b, out=x.d)
    if case.epilogue == "bias":
        return lambda x: torch.addmm(x.bias, x.a, x.b, out=x.d)
    gelu = case.epilogue == "bias_gelu"
    return lambda x: torch._addmm_activation(x.bias, x.a, x.b, use_gelu=gelu, out=x.d)


def ours(case: Case, config: str = "", programmatic: bool = False) -> Any:
    plan = cutl.op.Gemm(device="cuda", config=config, programmatic_launch=programmatic)
    plan.activation = {"bias_relu": "relu", "bias_gelu": "gelu_tanh"}.get(case.epilogue, "identity")

    def run(x: Operands) -> None:
        plan.run(x.a, x.b, None, x.d, bias=x.bias if case.epilogue != "none" else None)

    run.plan = plan
    return run


def error_of(case: Case, x: Operands) -> float:
    """The error's norm over the result's, in rows that fit the memory."""
    above = below = 0.0
    batches = [(x.a, x.b, x.d)] if case.batch is None else list(zip(x.a, x.b, x.d))
    # Of many small products a few tell as much; the last is where a batch would end early.
    step = max(1, len(batches) // 64)
    for a, b, d in (*batches[:-1:step], batches[-1]):
        right = b.double()
        rows = max(1, int(2**28 // max(case.n, case.k)))
        for first in range(0, case.m, rows):
            last = first + rows
            value = a[first:last].double() @ right
            if case.epilogue != "none":
                value += x.bias.double()
            if case.epilogue == "bias_relu":
                value = torch.relu(value)
            if case.epilogue == "bias_gelu":
                value = torch.nn.functional.gelu(value, approximate="tanh")
            above += float((d[first:last].double() - value).square().sum())
            below += float(value.square().sum())
    return math.sqrt(above / below) if math.isfinite(above) else math.inf


def check(case: Case, error: float) -> None:
    limit = 2.0**-8 if case.dtype == "bf16" else 2.0**-10
    if not error < limit:
        raise AssertionError(f"wrong: error {error:.1e} of the result's norm, at most {limit:.1e} expected")


def capture(run: Any, sets: list[Operands], launches: int) -> torch.cuda.CUDAGraph:
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for x in sets[:2]:
            run(x)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for i in range(launches):
                run(sets[i % len(sets)])
    graph.replay()
    torch.cuda.synchronize()
    return graph


def seconds(graph: torch.cuda.CUDAGraph) -> float:
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1e-3


def in_turn(graphs: list[torch.cuda.CUDAGraph], launches: int, rounds: int) -> list[float]:
    """The median time of a launch from each graph."""
    times: list[list[float]] = [[] for _ in graphs]
    for i in range(rounds):
        order = list(range(len(graphs)))
        for which in order if i % 2 else reversed(order):
            times[which].append(seconds(graphs[which]) / launches)
    return [statistics.median(t) for t in times]


@dataclass
class Figure:
    case: Case
    error: float
    theirs: float
    ours: float
    programmatic: float
    plain: Optional[float]
    config: str

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


def make_sets(case: Case) -> tuple[list[Operands], int]:
    """Sets of operands that 256 MB pass between, and how many launches go through them and take a millisecond."""
    bytes_free = torch.cuda.mem_get_info()[0]
    count = max(1, min(math.ceil(BETWEEN_USES / case.bytes), LONGEST_SETS, int(0.6 * bytes_free / case.bytes)))
    seconds_each = max(case.flops / 600e12, case.bytes / 3e12, LEAST_SECONDS)
    least = max(count, math.ceil(GRAPH_SECONDS / seconds_each))
    return [Operands(case) for _ in range(count)], math.ceil(least / count) * count


def measure(case: Case, rounds: int) -> Figure:
    sets, launches = make_sets(case)
    mine, other = ours(case), peer(case)
    mine(sets[0])
    torch.cuda.synchronize()
    error = error_of(case, sets[0])
    check(case, error)
    runs = [other, mine, ours(case, programmatic=True)]
    if case.epilogue != "none":
        runs.append(ours(replace(case, epilogue="none")))
    times = in_turn([capture(run, sets, launches) for run in runs], launches, rounds)
    return Figure(case, error, *times[:3], times[3] if len(times) > 3 else None, chosen(mine.plan))


def chosen(plan: cutl.op.Gemm) -> str:
    """The configuration of the last run, and its schedule if it divides k."""
    schedule = plan.schedule.removeprefix("#cutl.")
    return plan.config if schedule == "data_parallel" else f"{plan.config}, {schedule}"


def compile_all(cases: list[Case], configs: list[str], x: Optional[Operands] = None) -> None:
    """Compiles side by side what is timed later: the driver's compiler takes longer than anything else here."""

    def run(case: Case, config: str) -> None:
        try:
            ours(case, config)(x or Operands(case))
            torch.cuda.synchronize()
        except Exception:  # Where it is timed it fails again, and is reported.
            pass

    with ThreadPoolExecutor(COMPILERS) as pool:
        list(pool.map(run, *zip(*((case, config) for case in cases for config in configs))))
    torch.cuda.empty_cache()


@dataclass
class Choice:
    """What was chosen for a case beside what could have been."""

    case: Case
    chosen: str
    tried: int
    failed: list[str]
    # The fastest three and the choice: configuration, seconds and place by prediction, 0 for the choice.
    again: list[tuple[str, float, int]]

    @property
    def loss(self) -> float:
        """How much longer the choice takes than the fastest."""
        of_choice = next(seconds for config, seconds, _ in self.again if config == self.chosen)
        return of_choice / min(seconds for _, seconds, _ in self.again) - 1


def choose_among(case: Case, count: int, rounds: int) -> Choice:
    sets, launches = make_sets(case)
    mine = ours(case)
    mine(sets[0])
    torch.cuda.synchronize()
    check(case, error_of(case, sets[0]))
    right = sets[0].d.clone()
    ranked = mine.plan.configs()
    order = [r.config for r in ranked]
    configs = spread(order, [r.predicted_us for r in ranked], count)
    choice = chosen(mine.plan)
    # Mostly the first of the list: then it is not timed twice.
    configs = [config for config in configs if config != choice]
    compile_all([case], configs, sets[0])
    graphs, failed = {choice: capture(mine, sets, launches)}, []
    for config in configs:
        try:
            run = ours(case, config)
            sets[0].d.fill_(float("nan"))
            run(sets[0])
            difference = float((sets[0].d.float() - right.float()).norm() / right.float().norm())
            # Both are within the limit of what is right.
            if not difference < 2.0**-7:
                raise AssertionError(f"wrong by {difference:.1e}")
            graphs[config] = capture(run, sets, launches)
        except Exception as error:
            failed.append(f"{short(config)}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
    names = list(graphs)
    screened = dict(zip(names, in_turn([graphs[name] for name in names], launches, SCREENING_ROUNDS)))
    best = sorted(names, key=lambda name: screened[name])[:3]
    best += [choice] if choice not in best else []
    times = in_turn([graphs[name] for name in best], launches, rounds)
    places = (0 if name == choice else order.index(name) + 1 for name in best)
    again = sorted(zip(best, times, places), key=lambda entry: entry[1])
    return Choice(case, choice, len(names), failed, again)


def limits() -> tuple[float, float]:
    """FLOPs a second, and bytes a second of a copy, that this GPU reaches in this run."""
    x = Operands(Case(8192, 8192, 8192))
    graph = capture(peer(Case(8192, 8192, 8192)), [x], 2)
    rate = 2 * 2.0 * 8192**3 / statistics.median(seconds(graph) for _ in range(5))
    source, target = (torch.empty(2**30, dtype=torch.uint8, device="cuda") for _ in range(2))
    graph = capture(lambda _: target.copy_(source), [x], 2)
    return rate, 4 * 2.0**30 / statistics.median(seconds(graph) for _ in range(5))


def reading() -> float:
    """Bytes a second of the faster of two reductions, which only read."""
    source = torch.zeros(2**29, dtype=torch.float32, device="cuda")
    graphs = [capture(lambda _, reduce=reduce: reduce(source), [None], 2) for reduce in (torch.sum, torch.amax)]
    return max(2 * 4.0 * 2**29 / statistics.median(seconds(graph) for _ in range(5)) for graph in graphs)


@dataclass
class Rates:
    flops: float
    copy: float
    read: float

    def floor(self, case: Case) -> float:
        return max(case.flops / self.flops, case.bytes / self.copy)

    def is_memory_bound(self, case: Case) -> bool:
        return case.bytes / self.copy > case.flops / self.flops


def short(config: str) -> str:
    tile, _, schedule = config.removeprefix("#cutl.tile_config<").partition(">")
    return tile.replace("cta = ", "").replace("stages = ", "s").replace("kernel = ", "") + schedule


HEADER = (
    "| case | cuBLAS us | ours us | ratio | with PDL | TFLOP/s | over floor | TB/s, of copy, of read | fused / plain"
    " | configuration |",
    "|---|---:|---:|---:|---:|---:|---:|---|---:|---|",
)
CHOICE_HEADER = (
    "| case | choice us | loss | tried | fastest, by place in the ranking: us |",
    "|---|---:|---:|---:|---|",
)


def row(f: Figure, rates: Rates) -> str:
    fused = "" if f.plain is None else f"{f.ours / f.plain:.3f}"
    moved = f.case.bytes / f.ours
    memory = f"{moved / 1e12:.2f}, {moved / rates.copy:.0%}, {moved / rates.read:.0%}"
    return (
        f"| {f.case} | {f.theirs * 1e6:.1f} | {f.ours * 1e6:.1f} | {f.ratio:.3f} | {f.theirs / f.programmatic:.3f} |"
        f" {f.case.flops / f.ours / 1e12:.0f} |"
        f" {f.ours / rates.floor(f.case):.2f} | {memory if rates.is_memory_bound(f.case) else ''} | {fused} |"
        f" {short(f.config)} |"
    )


def choice_row(choice: Choice) -> str:
    chosen = next(seconds for config, seconds, _ in choice.again if config == choice.chosen)
    fastest = "; ".join(f"{place}. {short(config)}: {us * 1e6:.1f}" for config, us, place in choice.again)
    return f"| {choice.case} | {chosen * 1e6:.1f} | {choice.loss:.1%} | {choice.tried} | {fastest} |"


def mean(values: list[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, values)))


def summary(name: str, figures: list[Figure], rates: Rates) -> list[str]:
    if not figures:
        return [f"{name}: nothing measured"]
    ratios = sorted((f.ratio, str(f.case)) for f in figures)
    worst = ", ".join(f"{case} {ratio:.3f}" for ratio, case in ratios[:3])
    below = sum(r < 1.0 for r, _ in ratios)
    over = [f.ours / rates.floor(f.case) for f in figures]
    return [
        f"{name}: geometric mean of the ratios {mean([r for r, _ in ratios]):.3f}; {below} of {len(ratios)} under 1; least"
        f" {worst}; with PDL {mean([f.theirs / f.programmatic for f in figures]):.3f}; over the floor {mean(over):.2f}, at"
        f" most {max(over):.2f}"
    ]


def choice_summary(name: str, choices: list[Choice]) -> list[str]:
    if not choices:
        return [f"{name}: nothing measured"]
    losses = sorted(((choice.loss, str(choice.case)) for choice in choices), reverse=True)
    worst = ", ".join(f"{case} {loss:.1%}" for loss, case in losses[:3])
    tried = min(choice.tried for choice in choices)
    return [
        f"{name}: loss of the choice {mean([1 + loss for loss, _ in losses]) - 1:.1%} (geometric mean), most {worst}; at least"
        f" {tried} configurations each"
    ]


def select(arguments: argparse.Namespace) -> list[tuple[str, list[Case]]]:
    """The lists to measure, by name."""
    groups = [("given", [parse(s) for s in arguments.shapes])] if arguments.shapes else []
    kinds = arguments.kind or ([] if arguments.shapes else ["headline"])
    groups += [(kind, read_kind(kind, arguments.file)) for kind in kinds]
    if arguments.drawn:
        seed = arguments.seed or random.SystemRandom().randrange(1, 2**31)
        groups += [
            (f"{kind}, drawn from seed {seed}", draw(kind, cases, arguments.drawn, seed)) for kind, cases in groups
        ]
    if arguments.only:
        groups = [(name, [case for case in cases if re.search(arguments.only, str(case))]) for name, cases in groups]
    return groups


def measure_group(
    cases: list[Case], arguments: argparse.Namespace, rates: Rates, failed: list[str]
) -> tuple[list[Figure], list[Choice]]:
    figures, choices = [], []
    for case in cases:
        start = time.perf_counter()
        try:
            if arguments.candidates:
                choices.append(choose_among(case, arguments.candidates, arguments.rounds))
                line = choice_row(choices[-1])
                failed += [f"{case} with {text}" for text in choices[-1].failed]
            else:
                figures.append(measure(case, arguments.rounds))
                line = row(figures[-1], rates)
            print(f"{line} {time.perf_counter() - start:.1f} s", flush=True)
        except Exception as error:  # One case that fails must not stop the rest.
            failed.append(f"{case}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
            print(f"FAILED {failed[-1]}", flush=True)
            if arguments.verbose:
                traceback.print_exc()
        torch.cuda.empty_cache()
    return figures, choices


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*")
    kinds = ", ".join(dict.fromkeys((*KINDS, *DRAWN)))
    parser.add_argument("--kind", action="append", default=[], help=f"{kinds}, or a list of --file")
    parser.add_argument("--file", help="JSON with lists of cases by kind")
    parser.add_argument("--drawn", type=int, default=0, help="as many further cases of each kind, of drawn sizes")
    parser.add_argument("--seed", type=int, default=0, help="of the drawn sizes; 0 for one from the clock")
    parser.add_argument("--only", help="regular expression that the names of cases have a match of")
    parser.add_argument("--candidates", type=int, nargs="?", const=40, default=0, help="how many to compare with; 40")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_const", dest="rounds", const=5, help="few rounds")
    parser.add_argument("-v", "--verbose", action="store_true", help="where a case failed")
    parser.add_argument("--output", default="gpu-gemm.md", help="Markdown file to write")
    arguments = parser.parse_args()
    groups = select(arguments)

    rate, copy = limits()
    rates = Rates(rate, copy, reading())
    name = torch.cuda.get_device_name()
    about = (
        f"{name}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}, {arguments.rounds} rounds in turn, medians. The floor"
        f" is the larger of FLOPs at {rates.flops / 1e12:.0f} TFLOP/s and bytes at {rates.copy / 1e12:.2f} TB/s, those of a"
        f" copy; reading alone reaches {rates.read / 1e12:.2f} TB/s; all measured in this run. A ratio above 1 is faster than"
        " cuBLAS."
    )
    print(about)
    text = [
        "# Matrix products on a GPU",
        "",
        f"`python benchmarks/gpu/gemm.py {' '.join(sys.argv[1:])}`".replace(" `", "`"),
        "",
        about,
    ]
    failed: list[str] = []
    for group, cases in groups:
        if cases:
            compile_all(cases, [""])
        figures, choices = measure_group(cases, arguments, rates, failed)
        if arguments.candidates:
            lines, rows = choice_summary(group, choices), [*CHOICE_HEADER, *map(choice_row, choices)]
        else:
            lines, rows = summary(group, figures, rates), [*HEADER, *(row(f, rates) for f in figures)]
        print(*lines, sep="\n", flush=True)
        text += ["", f"## {group}", "", *rows, "", *lines]
        Path(arguments.output).write_text("\n".join(text) + "\n")
    if failed:
        text += ["", "Failed:", "", *(f"* {line}" for line in failed)]
        Path(arguments.output).write_text("\n".join(text) + "\n")
    print(f"written to {arguments.output}; {len(failed)} failed")
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())
