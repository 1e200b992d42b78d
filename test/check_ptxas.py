"""Checks that ptxas compiles the kernels of every configuration well: no warning C75xx (wgmma serialised), no spills, no stack.

    python test/check_ptxas.py --tools build/bin --sample 24

A case is one configuration that cutl-select-config chooses from (as cutl-test-opt lists them for problems whose pitches
straddle cache lines, which adds clusters) with one order of A and B. The other factors take turns: the types of A and B
and of D, the order of D and the epilogue; each configuration meets every type of D. All kernels of a case are compiled:
where D is stored by TMA, there is a second one that stores elements, and where A or B is repacked, one that does so. ptxas is
$CUTL_PTXAS, or the one on PATH.

    CUTL_FULL=1 python test/check_ptxas.py --tools build/bin --table benchmarks/results/ptxas.md

compiles all cases, on every processor that there is, and writes a table.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import itertools
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

CHIP = "sm_90a"
SEED = 20240229
ORDERS = ("rr", "rc", "cr", "cc")
# Types of A and B, how they are multiplied, and the type of the sums.
KINDS = {
    "f16": ("f16", "f16", "", "f32"),
    "bf16": ("bf16", "bf16", "", "f32"),
    "f16 sums": ("f16", "f16", "", "f16"),
    "e4m3 promoted": ("f8E4M3FN", "f8E5M2", "promote = 128", "f32"),
    "e5m2": ("f8E5M2", "f8E5M2", "", "f32"),
    "s8": ("i8", "i8", "b = unsigned", "i32"),
    "tf32": ("f32", "f32", "math = tf32", "f32"),
}
# Those whose operands are read in either order. The others are repacked, both or none of them.
READ_IN_ANY_ORDER = ("f16", "bf16", "f16 sums")
RESULTS = ("f16", "bf16", "f32")
# A pitch in elements that is a multiple of 16 bytes, as TMA asks, and not of 128.
PITCH = 1000
# Extents with few tiles and a long k, for which clusters that divide k are listed too.
FEW_TILES = {"m": 64, "n": 64, "k": 8192}

# Name, auxiliary operands with their maps, what becomes of %v, and outputs beside D: map, type and value; `D` stands for
# the type of the result.
EPILOGUES: tuple[tuple[str, tuple[tuple[str, str], ...], str, tuple[tuple[str, str, str], ...]], ...] = (
    ("none", (), "", ()),
    ("bias+relu", (("bias", "(n)"),), "%s = arith.addf %v, %bias : f32\n%y = cutl.relu %s : f32", ()),
    ("bias+gelu", (("bias", "(n)"),), "%s = arith.addf %v, %bias : f32\n%y = cutl.gelu %s : f32", ()),
    ("silu", (), "%y = cutl.silu %v : f32", ()),
    (
        "bias+gelu, preactivation",
        (("bias", "(n)"),),
        "%s = arith.addf %v, %bias : f32\n%t = arith.truncf %s : f32 to bf16\n%y = cutl.gelu %s : f32",
        (("(m, n)", "bf16", "%t"),),
    ),
    (
        "relu, mask",
        (),
        "%zero = arith.constant 0.0 : f32\n%p = arith.cmpf ogt, %v, %zero : f32\n%t = arith.extui %p : i1 to i8\n"
        "%y = cutl.relu %v : f32",
        (("(m, n)", "i8", "%t"),),
    ),
    ("sum of rows, amax of columns", (), "", (("(m) add", "f32", "%v"), ("(n) amax", "f32", "%v"))),
    ("relu in f16", (), "%h = arith.truncf %v : f32 to f16\n%r = cutl.relu %h : f16\n%y = arith.extf %r : f16 to f32", ()),
    (
        "sum and gelu in f16",
        (("bias", "(n)"),),
        "%h = arith.truncf %v : f32 to f16\n%b = arith.truncf %bias : f32 to f16\n%s = arith.addf %h, %b : f16\n"
        "%g = cutl.gelu %s : f16\n%y = arith.extf %g : f16 to f32",
        (),
    ),
    (
        "product in bf16, preactivation",
        (("row", "(m)"),),
        "%h = arith.truncf %v : f32 to bf16\n%b = arith.truncf %row : f32 to bf16\n%p = arith.mulf %h, %b : bf16\n"
        "%y = arith.extf %p : bf16 to f32",
        (("(m, n)", "bf16", "%h"),),
    ),
    (
        "sum of rows and max of columns in f16",
        (),
        "%h = arith.truncf %v : f32 to f16\n%y = arith.extf %h : f16 to f32",
        (("(m) add", "f16", "%h"), ("(n) max", "f16", "%h")),
    ),
    (
        "amax of rows in bf16",
        (),
        "%h = arith.truncf %v : f32 to bf16\n%y = arith.extf %h : bf16 to f32",
        (("(m) amax", "bf16", "%h"),),
    ),
    (
        "alpha/beta C",
        (("alpha", "()"), ("beta", "()"), ("C", "(m, n)")),
        "%y = cutl.linear_combination %alpha, %v, %beta, %c : f32",
        (),
    ),
    (
        "all",
        (("alpha", "()"), ("beta", "()"), ("C", "(m, n)"), ("bias", "(n)"), ("row", "(m)")),
        "%l = cutl.linear_combination %alpha, %v, %beta, %c : f32\n%s = arith.addf %l, %bias : f32\n"
        "%t = arith.mulf %s, %row : f32\n%y = cutl.gelu %t : f32",
        (),
    ),
)


@dataclass
class Case:
    config: str
    orders: str
    element: str
    result: str
    result_order: str
    epilogue: int

    def __str__(self) -> str:
        config = self.config.removeprefix("#cutl.tile_config<").removesuffix(">")
        types = f"{self.element}->{self.result}"
        return f"{config} | {self.orders}{self.result_order} | {types} | {EPILOGUES[self.epilogue][0]}"


@dataclass
class Outcome:
    case: Case
    cutl_seconds: float = 0.0
    ptxas_seconds: float = 0.0
    registers: list[int] = field(default_factory=list)
    spills: int = 0
    stack: int = 0
    problems: list[str] = field(default_factory=list)


def function(
    name: str,
    orders: str,
    kind: str,
    result: str,
    result_order: str,
    epilogue: int,
    config: str = "",
    extents: Optional[dict[str, int]] = None,
) -> str:
    """A product as a function, of any extents unless they are given. Orders are r for row-major, c for column-major."""
    _, auxiliaries, compute, others = EPILOGUES[epilogue]
    a_type, b_type, clause, sums = KINDS[kind]

    def array(where: str, kind: str) -> str:
        dims = where.strip("()").split(", ")
        sizes = [str(extents[dim]) if extents else "?" for dim in dims]
        pitch = PITCH if extents is None else max(extents.values()) + 8
        return f"memref<{'x'.join(sizes)}x{kind}{f', strided<[{pitch}, 1]>' if len(dims) == 2 else ''}>"

    a = "(m, k)" if orders[0] == "r" else "(k, m)"
    b = "(k, n)" if orders[1] == "r" else "(n, k)"
    d = "(m, n)" if result_order == "r" else "(n, m)"
    arguments = [("a", a, array(a, a_type)), ("b", b, array(b, b_type))]
    for x, where in auxiliaries:
        place = d if where == "(m, n)" else where
        kind = result if where == "(m, n)" else "f32"
        arguments.append((x, place, "f32" if where == "()" else array(place, kind)))
    arguments.append(("d", d, array(d, result)))
    inputs = len(arguments) - 1
    for i, (where, kind, _) in enumerate(others):
        arguments.append((f"e{i}", where, array(where[: where.index(")") + 1], kind)))
    declared = ", ".join(f"%{x}_in: {kind}" for x, _, kind in arguments)
    aux = ", ".join(f"%{x}_in : {where}" for x, where, _ in arguments[2:inputs])
    outs = ", ".join(f"%{x}_in : {where}" for x, where, _ in arguments[inputs:])
    elements = "".join(f", %{x}: {result if x == 'C' else 'f32'}" for x, _ in auxiliaries)
    body = []
    if sums != "f32":
        body.append(f"%v = arith.{'sitofp' if sums == 'i32' else 'extf'} %sum : {sums} to f32")
    value = "%v"
    if any(x == "C" for x, _ in auxiliaries):
        if result == "f32":
            compute = compute.replace("%c", "%C")
        else:
            body.append(f"%c = arith.extf %C : {result} to f32")
    if compute:
        body += compute.split("\n")
        value = "%y"
    if result != "f32":
        body.append(f"%o = arith.truncf {value} : f32 to {result}")
        value = "%o"
    values = ", ".join([value] + [other for _, _, other in others])
    body.append(f"cutl.yield {values} : {', '.join([result] + [kind for _, kind, _ in others])}")
    lines = "\n".join(f"    {line}" for line in body)
    return f"""func.func @{name}({declared}) {{
  cutl.gemm ins(%a_in : {a}, %b_in : {b}) {f"aux({aux}) " if aux else ""}outs({outs}) {f"compute({clause}) " if clause else ""}{f"config({config}) " if config else ""}{{
  ^bb0({"%v" if sums == "f32" else "%sum"}: {sums}{elements}):
{lines}
  }} : ({", ".join(kind for _, _, kind in arguments)}) -> ()
  return
}}
"""


def module(text: str) -> str:
    return f'module attributes {{cutl.target = #cutl.target<chip = "{CHIP}">}} {{\n{text}}}\n'


def make_cases(tools: Path) -> list[Case]:
    """Every case, in an order that stays the same while the heuristics do."""
    # What is chosen from depends on the outputs, and on nothing else of an epilogue.
    like = [i if outputs else 0 for i, (_, _, _, outputs) in enumerate(EPILOGUES)]
    problems = {}
    for orders, result in itertools.product(ORDERS, RESULTS):
        for element, result_order, epilogue in itertools.product(KINDS, "rc", sorted(set(like))):
            if element not in READ_IN_ANY_ORDER and orders not in ("rc", "cr"):
                continue
            name = f"p{len(problems)}"
            problems[name] = (orders, element, result, result_order, epilogue)
    functions = [function(name, *factors) for name, factors in problems.items()]
    functions += [function(f"{name}_few", *factors, extents=FEW_TILES) for name, factors in problems.items()]
    text = module("".join(functions))
    command = [tools / "cutl-test-opt", "--test-cutl-list-configs", "-o", os.devnull]
    listed = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    # Of the problems that differ in no more than what takes turns, those with the configuration.
    able: dict[str, dict[tuple[str, str], dict[tuple[str, str], set[int]]]] = {}
    for line in listed.splitlines():
        name, config = line.split(": ", 1)
        orders, element, result, result_order, epilogue = problems[name.removesuffix("_few")]
        turns = able.setdefault(config, {}).setdefault((orders, result), {})
        turns.setdefault((element, result_order), set()).add(epilogue)
    cases = []
    for config, problems_of_config in sorted(able.items()):
        # What a case is must not depend on the other configurations. Every epilogue comes before any comes again.
        rng = random.Random(config)
        waiting: list[int] = []
        of_orders: dict[str, list[str]] = {}
        for orders, result in sorted(problems_of_config):
            of_orders.setdefault(orders, []).append(result)
        first = rng.randrange(len(RESULTS))
        for i, (orders, results) in enumerate(of_orders.items()):
            result = results[(first + i) % len(results)]
            turns = problems_of_config[orders, result]
            (element, result_order), possible = rng.choice(sorted(turns.items()))
            if not any(like[i] in possible for i in waiting):
                waiting += rng.sample(range(len(EPILOGUES)), len(EPILOGUES))
            epilogue = next(i for i in waiting if like[i] in possible)
            waiting.remove(epilogue)
            cases.append(Case(config, orders, element, result, result_order, epilogue))
    return cases


def check(case: Case, tools: Path, ptxas: str, folder: Path) -> Outcome:
    outcome = Outcome(case)
    name = f"case{id(outcome)}"
    source, ptx = folder / f"{name}.mlir", folder / f"{name}.ptx"
    source.write_text(
        function("gemm", case.orders, case.element, case.result, case.result_order, case.epilogue, case.config)
    )
    start = time.monotonic()
    command = [tools / "cutl-compile", f"--chip={CHIP}", "--emit=ptx", source, "-o", ptx]
    ran = subprocess.run(command, capture_output=True, text=True)
    outcome.cutl_seconds = time.monotonic() - start
    if ran.returncode:
        outcome.problems.append("cutl-compile: " + ran.stderr.strip().replace("\n", "; "))
        return outcome
    start = time.monotonic()
    command = [ptxas, "-v", f"-arch={CHIP}", ptx, "-o", os.devnull]
    ran = subprocess.run(command, capture_output=True, text=True)
    outcome.ptxas_seconds = time.monotonic() - start
    read_report(ran.stdout + ran.stderr, outcome)
    if ran.returncode:
        outcome.problems.append(f"ptxas: exit status {ran.returncode}: {ran.stderr.strip()}")
    text = ptx.read_text()
    kernels = re.findall(r"\.entry (\w+)", text)
    wanted = ["gemm_0"]
    # Each reduced output is combined by a kernel of its own.
    others = EPILOGUES[case.epilogue][3]
    wanted += [f"gemm_0_combine_{1 + i}" for i, (where, _, _) in enumerate(others) if where != "(m, n)"]
    # A kernel that stores D by TMA has an alternative.
    if "cp.async.bulk.tensor.2d.global.shared" in text:
        wanted.append("gemm_0_elements")
    repacked = re.search(r"repack = \[(.*?)\]", case.config)
    wanted += [f"gemm_0_repack_{operand}" for operand in (repacked[1].split(", ") if repacked else ())]
    if sorted(kernels) != sorted(wanted) or len(outcome.registers) != len(wanted):
        outcome.problems.append(f"expected ptxas to compile {wanted}, got {kernels}, {len(outcome.registers)} compiled")
    source.unlink()
    ptx.unlink()
    return outcome


def read_report(report: str, outcome: Outcome) -> None:
    """Takes figures and complaints from what `ptxas -v` says."""
    kernel = ""
    for line in report.splitlines():
        if found := re.search(r"Compiling entry function '(\w+)'", line):
            kernel = found[1]
        if "C75" in line or "warning" in line.lower() or "error" in line.lower():
            outcome.problems.append(f"{kernel}: {line.strip()}")
        if found := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            stack, stores, loads = map(int, found.groups())
            outcome.stack = max(outcome.stack, stack)
            outcome.spills = max(outcome.spills, stores, loads)
            if stack or stores or loads:
                outcome.problems.append(f"{kernel}: {line.strip()}")
        if found := re.search(r"Used (\d+) registers", line):
            outcome.registers.append(int(found[1]))


def find_ptxas() -> str:
    wanted = os.environ.get("CUTL_PTXAS") or "ptxas"
    found = shutil.which(wanted)
    if not found:
        sys.exit(f"check_ptxas: expected ptxas on PATH or in CUTL_PTXAS, got no program {wanted!r}; scripts/setup.sh installs one")
    return found


def sample(cases: list[Case], count: int) -> list[Case]:
    """A seeded choice in which every epilogue, order and type of D has its turn."""
    rng = random.Random(SEED)
    shuffled = rng.sample(cases, len(cases))
    chosen: list[Case] = []
    seen: set[object] = set()
    while shuffled and len(chosen) < count:

        def news(case: Case) -> int:
            return len({case.config, case.orders, (case.element, case.result), case.result_order, case.epilogue} - seen)

        best = max(shuffled, key=news)
        shuffled.remove(best)
        chosen.append(best)
        seen |= {best.config, best.orders, (best.element, best.result), best.result_order, best.epilogue}
    return chosen


def name_tile(config: str) -> str:
    """The tile, the kernel and whether operands are swapped."""
    kept = ("cta = [", "kernel = ", "swap_operands = ")
    parts = re.findall(r"\w+ = (?:\[[^]]*\]|[^,>]+)", config)
    return ", ".join(part for part in parts if part.startswith(kept))


def write_table(path: Path, outcomes: list[Outcome], total: int, ptxas: str) -> None:
    version = re.search(r"release ([\d.]+)", subprocess.run([ptxas, "--version"], capture_output=True, text=True).stdout)
    bad = [o for o in outcomes if o.problems]
    cutl = sorted(o.cutl_seconds for o in outcomes)
    assembly = sorted(o.ptxas_seconds for o in outcomes)
    lines = [
        "# ptxas over every configuration",
        "",
        "`CUTL_FULL=1 python test/check_ptxas.py --tools build/bin --table benchmarks/results/ptxas.md`;"
        f" ptxas {version[1] if version else '?'}, `-v -arch={CHIP}`.",
        "",
        f"{len(outcomes)} of {total} cases: every configuration that is chosen from, with every order of A and B; the types of",
        "A and B and of D, the order of D and the epilogue take turns. Where D is stored by TMA there is a second kernel that",
        "stores elements.",
        "",
        f"{len(bad)} cases have warnings, spills or a stack. Seconds of one process, median and largest, all processors busy:"
        f" cutl {cutl[len(cutl) // 2]:.2f} and {cutl[-1]:.2f}, ptxas {assembly[len(assembly) // 2]:.2f} and {assembly[-1]:.2f}.",
        "",
    ]
    if bad:
        lines += ["## Warnings, spills and stacks", ""] + [f"- {o.case}: {'; '.join(o.problems)}" for o in bad] + [""]
    tiles: dict[str, list[Outcome]] = {}
    for o in outcomes:
        tiles.setdefault(name_tile(o.case.config), []).append(o)
    lines += [
        "## Tiles",
        "",
        "Registers are the most of any kernel; seconds are medians.",
        "",
        "| tile | configurations | cases | registers | spills | stack | cutl s | ptxas s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for tile, those in sorted(tiles.items()):
        configs = len({o.case.config for o in those})
        registers = max((x for o in those for x in o.registers), default=0)
        spills, stack = max(o.spills for o in those), max(o.stack for o in those)
        seconds = " | ".join(
            f"{statistics.median(getattr(o, x) for o in those):.2f}" for x in ("cutl_seconds", "ptxas_seconds")
        )
        lines.append(f"| {tile} | {configs} | {len(those)} | {registers} | {spills} | {stack} | {seconds} |")
    path.write_text("\n".join(lines) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True, help="folder of cutl-compile and cutl-test-opt")
    parser.add_argument("--sample", type=int, default=24, help="how many cases, unless CUTL_FULL=1")
    parser.add_argument("--table", type=Path, help="file to write the table to")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    ptxas = find_ptxas()
    cases = make_cases(options.tools)
    total = len(cases)
    if os.environ.get("CUTL_FULL", "0") in ("", "0"):
        cases = sample(cases, options.sample)
    if not cases:
        sys.exit("check_ptxas: expected configurations, got none")
    start = time.monotonic()
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for outcome in pool.map(lambda case: check(case, options.tools, ptxas, Path(folder)), cases):
            outcomes.append(outcome)
            for problem in outcome.problems:
                print(f"{outcome.case}: {problem}", flush=True)
    bad = sum(bool(o.problems) for o in outcomes)
    print(f"{len(outcomes)} of {total} cases, {bad} bad, {time.monotonic() - start:.0f} s")
    if options.table:
        write_table(options.table, outcomes, total, ptxas)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
