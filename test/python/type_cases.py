"""Products of small integers in every type, order and alignment, whose results are exact and compared so.

On a CPU it needs the installed package, NumPy and ml_dtypes; on a GPU PyTorch instead of ml_dtypes.

    python test/python/type_cases.py [--device cuda] [--cases N] [--matching PATTERN]

runs all cases, prints what failed and what was covered, and exits with 1 if anything failed.

Operands lie inside larger buffers of bits that are set, which are NaN of floats. Around D they must be set afterwards too.
Every case runs twice and must give the same bits.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import sys
import traceback
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

import cutl

SEED = 20240229
NUM_CASES = 400
# Elements of a guard zone, a multiple of what a vector holds.
GUARD = 64


@dataclass(frozen=True)
class Kind:
    """How products are formed: types, and the largest factors whose sums are exact."""

    a: str
    b: str
    d: str
    accumulator: Optional[str] = None
    math: str = "multiply_add"
    fast: bool = False
    largest: int = 3
    deepest: int = 1 << 20

    def __str__(self) -> str:
        into = f" by {self.accumulator}" if self.accumulator else ""
        return f"{self.a} x {self.b} -> {self.d}{into}" + (f" {self.math}" if self.math != "multiply_add" else "") + (
            " fast" if self.fast else ""
        )


FLOATS_OF_8_BITS = ("e4m3", "e5m2")
INTEGERS_OF_8_BITS = ("s8", "u8")
KINDS = (
    Kind("f16", "f16", "f16"),
    Kind("f16", "f16", "f32", largest=31),
    Kind("f16", "f16", "f16", "f16", largest=1, deepest=2048),
    Kind("bf16", "bf16", "bf16"),
    Kind("bf16", "bf16", "f32", largest=31),
    Kind("f32", "f32", "f32", math="multiply_add_tf32", largest=31),
    # What the tensor cores keep of a sum is exact up to some thousands.
    *(Kind(a, b, d) for a in FLOATS_OF_8_BITS for b in FLOATS_OF_8_BITS for d in ("bf16", "f32")),
    Kind("e4m3", "e4m3", "f16", fast=True, largest=1, deepest=2048),
    Kind("e5m2", "e4m3", "f32", fast=True, largest=1, deepest=2048),
    Kind("e4m3", "e5m2", "f16", "f16", largest=1, deepest=2048),
    *(Kind(a, b, "s32", largest=255) for a in INTEGERS_OF_8_BITS for b in INTEGERS_OF_8_BITS),
    Kind("s8", "s8", "f32", largest=31),
)

SHAPES = (
    (1, 1, 1),
    (1, 520, 256),
    (7, 9, 8),
    (64, 64, 128),
    (127, 129, 65),
    (129, 255, 63),
    (256, 128, 1),
    (60, 40, 0),
    (0, 128, 64),
    (128, 0, 64),
    (257, 8, 1000),
    (200, 264, 384),
)

# Of A and B: "r" has its rows contiguous.
ORDERS = ("rr", "rc", "cr", "cc")

# Elements by which each operand starts behind what is aligned to 16 bytes, and by which its rows are longer than a multiple
# of that; -1 for rows without padding.
PLACES = ((0, 0), (1, 0), (2, 0), (4, 0), (8, 0), (0, 1), (0, -1), (3, 5), (0, 64))

EPILOGUES = ("none", "C", "C in place", "C row", "bias")


@dataclass(frozen=True)
class Case:
    kind: Kind
    shape: tuple[int, int, int]
    orders: str
    d_order: str
    a_place: tuple[int, int]
    b_place: tuple[int, int]
    d_place: tuple[int, int]
    aux_place: tuple[int, int]
    epilogue: str

    def __str__(self) -> str:
        m, n, k = self.shape
        places = " ".join(f"{name}{offset:+}/{extra}" for name, (offset, extra) in self.places().items())
        return f"{m}x{n}x{k} {self.kind}, {self.orders}{self.d_order}, {places}, {self.epilogue}"

    def places(self) -> dict[str, tuple[int, int]]:
        return {"A": self.a_place, "B": self.b_place, "D": self.d_place, "C": self.aux_place}


def pairs_of(case: Case) -> set[Any]:
    return set(itertools.combinations(vars(case).items(), 2))


def make_cases(count: int = NUM_CASES, seed: int = SEED) -> list[Case]:
    """Cases that cover every pair of factors soonest, then random ones."""
    rng = random.Random(seed)

    def draw() -> Case:
        kind, shape = rng.choice(KINDS), rng.choice(SHAPES)
        while shape[2] > kind.deepest:
            shape = rng.choice(SHAPES)
        a, b, d, aux = (rng.choice(PLACES) for _ in range(4))
        # Sums of integers have no scales.
        epilogue = "none" if kind.d == "s32" else rng.choice(EPILOGUES)
        return Case(kind, shape, rng.choice(ORDERS), rng.choice("rc"), a, b, d, aux, epilogue)

    covered: set[Any] = set()
    cases: list[Case] = []
    while len(cases) < count:
        best = max((draw() for _ in range(40)), key=lambda case: len(pairs_of(case) - covered))
        if best in cases:
            continue
        covered |= pairs_of(best)
        cases.append(best)
    return cases


#
# Elements as bits
#


def _encode_bf16(x: np.ndarray) -> np.ndarray:
    image = x.astype(np.float32).view(np.uint32)
    return ((image + 0x7FFF + ((image >> 16) & 1)) >> 16).astype(np.uint16)


def _encode_e4m3(x: np.ndarray) -> np.ndarray:
    """An f16 of the 2^8th part has its digits in the same place."""
    image = (x * 2.0**-8).astype(np.float16).view(np.uint16)
    return ((image >> 7 & 0x7F) | (image >> 8 & 0x80)).astype(np.uint8)


# The bits of numbers that the type holds, or of those nearest to them.
ENCODE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "f16": lambda x: x.astype(np.float16).view(np.uint16),
    "bf16": _encode_bf16,
    "f32": lambda x: x.astype(np.float32).view(np.uint32),
    "f64": lambda x: x.astype(np.float64).view(np.uint64),
    "e4m3": _encode_e4m3,
    "e5m2": lambda x: (x.astype(np.float16).view(np.uint16) >> 8).astype(np.uint8),
    "s8": lambda x: x.astype(np.int64).astype(np.uint8),
    "u8": lambda x: x.astype(np.int64).astype(np.uint8),
    "s32": lambda x: x.astype(np.int64).astype(np.uint32),
}


def numpy_type(name: str) -> np.dtype:
    if name in ("bf16", "e4m3", "e5m2"):
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, {"bf16": "bfloat16"}.get(name, f"float8_{name}fn".replace("e5m2fn", "e5m2"))))
    return np.dtype({"f": "float", "s": "int", "u": "uint"}[name[0]] + name[1:])


def torch_type(name: str) -> Any:
    import torch

    names = {"bf16": "bfloat16", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}
    return getattr(torch, names.get(name) or {"f": "float", "s": "int", "u": "uint"}[name[0]] + name[1:])


class Placed:
    """A matrix, or a row, of that many elements somewhere in a larger buffer of set bits."""

    def __init__(self, device: str, name: str, shape: tuple[int, ...], order: str, place: tuple[int, int]) -> None:
        self.unsigned = ENCODE[name](np.zeros(0)).dtype
        offset, extra = place
        outer, inner = (shape if order == "r" else shape[::-1]) if len(shape) == 2 else (1, shape[0])
        unit = 16 // self.unsigned.itemsize
        pitch = max(inner, 1) if extra < 0 else -(-max(inner, 1) // unit) * unit + extra
        strides = (pitch, 1) if order == "r" else (1, pitch)
        self.shape, self.strides, self.start = shape, strides[-len(shape) :] if len(shape) == 2 else (1,), GUARD + offset
        size = GUARD + offset + max(outer, 1) * pitch + GUARD
        # Aligned as what allocates on a device aligns.
        whole = np.zeros(size * self.unsigned.itemsize + 256, np.uint8)
        first = -whole.ctypes.data % 256
        self.host = whole[first : first + size * self.unsigned.itemsize].view(self.unsigned)
        self.host[:] = np.iinfo(self.unsigned).max
        if device == "cpu":
            self.buffer: Any = self.host
            self.view: Any = self._strided(self.host.view(numpy_type(name)))
        else:
            import torch

            signed = self.host.view(np.dtype(f"int{8 * self.unsigned.itemsize}"))
            self.buffer = torch.from_numpy(signed).cuda()
            self.view = self.buffer.view(torch_type(name)).as_strided(self.shape, self.strides, self.start)

    def _strided(self, whole: np.ndarray) -> np.ndarray:
        steps = [stride * whole.itemsize for stride in self.strides]
        return np.ndarray(self.shape, whole.dtype, whole, self.start * whole.itemsize, steps)  # type: ignore[arg-type]

    def write(self, image: np.ndarray) -> None:
        """Sets the elements' bits."""
        self._strided(self.host)[...] = image
        self._send()

    def poison(self) -> None:
        self.host[:] = np.iinfo(self.unsigned).max
        self._send()

    def _send(self) -> None:
        if self.buffer is not self.host:
            import torch

            self.buffer.copy_(torch.from_numpy(self.host.view(np.dtype(f"int{8 * self.unsigned.itemsize}"))))

    def read(self) -> np.ndarray:
        """The whole buffer's bits."""
        if self.buffer is self.host:
            return self.host.copy()
        return self.buffer.cpu().numpy().view(self.unsigned)

    def around(self) -> np.ndarray:
        """Which elements of the buffer are none of the matrix."""
        outside = np.ones(self.host.shape, bool)
        self._strided(outside)[...] = False
        return outside


def draw_factors(rng: np.random.Generator, name: str, largest: int, shape: tuple[int, int]) -> np.ndarray:
    if name in INTEGERS_OF_8_BITS:
        low, high = (0, 255) if name == "u8" else (-128, 127)
        return rng.integers(max(low, -largest), min(high, largest), shape, endpoint=True)
    return rng.integers(-largest, largest, shape, endpoint=True)


def run_case(case: Case, device: str = "cpu", config: str = "") -> int:
    """Raises AssertionError if anything is wrong; else how many elements D has."""
    m, n, k = case.shape
    kind = case.kind
    rng = np.random.default_rng(zlib.crc32(str(case).encode()))
    a64 = draw_factors(rng, kind.a, kind.largest, (m, k))
    b64 = draw_factors(rng, kind.b, kind.largest, (k, n))
    a = Placed(device, kind.a, (m, k), case.orders[0], case.a_place)
    b = Placed(device, kind.b, (k, n), case.orders[1], case.b_place)
    d = Placed(device, kind.d, (m, n), case.d_order, case.d_place)
    a.write(ENCODE[kind.a](a64))
    b.write(ENCODE[kind.b](b64))
    expected = a64 @ b64

    plan = cutl.op.Gemm(
        device=device,
        config=config,
        element_accumulator=kind.accumulator,
        math_operation=kind.math,
        fast_accumulation=kind.fast,
    )
    c = bias = None
    alpha, beta = 1.0, 0.0
    if case.epilogue.startswith("C"):
        alpha, beta = 2.0, -1.0
        in_place = case.epilogue == "C in place"
        shape = (n,) if case.epilogue == "C row" else (m, n)
        c = d if in_place else Placed(device, kind.d, shape, case.d_order, case.aux_place)
        c64 = rng.integers(-8, 8, shape)
        expected = 2 * expected - c64
    if case.epilogue == "bias":
        bias = Placed(device, "f32", (n,), "r", case.aux_place)
        bias64 = rng.integers(-8, 8, n)
        bias.write(ENCODE["f32"](bias64))
        expected = expected + bias64

    images = []
    for _ in range(2):
        d.poison()
        if c is not None:
            c.write(ENCODE[kind.d](c64))
        result = plan.run(a.view, b.view, c and c.view, d.view, alpha, beta, bias and bias.view)
        assert result is d.view
        images.append(d.read())
    assert np.array_equal(*images), "two runs differ"
    outside = d.around()
    assert (images[0][outside] == np.iinfo(d.unsigned).max).all(), "memory around D was written"
    got, wanted = d._strided(images[0]), ENCODE[kind.d](expected)
    # Zeros of either sign are equal.
    wrong = (got != wanted) & (((got << 1) | (wanted << 1)) != 0 if kind.d != "s32" else True)
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise AssertionError(
            f"{int(wrong.sum())} of {wrong.size} elements are wrong: at {at} expected {expected[at]} ({wanted[at]:#x}),"
            f" got {got[at]:#x}"
        )
    return m * n


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--cases", type=int, default=NUM_CASES, help="at most as many")
    parser.add_argument("--matching", default="", metavar="PATTERN", help="only cases whose name has a match of it")
    parser.add_argument("--traceback", action="store_true", help="where each failure came from")
    options = parser.parse_args()
    cases = [case for case in make_cases() if re.search(options.matching, str(case))][: options.cases]
    covered: set[Any] = set()
    passed = elements = 0
    for case in cases:
        try:
            elements += run_case(case, options.device)
            covered |= pairs_of(case)
            passed += 1
        except Exception as error:  # One case that fails must not stop the rest.
            print(f"FAILED {case}: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}", flush=True)
            if options.traceback:
                traceback.print_exc()
            if "device-side" in str(error) or "illegal" in str(error):
                print("the context is lost; stopping")
                break
    print(f"{len(cases)} cases, {elements} elements, {len(covered)} pairs of factors covered")
    print(f"{passed} passed, {len(cases) - passed} failed")
    return passed < len(cases)


if __name__ == "__main__":
    sys.exit(main())
