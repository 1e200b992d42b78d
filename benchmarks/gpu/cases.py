"""The matrix products that gemm.py times: how one is written, lists by kind, and lists drawn from a seed."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

TYPES = ("bf16", "f16")
ORDERS = ("rr", "rc", "cr", "cc")
EPILOGUES = ("none", "bias", "bias_relu", "bias_gelu")
# With a batch PyTorch has a call for these only.
BATCHED_EPILOGUES = ("none", "bias")


@dataclass(frozen=True)
class Case:
    m: int
    n: int
    k: int
    orders: str = "rc"
    dtype: str = "bf16"
    epilogue: str = "none"
    # Products side by side; none for matrices without a batch dimension.
    batch: Optional[int] = None

    def __str__(self) -> str:
        sizes = f"{self.m}x{self.n}x{self.k}" if self.batch is None else f"{self.batch}x{self.m}x{self.n}x{self.k}"
        return f"{sizes} {self.orders} {self.dtype}" + (f" {self.epilogue}" if self.epilogue != "none" else "")

    @property
    def products(self) -> int:
        return 1 if self.batch is None else self.batch

    @property
    def flops(self) -> float:
        return 2.0 * self.products * self.m * self.n * self.k

    @property
    def bytes(self) -> float:
        return 2.0 * self.products * (self.m * self.k + self.k * self.n + self.m * self.n)


KINDS = {
    "headline": [
        "8192x8192x8192", "4096x4096x4096", "8192x8192x1024", "2048x8192x28672",
        "8192x8192x8192:rr", "8192x8192x8192:cr", "8192x8192x8192:cc", "8192x8192x4096:rc:bf16:bias_relu",
    ],
    "square": [
        *(f"{s}x{s}x{s}" for s in (256, 512, 1024, 2048, 4096, 8192, 16384)),
        *(f"8192x8192x8192:{orders}" for orders in ("rr", "cr", "cc")),
        "8192x8192x8192:rc:f16",
    ],
    "orders": [f"{s}x{s}x{s}:{o}" for s in (2048, 8192) for o in ORDERS],
    "small_m": [f"{m}x6144x4096" for m in (1, 16, 64, 256, 2048, 8192)],
    "llm": [
        f"{m}x{n}x{k}"
        for n, k in ((6144, 4096), (4096, 14336), (28672, 4096), (8192, 8192), (8192, 28672))
        for m in (1, 16, 64, 256, 2048, 8192)
    ],
    "deep_k": ["128x128x65536", "256x512x32768", "64x4096x16384", "512x256x20480"],
    "batched": ["64x1024x1024x1024", "256x512x512x128", "768x197x197x64", "32x2048x128x2048"],
}  # fmt: skip


def parse(text: str) -> Case:
    sizes, *rest = text.split(":")
    try:
        *batch, m, n, k = map(int, sizes.split("x"))
        (count,) = batch or (None,)
        case = Case(m, n, k, *rest, batch=count)
        assert min(m, n, k, case.products) > 0 and case.orders in ORDERS and case.dtype in TYPES
        assert case.epilogue in (EPILOGUES if count is None else BATCHED_EPILOGUES)
    except (ValueError, TypeError, AssertionError):
        raise SystemExit(f"expected [BATCHx]MxNxK[:ORDERS[:TYPE[:EPILOGUE]]], got {text!r}") from None
    return case


def read_kind(kind: str, file: Optional[str]) -> list[Case]:
    """The cases of a JSON file of lists by kind that this benchmark has, or those of a list of its own."""
    if file is None:
        if kind in KINDS:
            return [parse(text) for text in KINDS[kind]]
        if kind in DRAWN:
            return draw(kind, [], 32, 1)
        raise SystemExit(f"expected a kind of {', '.join(dict.fromkeys((*KINDS, *DRAWN)))}, got {kind!r}")
    records = json.loads(Path(file).read_text())
    if kind not in records:
        raise SystemExit(f"expected a kind of {file}: {', '.join(records)}, got {kind!r}")
    cases, left_out = [], 0
    for record in records[kind]:
        batch, epilogue = record.get("batch"), record.get("epilogue", "none")
        known = record.get("op") == "gemm" and record["dtype"] in TYPES
        known = known and epilogue in (EPILOGUES if batch is None else BATCHED_EPILOGUES)
        if known and record.get("out", record["dtype"]) == record["dtype"]:
            sizes = (record["m"], record["n"], record["k"])
            cases.append(Case(*sizes, record["layout"], record["dtype"], epilogue, batch))
        else:
            left_out += 1
    if left_out:
        print(f"{kind}: {left_out} cases left out that this benchmark does not have")
    return cases


#
# Lists drawn from a seed
#


def _between(rng: random.Random, low: float, high: float, step: int) -> int:
    """A multiple of a step, even in its logarithm."""
    value = math.exp(rng.uniform(math.log(low), math.log(high)))
    return max(step, round(value / step) * step)


def _square(rng: random.Random) -> Case:
    size = _between(rng, 256, 12288, 64)
    return Case(size, size, size, rng.choice(("rc", "rc", "rc", "rr", "cr", "cc")), rng.choice(("bf16", "bf16", "f16")))


def _llm(rng: random.Random) -> Case:
    m = rng.choice((1, rng.randrange(2, 17), rng.randrange(17, 65), 128, 256, 512, 1024, 2048, 4096, 8192))
    return Case(m, _between(rng, 2048, 32768, 128), _between(rng, 2048, 32768, 128))


def _random(rng: random.Random) -> Case:
    return Case(*(_between(rng, low, 8192, 8) for low in (128, 128, 160)))


def _deep_k(rng: random.Random) -> Case:
    k = _between(rng, 16384, 65536, 128)
    return Case(_between(rng, 64, 512, 64), _between(rng, 128, 1024, 64), k)


def _batched(rng: random.Random) -> Case:
    m, n = (rng.choice((_between(rng, 128, 2048, 64), rng.randrange(97, 400))) for _ in range(2))
    k = rng.choice((64, 128, 256, 512, 1024))
    batch = max(2, min(1024, round(2.0**35 / (m * n * k))))
    return Case(m, n, k, batch=batch)


DRAWN: dict[str, Callable[[random.Random], Case]] = {
    "square": _square,
    "llm": _llm,
    "random": _random,
    "deep_k": _deep_k,
    "batched": _batched,
}


def draw(kind: str, cases: list[Case], count: int, seed: int) -> list[Case]:
    """Cases of a kind, of sizes that are in no list; of a kind without a rule, cases like the given ones."""
    rng = random.Random(f"{kind} {seed}")
    if kind in DRAWN:
        return [DRAWN[kind](rng) for _ in range(count)]
    drawn = []
    for _ in range(count if cases else 0):
        like = rng.choice(cases)
        m, n, k = (max(8, round(s * rng.uniform(0.6, 1.4) / 8) * 8) for s in (like.m, like.n, like.k))
        drawn.append(replace(like, m=m, n=n, k=k))
    return drawn


def spread(ranked: list[str], times: list[float], count: int) -> list[str]:
    """Configurations to compare the first of a ranking with: the first half as predicted, and as many again evenly from
    the rest, which the predictions are least sure of, leaving out what is predicted to take more than 2.5 times as long."""
    head = ranked[: count // 2]
    rest = [r for r, time in zip(ranked[len(head) :], times[len(head) :]) if time <= 2.5 * times[0]]
    wanted = min(len(rest), count - len(head))
    return head + [rest[i * len(rest) // wanted] for i in range(wanted)]
