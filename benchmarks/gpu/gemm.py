"""Matrix products on a GPU against cuBLAS: `python benchmarks/gpu/gemm.py [SHAPE ...]`, with the installed package and PyTorch.

A shape is MxNxK[:ORDERS[:TYPE[:EPILOGUE]]], as in 8192x8192x4096:rc:bf16:bias_relu. ORDERS has a letter for A and one for
B, r for rows and c for columns that lie together in memory (rc by default, a linear layer); TYPE is bf16 or f16; EPILOGUE is
none, bias, bias_relu or bias_gelu (in its tanh form); epilogue.py has more. Instead of shapes, --kind names a list.

Each case is checked first, on a result poisoned with NaN, against float64. Then both sides run in turn, A B A B, each from a
CUDA graph whose launches go through enough sets of operands that 256 MB pass before one is used again. The figure is the ratio
of the medians, cuBLAS over ours: above 1 ours is faster. cuBLAS is torch.mm, addmm and _addmm_activation. Where
there is an epilogue a third column is ours over our plain product.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Optional

import torch

import cutl

BETWEEN_USES = 256e6
LONGEST_SETS = 1024
GRAPH_SECONDS = 1e-3
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16}
EPILOGUES = ("none", "bias", "bias_relu", "bias_gelu")

KINDS = {
    "headline": [
        "8192x8192x8192", "4096x4096x4096", "8192x8192x1024", "2048x8192x28672",
        "8192x8192x8192:rr", "8192x8192x8192:cr", "8192x8192x8192:cc", "8192x8192x4096:rc:bf16:bias_relu",
    ],
    "square": [f"{s}x{s}x{s}" for s in (256, 512, 1024, 2048, 4096, 8192, 16384)],
    "orders": [f"{s}x{s}x{s}:{o}" for s in (2048, 8192) for o in ("rc", "rr", "cr", "cc")],
    "small_m": [f"{m}x6144x4096" for m in (1, 16, 64, 256, 2048, 8192)],
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    m: int
    n: int
    k: int
    orders: str = "rc"
    dtype: str = "bf16"
    epilogue: str = "none"

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k} {self.orders} {self.dtype}" + (
            f" {self.epilogue}" if self.epilogue != "none" else ""
        )

    @property
    def flops(self) -> float:
        return 2.0 * self.m * self.n * self.k

    @property
    def bytes(self) -> float:
        return 2.0 * (self.m * self.k + self.k * self.n + self.m * self.n)


def parse(text: str) -> Case:
    sizes, *rest = text.split(":")
    try:
        m, n, k = map(int, sizes.split("x"))
        case = Case(m, n, k, *rest)
        assert min(m, n, k) > 0 and case.orders in ("rr", "rc", "cr", "cc")
        assert case.dtype in TYPES and case.epilogue in EPILOGUES
    except (ValueError, TypeError, AssertionError):
        raise SystemExit(f"expected MxNxK[:ORDERS[:TYPE[:EPILOGUE]]], got {text!r}") from None
    return case


def read_kind(kind: str, file: Optional[str]) -> list[Case]:
    """The cases of a built-in list, or those of a JSON file of lists that this benchmark has."""
    if file is None:
        if kind not in KINDS:
            raise SystemExit(f"expected a kind of {', '.join(KINDS)}, got {kind!r}")
        return [parse(text) for text in KINDS[kind]]
    cases, left_out = [], 0
    for record in json.loads(Path(file).read_text())[kind]:
        known = record.get("op") == "gemm" and record["dtype"] in TYPES and not record.get("batch")
        epilogue = record.get("epilogue", "none")
        if known and epilogue in EPILOGUES and record.get("out", record["dtype"]) == record["dtype"]:
            cases.append(Case(record["m"], record["n"], record["k"], record["layout"], record["dtype"], epilogue))
        else:
            left_out += 1
    if left_out:
        print(f"{kind}: {left_out} cases left out that this benchmark does not have")
    return cases


def draw(cases: list[Case], count: int, seed: int) -> list[Case]:
    """Cases like the given ones, of sizes that are in no list."""
    rng = random.Random(seed)
    drawn = []
    for _ in range(count):
        like = rng.choice(cases)
        m, n, k = (max(8, round(s * rng.uniform(0.6, 1.4) / 8) * 8) for s in (like.m, like.n, like.k))
        drawn.append(Case(m, n, k, like.orders, like.dtype, like.epilogue))
    return drawn


def matrix(rows: int, columns: int, order: str, dtype: torch.dtype) -> torch.Tensor:
    if order == "r":
        return torch.randn((rows, columns), device="cuda").to(dtype)
    return torch.randn((columns, rows), device="cuda").to(dtype).t()


class Operands:
    """One set of operands."""

    def __init__(self, case: Case) -> None:
        dtype = TYPES[case.dtype]
        self.a = matrix(case.m, case.k, case.orders[0], dtype)
        self.b = matrix(case.k, case.n, case.orders[1], dtype)
        self.d = torch.full((case.m, case.n), float("nan"), dtype=dtype, device="cuda")
        self.bias = torch.randn(case.n, device="cuda").to(dtype)


def peer(case: Case) -> Any:
    """How PyTorch computes the case."""
    if case.epilogue == "none":
        return lambda x: torch.mm(x.a, x.b, out=x.d)
    if case.epilogue == "bias":
        return lambda x: torch.addmm(x.bias, x.a, x.b, out=x.d)
    gelu = case.epilogue == "bias_gelu"
    return lambda x: torch._addmm_activation(x.bias, x.a, x.b, use_gelu=gelu, out=x.d)


def ours(case: Case) -> Any:
    plan = cutl.op.Gemm(device="cuda")
    plan.activation = {"bias_relu": "relu", "bias_gelu": "gelu_tanh"}.get(case.epilogue, "identity")
    bias = case.epilogue != "none"

    def run(x: Operands) -> None:
        plan.run(x.a, x.b, None, x.d, bias=x.bias if bias else None)

    run.plan = plan
    return run


def error_of(case: Case, x: Operands) -> float:
    """The error's norm over the result's, in rows that fit the memory."""
    above = below = 0.0
    b = x.b.double()
    rows = max(1, int(2**28 // max(case.n, case.k)))
    for first in range(0, case.m, rows):
        last = first + rows
        value = x.a[first:last].double() @ b
        if case.epilogue != "none":
            value += x.bias.double()
        if case.epilogue == "bias_relu":
            value = torch.relu(value)
        if case.epilogue == "bias_gelu":
            value = torch.nn.functional.gelu(value, approximate="tanh")
        above += float((x.d[first:last].double() - value).square().sum())
        below += float(value.square().sum())
    return math.sqrt(above / below) if math.isfinite(above) else math.inf


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
    plain: Optional[float]
    config: str

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


def measure(case: Case, rounds: int) -> Figure:
    bytes_free = torch.cuda.mem_get_info()[0]
    count = max(1, min(math.ceil(BETWEEN_USES / case.bytes), LONGEST_SETS, int(0.6 * bytes_free / case.bytes)))
    sets = [Operands(case) for _ in range(count)]
    mine, other = ours(case), peer(case)
    mine(sets[0])
    torch.cuda.synchronize()
    error = error_of(case, sets[0])
    limit = 2.0**-8 if case.dtype == "bf16" else 2.0**-10
    if not error < limit:
        raise AssertionError(f"wrong: error {error:.1e} of the result's norm, at most {limit:.1e} expected")
    # At least every set once, and enough launches that one replay takes a millisecond.
    least = max(count, math.ceil(GRAPH_SECONDS * 600e12 / case.flops))
    launches = math.ceil(least / count) * count
    runs = [other, mine]
    if case.epilogue != "none":
        runs.append(ours(replace(case, epilogue="none")))
    times = in_turn([capture(run, sets, launches) for run in runs], launches, rounds)
    return Figure(case, error, times[0], times[1], times[2] if len(times) > 2 else None, mine.plan.config)


def limits() -> tuple[float, float]:
    """FLOPs and bytes a second that this GPU reaches in this run."""
    x = Operands(Case(8192, 8192, 8192))
    graph = capture(peer(Case(8192, 8192, 8192)), [x], 2)
    rate = 2 * 2.0 * 8192**3 / statistics.median(seconds(graph) for _ in range(5))
    source, target = (torch.empty(2**30, dtype=torch.uint8, device="cuda") for _ in range(2))
    graph = capture(lambda _: target.copy_(source), [x], 2)
    return rate, 4 * 2.0**30 / statistics.median(seconds(graph) for _ in range(5))


def short(config: str) -> str:
    text = config.removeprefix("#cutl.tile_config<").removesuffix(">")
    return text.replace("cta = ", "").replace("stages = ", "s").replace("kernel = ", "")


def table(figures: list[Figure], rate: float, bandwidth: float) -> list[str]:
    lines = [
        "| case | cuBLAS us | ours us | ratio | TFLOP/s | over floor | fused / plain | configuration |",
        "|---|---:|---:|---:|---:|---:|---:|---|",
    ]
    for f in figures:
        floor = max(f.case.flops / rate, f.case.bytes / bandwidth)
        fused = "" if f.plain is None else f"{f.ours / f.plain:.3f}"
        lines.append(
            f"| {f.case} | {f.theirs * 1e6:.1f} | {f.ours * 1e6:.1f} | {f.ratio:.3f} | {f.case.flops / f.ours / 1e12:.0f} |"
            f" {f.ours / floor:.2f} | {fused} | {short(f.config)} |"
        )
    return lines


def summary(name: str, figures: list[Figure]) -> list[str]:
    if not figures:
        return [f"{name}: nothing measured"]
    ratios = sorted((f.ratio, str(f.case)) for f in figures)
    mean = math.exp(statistics.fmean(math.log(r) for r, _ in ratios))
    worst = ", ".join(f"{case} {ratio:.3f}" for ratio, case in ratios[:3])
    below = sum(r < 1.0 for r, _ in ratios)
    return [f"{name}: geometric mean of the ratios {mean:.3f}; {below} of {len(ratios)} under 1; least {worst}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*")
    parser.add_argument("--kind", action="append", default=[], help=f"{', '.join(KINDS)}, or a list of --file")
    parser.add_argument("--file", help="JSON with lists of cases by kind")
    parser.add_argument("--drawn", type=int, default=0, help="as many cases again, of sizes drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the drawn sizes; 0 for one from the clock")
    parser.add_argument("--rounds", type=int, default=13)
    parser.add_argument("--quick", action="store_true", help="few rounds")
    parser.add_argument("--output", default="gpu-gemm.md", help="Markdown file to write")
    arguments = parser.parse_args()
    groups = [("given", [parse(s) for s in arguments.shapes])] if arguments.shapes else []
    kinds = arguments.kind or ([] if arguments.shapes else ["headline"])
    groups += [(kind, read_kind(kind, arguments.file)) for kind in kinds]
    if arguments.drawn:
        seed = arguments.seed or random.SystemRandom().randrange(1, 2**31)
        every = [case for _, cases in groups for case in cases]
        groups.append((f"drawn, seed {seed}", draw(every, arguments.drawn, seed)))
    rounds = 5 if arguments.quick else arguments.rounds

    rate, bandwidth = limits()
    name = torch.cuda.get_device_name()
    text = [
        "# Matrix products on a GPU",
        "",
        f"`python benchmarks/gpu/gemm.py {' '.join(sys.argv[1:])}`".replace(" `", "`"),
        "",
        f"{name}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}, {rounds} rounds in turn, medians. The floor is the larger"
        f" of FLOPs at {rate / 1e12:.0f} TFLOP/s and bytes at {bandwidth / 1e12:.2f} TB/s, both measured in this run. A ratio"
        " above 1 is faster than cuBLAS.",
    ]
    failed = []
    for group, cases in groups:
        figures = []
        for case in cases:
            try:
                figures.append(measure(case, rounds))
                print(table(figures[-1:], rate, bandwidth)[-1], flush=True)
            except Exception as error:  # One case that fails must not stop the rest.
                failed.append(f"{case}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
                print(f"FAILED {failed[-1]}", flush=True)
                if "-v" in sys.argv:
                    traceback.print_exc()
            torch.cuda.empty_cache()
        lines = summary(group, figures)
        print(*lines, sep="\n", flush=True)
        text += ["", f"## {group}", "", *table(figures, rate, bandwidth), "", *lines]
        Path(arguments.output).write_text("\n".join(text) + "\n")
    if failed:
        text += ["", "Failed:", "", *(f"* {line}" for line in failed)]
        Path(arguments.output).write_text("\n".join(text) + "\n")
    print(f"written to {arguments.output}; {len(failed)} failed")
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())
