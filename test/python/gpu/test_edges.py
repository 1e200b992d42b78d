"""What lies at the edges, on a GPU: remainders of K, tiles of every width, clusters, nothing to add up, views, vectors.

Operands are small integers inside NaN, so that every sum is exact and results are compared for equality. Without pytest:
`python test/python/gpu/test_edges.py`.
"""

from __future__ import annotations

import importlib
import itertools
import sys
from typing import Any, Iterator

import numpy as np

try:
    import pytest
except ImportError:
    pytest = None

try:
    import torch
except ImportError:
    torch = None

if torch is None or not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
    if pytest is None:
        sys.exit("needs PyTorch and a GPU of compute capability 9.0")
    pytest.skip("needs PyTorch and a GPU of compute capability 9.0", allow_module_level=True)

import cutl  # noqa: E402
import gemm_cases  # noqa: E402
import script  # noqa: E402

ORDERS = ("rr", "rc", "cr", "cc")
WHOLE_TILES = "#cutl.data_parallel"
SCHEDULES = (WHOLE_TILES, "#cutl.stream_k")

# One of each kind of kernel, of swapped operands, and of each depth.
CONFIGS = (
    "cta = [64, 96, 64], stages = 4, kernel = single",
    "cta = [64, 40, 256], stages = 3, kernel = single",
    "cta = [64, 32, 128], stages = 6, kernel = single, swap_operands = true",
    "cta = [128, 104, 64], stages = 4, kernel = pingpong",
    "cta = [128, 128, 128], stages = 2, kernel = cooperative",
    "cta = [256, 56, 64], stages = 3, kernel = cooperative",
)
# Rows, and the widest that registers hold.
WIDEST = (
    ("cta = [64, {}, 64], stages = 2, kernel = single", 256),
    ("cta = [64, {}, 64], stages = 2, kernel = single, swap_operands = true", 256),
    ("cta = [128, {}, 64], stages = 2, kernel = pingpong", 208),
    ("cta = [128, {}, 64], stages = 2, kernel = cooperative", 256),
    ("cta = [256, {}, 64], stages = 2, kernel = cooperative", 208),
)
CLUSTERS = ((1, 2), (2, 1), (2, 2), (1, 4), (4, 1), (2, 4), (4, 2), (1, 8), (8, 1))


def config_of(text: str) -> str:
    return f"#cutl.tile_config<{text}>"


def integers(*shape: int, dtype: Any = torch.bfloat16) -> Any:
    generator = torch.Generator("cuda").manual_seed(sum(shape))
    return torch.randint(-2, 3, shape, generator=generator, device="cuda").to(dtype)


def matrix(rows: int, columns: int, order: str = "r", dtype: Any = torch.bfloat16, extra: int = 0) -> Any:
    """A matrix of integers inside NaN."""
    view, _ = gemm_cases.matrix(rows, columns, order, dtype, torch.Generator("cuda"), extra, 8)
    return view.copy_(integers(rows, columns, dtype=dtype))


class Result:
    """D, inside a pattern that is a NaN."""

    def __init__(self, m: int, n: int, dtype: Any = torch.float32, order: str = "r", unit: int = 8) -> None:
        self.d, self.buffer = gemm_cases.matrix(m, n, order, dtype, torch.Generator("cuda"), 0, unit)
        self.pattern = gemm_cases.PATTERNS[self.d.element_size()]

    def run(self, plan: cutl.op.Gemm, a: Any, b: Any, c: Any = None, **options: Any) -> None:
        gemm_cases.bits(self.buffer).fill_(self.pattern)
        plan.run(a, b, c, self.d, **options)
        torch.cuda.synchronize()

    def check(self, expected: Any, *what: Any) -> None:
        found = self.d.double()
        wanted = expected.to(self.d.dtype).double()
        if not torch.equal(found, wanted):
            wrong = found != wanted
            at = tuple(int(i) for i in wrong.nonzero()[0])
            raise AssertionError(
                f"{what}: {int(wrong.sum())} of {wrong.numel()} wrong, the first at {at}: expected {float(wanted[at])},"
                f" got {float(found[at])}"
            )
        around = gemm_cases.bits(self.buffer).clone()
        around.as_strided(self.d.shape, self.d.stride(), self.d.storage_offset()).fill_(self.pattern)
        assert bool((around == self.pattern).all()), f"{what}: memory around D was written"


def exact(a: Any, b: Any) -> Any:
    return a.double() @ b.double()


#
# Remainders of K, edges of tiles
#


def test_no_k_is_too_short_or_too_long() -> None:
    """What fills no instruction, or no stage, was left out of the sum."""
    result = Result(72, 88)
    for config, orders in itertools.product(CONFIGS, ORDERS):
        plan = cutl.op.Gemm(config=config_of(config))
        for k in (*range(1, 140), 192, 255, 256, 257, 511, 520):
            a, b = matrix(72, k, orders[0]), matrix(k, 88, orders[1])
            result.run(plan, a, b)
            result.check(exact(a, b), config, orders, k)


def test_tiles_of_every_width() -> None:
    """Widths that are odd multiples of 8 were wrong, or wrote a part of their columns."""
    for text, widest in WIDEST:
        for width in range(8, widest + 1, 8):
            plan = cutl.op.Gemm(config=config_of(text.format(width)))
            for n, dtype in ((3 * width, torch.float32), (width + 5, torch.bfloat16), (max(width - 3, 1), torch.bfloat16)):
                m = n if "swap" in text else 150
                n = 150 if "swap" in text else n
                a, b, result = matrix(m, 72), matrix(72, n, "c"), Result(m, n, dtype)
                result.run(plan, a, b)
                result.check(exact(a, b), text.format(width), n)


def test_every_size_of_few_rows_and_columns() -> None:
    """Columns that no warp had, or that lay beyond the last whole group, kept what was there before."""
    for config in CONFIGS:
        plan = cutl.op.Gemm(config=config_of(config))
        for size in range(1, 137):
            for m, n, unit in ((16, size, 8), (size, 24, 8), (size, size, 1)):
                a, b, result = matrix(m, 64), matrix(64, n, "c"), Result(m, n, torch.bfloat16, unit=unit)
                result.run(plan, a, b)
                result.check(exact(a, b), config, m, n)


def test_no_configuration_gives_another_result() -> None:
    """With one tile of many a bias and a residual were added wrongly."""
    m, n, k = 100, 256, 256
    a, b, c = matrix(m, k), matrix(k, n, "c"), matrix(m, n, dtype=torch.float32)
    bias, result = integers(n, dtype=torch.float32), Result(m, n)
    plan = cutl.op.Gemm()
    result.run(plan, a, b, c, beta=2.0, bias=bias)
    configs = plan.configs()
    assert len(configs) > 100
    for ranked in configs[::5]:
        plan = cutl.op.Gemm(config=ranked.config)
        result.run(plan, a, b, c, beta=2.0, bias=bias)
        result.check(exact(a, b) + 2.0 * c.double() + bias.double(), ranked.config)


def test_clusters_of_every_shape() -> None:
    """CTAs that share operands read those of others, or of none, at the edges of a cluster and with the largest ones."""
    for text, cluster in itertools.product(("64, 64, 64], stages = 3, kernel = single",
                                            "128, 64, 64], stages = 3, kernel = pingpong",
                                            "128, 64, 64], stages = 3, kernel = cooperative"), CLUSTERS):
        plan = cutl.op.Gemm(config=config_of(f"cta = [{text}, cluster = [{cluster[0]}, {cluster[1]}]"))
        for m, n, k in ((1300, 648, 200), (8, 1032, 1000), (1000, 8, 136), (2048, 1024, 64)):
            for orders in ("rc", "cr"):
                a, b, result = matrix(m, k, orders[0]), matrix(k, n, orders[1]), Result(m, n, torch.bfloat16)
                result.run(plan, a, b)
                result.check(exact(a, b), text, cluster, m, n, k)


def test_clusters_that_divide_k() -> None:
    """Parts of k of equal and unequal lengths, and empty ones; shares of columns and, with swapped operands, of rows, some of
    which lie beyond the edge; several units for each cluster; epilogues that read and reduce."""
    configs = (
        "cta = [64, 64, 64], stages = 3, kernel = single, cluster = [1, 1, 2]",
        "cta = [64, 64, 128], stages = 4, kernel = single, cluster = [1, 1, 8]",
        "cta = [64, 160, 64], stages = 4, kernel = single, cluster = [4, 1, 2]",
        "cta = [64, 96, 64], stages = 6, kernel = single, cluster = [1, 2, 4]",
        "cta = [64, 32, 128], stages = 4, kernel = single, cluster = [2, 2, 2], swap_operands = true",
        "cta = [128, 128, 64], stages = 4, kernel = cooperative, cluster = [2, 1, 4]",
        "cta = [256, 64, 64], stages = 3, kernel = cooperative, cluster = [1, 2, 2]",
        "cta = [192, 96, 64], stages = 4, kernel = cooperative, cluster = [1, 1, 4]",
    )
    shapes = ((1300, 648, 200), (8, 1032, 1000), (1000, 8, 136), (2056, 1024, 2056), (200, 136, 8), (72, 80, 0))
    for config, (m, n, k) in itertools.product(configs, shapes):
        plan = cutl.op.Gemm(config=config_of(config))
        for orders, out in (("rc", torch.bfloat16), ("cr", torch.float32)):
            a, b, result = matrix(m, k, orders[0]), matrix(k, n, orders[1]), Result(m, n, out)
            result.run(plan, a, b)
            first = result.buffer.clone()
            result.check(exact(a, b), config, m, n, k)
            result.run(plan, a, b)
            assert torch.equal(gemm_cases.bits(first), gemm_cases.bits(result.buffer)), (config, m, n, k)
        a, b, c, result = matrix(m, k), matrix(k, n, "c"), matrix(m, n, dtype=torch.float32), Result(m, n)
        result.run(plan, a, b, c, alpha=2.0, beta=-1.0)
        result.check(2 * exact(a, b) - c.double(), config, m, n, k, "with C")


def test_shapes_that_have_gone_wrong() -> None:
    """With the configuration that is chosen."""
    shapes = (
        (64, 64, 24), (64, 64, 40), (64, 64, 56), (16, 104, 64), (511, 1024, 96), (511, 511, 511), (514, 500, 130),
        (1000, 999, 1001), (3452, 1024, 2044), (100, 256, 256), (32, 8192, 8192), (16, 2560, 8192), (8, 8192, 8192),
        (512, 1024, 4096), (4001, 264, 520), (1, 8192, 8192), (8192, 1, 4096),
    )
    for (m, n, k), dtype in itertools.product(shapes, (torch.float16, torch.bfloat16)):
        a, b = matrix(m, k, dtype=dtype), matrix(k, n, "c", dtype)
        for out in (dtype, torch.float32):
            result = Result(m, n, out)
            result.run(cutl.op.Gemm(), a, b)
            result.check(exact(a, b), m, n, k)


#
# Pitches and views
#


def test_arrays_of_any_pitch() -> None:
    """NumPy arrays, whose rows need not begin at multiples of anything."""
    rng = np.random.default_rng(0)
    for m, n, k in ((511, 511, 511), (1000, 999, 1001), (64, 64, 64)):
        a = np.full((m, k + 1), np.nan, np.float16)[:, :k]
        b = np.full((n, k + 3), np.nan, np.float16)[:, 3:].T
        a[...], b[...] = rng.integers(-2, 3, (m, k)), rng.integers(-2, 3, (k, n))
        d = np.full((m, n + 1), np.nan, np.float32)[:, 1:]
        cutl.op.Gemm(device="cuda").run(a, b, None, d)
        assert np.array_equal(d, a.astype(np.float64) @ b.astype(np.float64)), (m, n, k)


def test_parts_of_wide_matrices() -> None:
    """The pitch of the whole was taken for that of the part."""
    whole = torch.full((2048, 25272), float("nan"), dtype=torch.float16, device="cuda")
    a, b = whole[:, 21944:24344], integers(128, 2400, dtype=torch.float16).t()
    a.copy_(integers(2048, 2400, dtype=torch.float16))
    bias, result = integers(128, dtype=torch.float32), Result(2048, 128, torch.float16)
    result.run(cutl.op.Gemm(), a, b, bias=bias)
    result.check(exact(a, b) + bias.double())
    # Columns of an odd number, of which a tile has some, in rows of a pitch that is no power of two.
    a = integers(2048, 1024).t()
    whole = torch.full((2048, 7920), float("nan"), dtype=torch.bfloat16, device="cuda")
    b = whole[:, :1953].copy_(integers(2048, 1953))
    result = Result(1024, 1953, torch.bfloat16, unit=1)
    result.run(cutl.op.Gemm(), a, b)
    result.check(exact(a, b))


def test_strides_of_what_is_single_mean_nothing() -> None:
    """The stride of a dimension of one element was taken for a pitch."""
    one, row, column = integers(1, 64), integers(64, 64), integers(64, 1)
    cases = (
        (one.as_strided((1, 64), (7, 1)), row),
        (row, column.as_strided((64, 1), (1, 3))),
        (column, one),
        (column.as_strided((64, 1), (1, 5)), one.as_strided((1, 64), (3, 1))),
        (one.as_strided((1, 8), (0, 0)), row[:8]),
        (one[:, :1], one[:, :1].t()),
    )
    for a, b in cases:
        result = Result(a.shape[0], b.shape[1])
        result.run(cutl.op.Gemm(), a, b)
        result.check(exact(a, b), a.stride(), b.stride())
    a, b = (integers(1, 64, 64).as_strided((1, 64, 64), (stride, 64, 1)) for stride in (7, 3))
    d = torch.full((1, 64, 64), float("nan"), device="cuda")
    cutl.op.Gemm().run(a, b, None, d)
    assert torch.equal(d.double(), exact(a, b))


#
# Nothing to add up, nothing to read
#


def epilogues(m: int, n: int) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """What is done to a sum, and what it makes of zero."""
    c = integers(m, n, dtype=torch.float32)
    row, column = integers(n, dtype=torch.float32), integers(m, 1, dtype=torch.float32)
    zero = torch.zeros((m, n), dtype=torch.float64, device="cuda")
    yield "nothing", {}, zero
    yield "C", {"c": c, "beta": -2.0}, -2.0 * c.double()
    yield "row", {"bias": row}, zero + row.double()
    yield "column", {"bias": column}, zero + column.double()
    yield "all", {"c": c, "beta": 3.0, "alpha": 0.5, "bias": column}, 3.0 * c.double() + column.double()


def test_products_of_nothing() -> None:
    """With K = 0 there was a descriptor of no extent, a check of strides that cannot hold, or no epilogue at all.

    Tensors of no element have no address either.
    """
    for schedule, (m, n) in itertools.product(SCHEDULES, ((224, 256), (3, 4), (130, 257))):
        a, b = (torch.empty(s, dtype=torch.bfloat16, device="cuda") for s in ((m, 0), (0, n)))
        for name, options, expected in epilogues(m, n):
            result = Result(m, n)
            result.run(cutl.op.Gemm(schedule=schedule), a, b, **options)
            result.check(expected, schedule, m, n, name)
    for schedule, (batch, m, n) in itertools.product(SCHEDULES, ((10, 1, 43200), (4, 224, 256))):
        a = torch.empty((batch, m, 0), dtype=torch.bfloat16, device="cuda")
        b = torch.empty((batch, 0, n), dtype=torch.bfloat16, device="cuda")
        d = torch.full((batch, m, n), float("nan"), dtype=torch.bfloat16, device="cuda")
        cutl.op.Gemm(schedule=schedule).run(a, b, None, d)
        assert bool((d == 0).all()), (schedule, batch, m, n)
        c = integers(batch, m, n)
        cutl.op.Gemm(schedule=schedule).run(a, b, c, c, beta=2.0)
        assert torch.equal(c, 2 * integers(batch, m, n)), (schedule, batch, m, n)


def test_beta_of_zero_never_reads_c() -> None:
    """A factor that only the run knows, in kernels for few rows and for long sums too."""

    def combine(accum: Any, alpha: Any, beta: Any, C: Any) -> Any:  # noqa: N803
        D = cutl.epilogue.linear_combination(alpha, accum, beta, C)  # noqa: N806
        return D

    for schedule, (m, n, k) in itertools.product(SCHEDULES, ((2, 8, 8192), (1, 4096, 512), (300, 200, 64), (64, 64, 0))):
        a, b, result = matrix(m, k), matrix(k, n, "c"), Result(m, n)
        c = torch.full((m, n), float("nan"), device="cuda")
        plan = cutl.op.Gemm(schedule=schedule)
        examples = {"accum": result.d, "alpha": 1.0, "beta": 0.0, "C": c, "D": result.d}
        plan.epilogue_visitor = cutl.epilogue.trace(combine, examples)
        result.run(plan, a, b, c, visitor_args={"alpha": 2.0, "beta": 0.0})
        result.check(2.0 * exact(a, b), schedule, m, n, k)
        plan.run(a, b, c, result.d, visitor_args={"alpha": 2.0, "beta": 1.0})
        assert bool(result.d.isnan().all()), "expected C to be read where beta is not zero"


#
# Vectors, conversions, races
#


def test_axes_of_vectors_do_not_depend_on_the_result() -> None:
    """Where sizes were equal, or the result was stored by columns, a vector was laid along the other axis."""
    for (m, n), order, dtype in itertools.product(
        ((72, 136), (96, 96), (129, 40)), ("r", "c"), (torch.float32, torch.float16)
    ):
        a, b = matrix(m, 24), matrix(24, n, "c")
        row, column = 8 * integers(n, dtype=torch.float32), 8 * integers(m, 1, dtype=torch.float32)
        for bias in (row, row[None], column):
            for c in (None, row.to(dtype), row.to(dtype)[None]):
                result = Result(m, n, dtype, order)
                result.run(cutl.op.Gemm(), a, b, c, beta=0.0 if c is None else 2.0, bias=bias)
                expected = exact(a, b) + bias.double() + (0.0 if c is None else 2.0 * c.double())
                result.check(expected, m, n, order, tuple(bias.shape))


def test_8_bit_floats_are_those_of_the_cpu() -> None:
    """Infinities and NaN became numbers when widened, halves were rounded twice, and a scale of the result was left out.

    `test_epilogue_reports.py` has what is right on the CPU.
    """
    ml_dtypes = pytest.importorskip("ml_dtypes") if pytest else importlib.import_module("ml_dtypes")
    for name, narrow in (("e4m3", ml_dtypes.float8_e4m3fn), ("e5m2", ml_dtypes.float8_e5m2)):

        def widen(accum: Any, C: Any) -> Any:  # noqa: N803
            # Chosen and not added, so that zeros keep their signs.
            D = cutl.epilogue.where(accum == 0.0, C, accum)  # noqa: N806
            E = cutl.epilogue.cast(D, "bf16")  # noqa: N806
            return D, E

        def narrowed(accum: Any, scale: Any, C: Any) -> Any:  # noqa: N803
            D = cutl.epilogue.cast((accum + C) * scale, name, saturate=True)  # noqa: N806, B023
            return D

        codes = np.arange(256, dtype=np.uint8).view(narrow).reshape(1, 256)
        codes = np.ascontiguousarray(np.broadcast_to(codes, (16, 256)))
        a, b = np.zeros((16, 16), np.float16), np.zeros((16, 256), np.float16)
        # Every number of the type, what lies halfway between them, and what lies next to that.
        with np.errstate(invalid="ignore"):
            values = codes.astype(np.float32)
        finite = np.unique(values[np.isfinite(values)])
        middles = (finite[1:] + finite[:-1]) / 2
        numbers = np.concatenate([finite, middles, np.nextafter(middles, 3e38, dtype=np.float32),
                                  np.nextafter(middles, -3e38, dtype=np.float32), [1e6, -1e6, np.inf, -np.inf, np.nan]])
        c = np.resize(numbers, (16, 256)).astype(np.float32)
        found = {}
        for device in ("cuda", "cpu"):
            d, e = np.empty((16, 256), np.float32), np.empty((16, 256), ml_dtypes.bfloat16)
            f, g = np.empty((16, 256), narrow), np.empty((16, 256), narrow)
            plan = cutl.op.Gemm(device=device)
            plan.epilogue_visitor = cutl.epilogue.trace(widen, {"accum": d, "C": codes, "D": d, "E": e})
            plan.run(a, b, codes, d, visitor_args={"E": e})
            plan = cutl.op.Gemm(device=device)
            plan.epilogue_visitor = cutl.epilogue.trace(narrowed, {"accum": d, "scale": 1.0, "C": c, "D": f})
            for scale, out in ((1.0, f), (0.25, g)):
                plan.run(a, b, c, out, visitor_args={"scale": scale})
            found[device] = d, e, f, g
        for gpu, cpu in zip(found["cuda"], found["cpu"]):
            wide, reference = gpu.astype(np.float64), cpu.astype(np.float64)
            assert np.array_equal(wide, reference, equal_nan=True), (name, gpu.dtype)
            assert np.array_equal(np.signbit(wide)[~np.isnan(wide)], np.signbit(reference)[~np.isnan(wide)])
        assert not np.array_equal(found["cuda"][2].view(np.uint8), found["cuda"][3].view(np.uint8)), "no scale"


def test_the_same_product_a_thousand_times() -> None:
    """Stores that had not ended when their buffer was filled anew gave wrong elements once in a while."""
    size = 256
    half = torch.full((size, size), 0.5, dtype=torch.float16, device="cuda")
    c, bias = torch.zeros_like(half), torch.zeros(size, device="cuda")
    d = torch.empty_like(half)
    for config in (
        "cta = [128, 128, 64], stages = 4, kernel = cooperative",
        "cta = [128, 64, 64], stages = 4, kernel = cooperative, epilogue_buffers = 2",
        "cta = [256, 128, 64], stages = 4, kernel = cooperative, cluster = [1, 2]",
        "cta = [128, 128, 64], stages = 4, kernel = pingpong",
        "cta = [64, 64, 64], stages = 4, kernel = single",
    ):
        plan = cutl.op.Gemm(config=config_of(config))
        wrong = torch.zeros((), dtype=torch.int64, device="cuda")
        for _ in range(1000):
            d.fill_(float("nan"))
            plan.run(half, half, c, d, beta=1.0, bias=bias)
            wrong += (d != 64.0).sum()
        assert int(wrong) == 0, (config, int(wrong))


if __name__ == "__main__":
    sys.exit(script.main(globals()))
