"""Faults that users of systems of this kind have met, in terms of plain products: on the CPU, where small integers make
every sum exact, and on a driver that computes nothing, for what is launched, allocated and refused."""

from __future__ import annotations

import mmap
import re
from typing import Any, Optional

import cutl
import numpy as np
import pytest
from conftest import BF16, E4M3, E5M2, F16, F32, F64
from cutl import errors
from fake_device import DEVICE, FakeDriver, FakeTorch, Tensor, abd, product

SPLIT_K = "#cutl.split_k<4>"
TURNS = "#cutl.split_k<4, reduction = turnstile>"


def ints(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    return rng.integers(-2, 3, shape).astype(dtype)


def exact(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a.astype(F64) @ b.astype(F64)


def run(a: np.ndarray, b: np.ndarray, d: np.ndarray, c: Optional[np.ndarray] = None, **options: Any) -> np.ndarray:
    cutl.op.Gemm(device="cpu").run(a, b, c, d, **options)
    return d


#
# Remainders of K, edges of tiles
#


@pytest.mark.parametrize("orders", ["rr", "rc", "cr", "cc"])
@pytest.mark.parametrize("dtype", [F16, BF16, F32, F64], ids=str)
def test_no_k_is_too_short_or_too_long(rng: np.random.Generator, dtype: np.dtype, orders: str) -> None:
    """What does not fill a vector or an instruction was left out of the sum."""
    plan, out = cutl.op.Gemm(device="cpu"), F64 if dtype == F64 else F32
    for k in range(1, 100):
        a, b = ints(rng, (9, k), dtype), ints(rng, (k, 17), dtype)
        d = np.full((9, 17), np.nan, out)
        stored = [np.asfortranarray(x) if order == "c" else x for x, order in zip((a, b), orders)]
        plan.run(*stored, None, d)
        assert np.array_equal(d, exact(a, b)), k


@pytest.mark.parametrize(
    "m,n,k",
    [(514, 500, 130), (100, 256, 256), (511, 1024, 96), (1000, 999, 1001), (511, 511, 511), (345, 1024, 2044)],
)
@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
def test_sums_of_ones_have_all_of_k(dtype: np.dtype, m: int, n: int, k: int) -> None:
    """A tail of K, or of a tile, that is dropped shows in every element, also beside a bias and a residual."""
    a, b, d = np.ones((m, k), dtype), np.ones((k, n), dtype), np.full((m, n), np.nan, F32)
    assert (run(a, b, d) == k).all()
    row, column = np.arange(n, dtype=F32), 3.0 * np.arange(m, dtype=F32)[:, None]
    assert np.array_equal(run(a, b, d, np.full((m, n), 5.0, F32), beta=2.0, bias=row), np.tile(k + 10.0 + row, (m, 1)))
    assert np.array_equal(run(a, b, d, bias=column), np.tile(k + column, (1, n)))


@pytest.mark.parametrize("part", ["columns", "rows", "odd tail", "every other column"])
def test_parts_of_wide_matrices(rng: np.random.Generator, part: str) -> None:
    """The pitch of the whole was taken for that of the part, or had to be a multiple of something."""
    m, n, k = 33, 128, 60
    if part == "odd tail":
        m, n, k = 64, 1953, 128
        a = ints(rng, (k, 1024), F16).T[:m]
        whole = np.full((k, 7920), np.nan, F16)
        whole[:, :n] = ints(rng, (k, n), F16)
        b = whole[:, :n]
    else:
        whole = np.full((m, 25272), np.nan, F16)
        steps = {"columns": slice(21940, 21940 + k), "rows": slice(0, k), "every other column": slice(7, 7 + 2 * k, 2)}
        a = whole[:, steps[part]] if part != "rows" else np.full((m + 3, k), np.nan, F16)[3:]
        a[...] = ints(rng, (m, k), F16)
        b = ints(rng, (n, k), F16).T
    around = np.full((m + 2, n + 3), 7.0, F32)
    d = run(a, b, around[1:-1, 1:-2], bias=np.ones(n, F32))
    assert np.array_equal(d, exact(a, b) + 1.0)
    d[...] = 7.0
    assert (around == 7.0).all()


#
# Nothing to add up
#


@pytest.mark.parametrize("shape", [(10, 1, 43200), (4, 224, 256), (3, 5, 2)], ids=str)
@pytest.mark.parametrize("what", ["nothing", "C", "C in place", "row", "column", "activation"])
def test_batches_of_empty_products(rng: np.random.Generator, shape: tuple[int, int, int], what: str) -> None:
    """With K = 0 results kept what they held, or the epilogue was left out or took the other axis."""
    batch, m, n = shape
    a, b = np.empty((batch, m, 0), F16), np.empty((batch, 0, n), F16)
    c, d = ints(rng, shape, F32), np.full(shape, np.nan, F32)
    row, column = ints(rng, (n,), F32), ints(rng, (m, 1), F32)
    if what == "nothing":
        assert (run(a, b, d) == 0.0).all()
    elif what == "C":
        assert np.array_equal(run(a, b, d, c, beta=-2.0), -2.0 * c)
    elif what == "C in place":
        expected = 3.0 * c
        assert np.array_equal(run(a, b, c, c, beta=3.0), expected)
    elif what == "activation":
        plan = cutl.op.Gemm(device="cpu")
        plan.activation = "relu"
        plan.run(a, b, None, d, bias=row)
        assert np.array_equal(d, np.broadcast_to(np.maximum(row, 0.0), shape))
    else:
        bias = row if what == "row" else column
        assert np.array_equal(run(a, b, d, bias=bias), np.broadcast_to(bias, shape))


def test_strides_of_what_is_empty_or_single_mean_nothing(driver: FakeDriver, torch: FakeTorch) -> None:
    """A stride along which there is no second element, and the address of no element, can be anything."""
    launches = driver.get("launches")
    empty = [
        ((224, 0), (1, 1), (0, 256), (256, 1)),
        ((224, 0), (3, 1), (0, 257), (257, 1)),
        ((10, 1, 0), (1, 1, 1), (10, 0, 43200), (43200, 43200, 1)),
    ]
    for address in (0, 6):
        for shape_a, strides_a, shape_b, strides_b in empty:
            a, b = (Tensor(address, *x) for x in ((shape_a, torch.float16, strides_a), (shape_b, torch.float16, strides_b)))
            cutl.op.Gemm(schedule="#cutl.data_parallel").run(a, b, None, torch.tensor((*shape_a[:-1], shape_b[-1])))
    single = [
        (torch.tensor((1, 64), strides=(7, 1)), torch.tensor((64, 64))),
        (torch.tensor((64, 64)), torch.tensor((64, 1), strides=(1, 3))),
        (torch.tensor((64, 1)), torch.tensor((1, 64), strides=(5, 1))),
        (torch.tensor((1, 8), strides=(0, 0)), torch.tensor((8, 8))),
        (torch.tensor((1, 64, 64), strides=(7, 64, 1)), torch.tensor((1, 64, 64), strides=(3, 64, 1))),
    ]
    for a, b in single:
        cutl.op.Gemm(schedule="#cutl.data_parallel").run(a, b, None, torch.tensor((*a.shape[:-1], b.shape[-1])))
    assert driver.get("launches") == launches + 2 * len(empty) + len(single)


@pytest.mark.parametrize("a,b", [((0, 64), (64, 64)), ((64, 64), (64, 0)), ((0, 8, 64), (64, 64)), ((3, 0, 8), (8, 8))])
def test_empty_results_of_tensors_launch_nothing(
    driver: FakeDriver, torch: FakeTorch, a: tuple[int, ...], b: tuple[int, ...]
) -> None:
    """A grid of no CTAs was an error."""
    launches = driver.get("launches")
    d = Tensor(0, (*a[:-1], b[-1]), torch.float16)
    plan = cutl.op.Gemm()
    for _ in range(2):
        assert plan.run(*(Tensor(0 if 0 in s else DEVICE[0], s, torch.float16) for s in (a, b)), None, d) is d
    assert driver.get("launches") == launches


#
# Factors and sources
#


def test_factors_of_every_kind() -> None:
    """Integers and numbers of NumPy were refused, or met a factor of another type."""
    a, c = np.ones((4, 4), F32), np.full((4, 4), 3.0, F32)
    for two in (2, 2.0, np.int32(2), np.uint8(2), np.float16(2), F64.type(2), np.array(2), np.array(2.0, F16)):
        for give in ({"alpha": two, "beta": 1.0}, {"beta": two}, {"alpha": two, "beta": two}):
            expected = 4.0 * float(give.get("alpha", 1)) + 3.0 * float(give["beta"])
            assert (run(a, a, np.empty((4, 4), F32), c, **give) == expected).all()


@pytest.mark.parametrize("size", [4, 5, 50])
@pytest.mark.parametrize("name", ["A", "B", "both"])
def test_a_product_is_not_computed_over_its_operands(size: int, name: str) -> None:
    """Results were written where later ones still had to read."""
    t, other = np.ones((size, size), F32), np.eye(size, dtype=F32)
    a, b = t if name != "B" else other, t if name != "A" else other
    for options in ({}, {"C": t, "beta": 1.0}, {"bias": np.ones(size, F32)}):
        with pytest.raises(errors.AliasError, match=f"^D: expected to share no memory with {'B' if name == 'B' else 'A'}"):
            cutl.op.Gemm(device="cpu").run(a, b, D=t, **options)
    assert (t == 1.0).all()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("m,n", [(6, 9), (7, 7), (1, 5), (5, 1)])
def test_axes_of_vectors_do_not_depend_on_the_result(rng: np.random.Generator, m: int, n: int, order: str) -> None:
    """Where sizes were equal, or the result was stored by columns, a vector was laid along the other axis."""
    a, b = ints(rng, (m, 3), F32), ints(rng, (3, n), F32)
    row, column = ints(rng, (n,), F32) * 10, ints(rng, (m, 1), F32) * 10
    for bias in (row, row[None], column):
        for c in (None, row, row[None]):
            d = np.full((m, n), np.nan, F32, order)
            run(a, b, d, c, beta=0.0 if c is None else 2.0, bias=bias)
            expected = exact(a, b) + np.broadcast_to(bias, (m, n)) + (0.0 if c is None else 2.0 * row)
            assert np.array_equal(d, expected)


@pytest.mark.parametrize("dtype", [F16, BF16, F32, E4M3, E5M2, np.dtype(np.int8)], ids=str)
def test_arrays_of_every_element_type_are_passed_on(driver: FakeDriver, dtype: np.dtype) -> None:
    """Some of the types that NumPy has from other packages could be copied to a GPU, and some could not."""

    def through(accum: Any, C: Any, x: Any) -> Any:  # noqa: N803
        D = cutl.epilogue.where(accum == 0.0, C, x)  # noqa: N806
        return D

    one, zero = np.ones((6, 5), F16), np.zeros((5, 9), F16)
    whole = np.full((12, 18), 1, dtype)
    c, d, x = whole[::2, ::2], np.zeros((6, 9), dtype), np.full((1, 1), 2, dtype)
    for device in ("cpu", "cuda"):
        plan = cutl.op.Gemm(device=device)
        plan.epilogue_visitor = cutl.epilogue.trace(through, {"accum": np.empty((6, 9), F32), "C": c, "x": x, "D": d})
        copies = driver.get("copiesIn")
        plan.run(one, zero, c, d, visitor_args={"x": x})
        # What the driver leaves in memory that nothing writes.
        assert (d.view(np.uint8) == 0xFF).all() if device == "cuda" else (d == c).all()
        assert driver.get("copiesIn") == copies + 4 * (device == "cuda")


#
# Offsets of 64 bits
#


def sparse(shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array of those strides in elements, of whose memory only what is touched exists."""
    size = (sum((extent - 1) * stride for extent, stride in zip(shape, strides)) + 1) * dtype.itemsize
    # MAP_NORESERVE
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000
    memory = np.frombuffer(mmap.mmap(-1, size, flags), np.uint8)[: size // dtype.itemsize * dtype.itemsize].view(dtype)
    return np.lib.stride_tricks.as_strided(memory, shape, [stride * dtype.itemsize for stride in strides])


FAR = {
    "elements from 2^31": (2**30 + 3, 3),
    "bytes from 2^31": (2**29 + 3, 3),
    "elements from 2^32": (2**32 + 5, 2),
    "one row from 2^31": (2**31 - 1, 2),
}


@pytest.mark.parametrize("stride,rows", FAR.values(), ids=FAR)
@pytest.mark.parametrize("name", ["A", "B", "C", "D", "bias", "batch of A", "batch of D"])
def test_offsets_beyond_32_bits(rng: np.random.Generator, name: str, stride: int, rows: int) -> None:
    """Offsets were 32-bit numbers: results lay before the array, or were those of other rows."""
    n, k = 5, 4
    batched = name.startswith("batch")
    if batched:
        arrays = {"A": ints(rng, (rows, 2, k), F16), "B": ints(rng, (k, n), F16), "D": np.full((rows, 2, n), np.nan, F16)}
        far = sparse(arrays[name[-1]].shape, (stride, 8, 1), F16)
    else:
        arrays = {
            "A": ints(rng, (rows, k), F16),
            "B": ints(rng, (k, rows if name in ("B", "bias") else n), F16),
            "C": ints(rng, (rows, n), F16),
            "bias": ints(rng, (rows if name in ("B", "bias") else n,), F16),
        }
        shape = (rows, arrays["B"].shape[1])
        arrays["C"], arrays["D"] = ints(rng, shape, F16), np.full(shape, np.nan, F16)
        far = sparse(arrays[name].shape, {"B": (1, stride), "bias": (stride,)}.get(name, (stride, 1)), F16)
    far[...] = arrays[name[-1] if batched else name]
    given = arrays | {name[-1] if batched else name: far}
    expected = exact(arrays["A"], arrays["B"])
    if not batched:
        expected = expected + 2.0 * arrays["C"] + arrays["bias"]
    cutl.op.Gemm(device="cpu").run(**given, beta=0.0 if batched else 2.0)
    assert np.array_equal(given["D"], expected)


def far_apart(torch: FakeTorch, *shapes: tuple[int, ...]) -> list[Tensor]:
    """Tensors of any size, which the driver that computes nothing has room for."""
    return [Tensor(DEVICE[0] + ((i + 1) << 40), shape, torch.float16) for i, shape in enumerate(shapes)]


@pytest.mark.parametrize(
    "a,b",
    [
        ((46341, 64), (64, 46341)),
        ((8209, 512, 8), (8209, 8, 512)),
        ((70000, 8, 8), (70000, 8, 8)),
        ((2**31 - 1, 8), (8, 8)),
        ((2**31 - 1, 8, 8), (8, 8)),
    ],
    ids=str,
)
def test_large_results_are_launched(
    driver: FakeDriver, torch: FakeTorch, a: tuple[int, ...], b: tuple[int, ...]
) -> None:
    """Sizes whose product exceeds 2^31, and more batches or tiles than a dimension of a grid has."""
    operands = far_apart(torch, a, b, (*a[:-1], b[-1]))
    if b[-1] % 8:
        operands[1] = far_apart(torch, a, b[::-1])[1].t()
    launches = driver.get("launches")
    cutl.op.Gemm(schedule="#cutl.data_parallel").run(operands[0], operands[1], None, operands[2])
    assert driver.get("launches") == launches + 1 and 0 < driver.get("grid") <= 132


@pytest.mark.parametrize("size", [2**31, 2**32, 2**32 + 8])
@pytest.mark.parametrize("dim", ["m", "k", "batch"])
def test_sizes_that_do_not_fit_are_named(driver: FakeDriver, torch: FakeTorch, dim: str, size: int) -> None:
    """Sizes were cut to 32 bits, and something smaller was computed."""
    m, k, batch = (size if dim == name else 8 for name in ("m", "k", "batch"))
    a, b, d = far_apart(torch, (batch, m, k), (k, 8), (batch, m, 8))
    if dim == "k":
        b = far_apart(torch, (), (8, k))[1].t()
    launches, position = driver.get("launches"), ("batch", "m", "k").index(dim)
    message = f"size of dimension {position} of 'A' to be at most 2147483647, got {size}"
    with pytest.raises(errors.LayoutError, match=message):
        cutl.op.Gemm().run(a, b, None, d)
    assert driver.get("launches") == launches


#
# Alignment
#


@pytest.mark.parametrize("name", ["A", "B"])
@pytest.mark.parametrize("orders", ["rr", "cc"])
def test_what_cannot_be_copied_in_boxes_is_repacked(
    driver: FakeDriver, torch: FakeTorch, orders: str, name: str
) -> None:
    """Addresses and pitches that TMA cannot have gave wrong numbers, or an error that named neither operand nor rule."""

    def matrices(pad: int = 0, offset: int = 0) -> list[Tensor]:
        shapes = {"A": (256, 128), "B": (128, 512)}
        found = []
        for each, order in zip("AB", orders):
            shape = shapes[each] if order == "r" else shapes[each][::-1]
            pitch = shape[1] + pad * (each == name)
            tensor = torch.tensor(shape, strides=(pitch, 1), offset=offset * (each == name))
            found.append(tensor if order == "r" else tensor.t())
        return [*found, torch.tensor((256, 512))]

    plan = cutl.op.Gemm()

    def run(repacked: str, **changes: int) -> None:
        launches = driver.get("launches")
        plan.run(*abd(matrices(**changes)))
        assert driver.get("launches") - launches == 1 + bool(repacked)
        found = re.search(r"repack = \[(.*?)\]", plan.config)
        assert (found.group(1) if found else "") == repacked

    # A call like one before is known, yet not if it is aligned otherwise.
    for _ in range(2):
        run("")
        for offset in (2, 4, 8, 14):
            run(name.lower(), offset=offset)
        for pad in (1, 2, 4, 7):
            run(name.lower(), pad=pad)
        run("", pad=8)
        run("", offset=32)


@pytest.mark.parametrize("name", ["A", "B"])
def test_a_configuration_that_does_not_repack_is_refused(driver: FakeDriver, torch: FakeTorch, name: str) -> None:
    config = "#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong"
    a, b, d = (torch.tensor(s) for s in ((256, 128), (128, 512), (256, 512)))
    odd = torch.tensor((256, 128) if name == "A" else (128, 512), strides=(999, 1))
    arguments = (odd, b, None, d) if name == "A" else (a, odd, None, d)
    with pytest.raises(errors.LayoutError, match=f"stride of dimension 0 of '{name}' to be a multiple of 16 bytes"):
        cutl.op.Gemm(config=f"{config}>").run(*arguments)
    launches = driver.get("launches")
    cutl.op.Gemm(config=f"{config}, repack = [{name.lower()}]>").run(*arguments)
    assert driver.get("launches") == launches + 2


@pytest.mark.parametrize("types", [("float8_e4m3fn", "float32"), ("int8", "int32"), ("float32", "float32")])
@pytest.mark.parametrize("orders", ["rr", "rc", "cr", "cc"])
def test_operands_in_an_order_that_no_instruction_takes(
    driver: FakeDriver, torch: FakeTorch, types: tuple[str, str], orders: str
) -> None:
    dtype, out = (getattr(torch, name) for name in types)
    a = torch.tensor((256, 128), dtype) if orders[0] == "r" else torch.tensor((128, 256), dtype).t()
    b = torch.tensor((128, 512), dtype) if orders[1] == "r" else torch.tensor((512, 128), dtype).t()
    launches = driver.get("launches")
    plan = cutl.op.Gemm(math_operation="tf32" if types[0] == "float32" else "multiply_add")
    plan.run(a, b, None, torch.tensor((256, 512), out))
    assert driver.get("launches") == launches + 1 + (orders[0] == "c") + (orders[1] == "r")


def test_strides_of_any_kind_are_repacked(driver: FakeDriver, torch: FakeTorch) -> None:
    """No dimension of stride one, columns that follow each other backwards in batches, and rows of one element."""
    d = torch.tensor((256, 512))
    b = torch.tensor((128, 512))
    launches = driver.get("launches")
    cutl.op.Gemm().run(torch.tensor((256, 128), strides=(512, 2)), b, None, d)
    assert driver.get("launches") == launches + 2
    cutl.op.Gemm().run(torch.tensor((256, 1), strides=(3, 1)), torch.tensor((1, 512)), None, d)
    assert driver.get("launches") == launches + 4


def test_sizes_need_no_alignment_and_neither_do_results(driver: FakeDriver, torch: FakeTorch) -> None:
    """Checks of sizes instead of strides, and of operands that no copy engine reads, refused what can run."""
    launches, count = driver.get("launches"), 0
    for m, n, k in ((255, 63, 97), (1, 1, 1), (7, 513, 9)):
        a = torch.tensor((m, k), strides=(-(-k // 8) * 8, 1))
        b = torch.tensor((n, k), strides=(-(-k // 8) * 8 + 8, 1)).t()
        for offset, pad in ((0, 0), (2, 1), (6, 3)):
            c, d = (torch.tensor((m, n), strides=(n + pad, 1), offset=offset) for _ in range(2))
            bias = torch.tensor((n,), torch.float32, offset=4)
            cutl.op.Gemm().run(a, b, c, d, beta=1.0, bias=bias)
            count += 1
    assert driver.get("launches") == launches + count


#
# Parts of K
#


@pytest.mark.parametrize("result", ["float16", "bfloat16", "float32"])
def test_parts_of_k_are_added_in_the_accumulators_type(driver: FakeDriver, torch: FakeTorch, result: str) -> None:
    """Parts that were rounded to the result's type before they were added lost all digits where they cancel."""
    element = torch.bfloat16 if result == "bfloat16" else torch.float16
    m, n, k = 64, 512, 4096
    a, b, d = torch.tensor((m, k), element), torch.tensor((k, n), element), torch.tensor((m, n), getattr(torch, result))
    for schedule, least in ((SPLIT_K, 4 * m * n * 4), ("#cutl.stream_k", m * n * 4), (TURNS, m * n * 4)):
        torch.allocated.clear()
        plan = cutl.op.Gemm(schedule=schedule)
        plan.run(a, b, None, d)
        assert len(torch.allocated) == 1 and torch.allocated[0] >= least, (schedule, torch.allocated)
        assert re.search(r"memref<[\dx?]*xf32", plan.ir("tiled")), schedule


@pytest.mark.parametrize("schedule", ["#cutl.data_parallel", SPLIT_K, "#cutl.stream_k", TURNS])
def test_no_sum_is_made_in_the_order_in_which_ctas_come(driver: FakeDriver, torch: FakeTorch, schedule: str) -> None:
    """Floats that several CTAs add to one address differ from run to run."""

    def reduce(accum: Any) -> Any:
        D = accum  # noqa: N806
        rows = cutl.epilogue.sum(accum, dim=1)
        columns = cutl.epilogue.sum(accum, dim=0)
        return D, rows, columns

    a, b, d = product(torch, 256, 512, 8192)
    plan = cutl.op.Gemm(schedule=schedule, deterministic=True)
    plan.run(a, b, None, d)
    texts = [plan.ptx]
    if schedule != SPLIT_K:
        rows, columns = torch.tensor((256,), torch.float32), torch.tensor((512,), torch.float32)
        plan.epilogue_visitor = cutl.epilogue.trace(reduce, {"accum": d, "D": d, "rows": rows, "columns": columns})
        plan.run(a, b, D=d, visitor_args={"rows": rows, "columns": columns})
        texts.append(plan.ptx)
    for text in texts:
        assert "wgmma" in text
        found = re.findall(r"^\s*(?:@\S+\s+)?((?:red|atom|multimem\.red)\.\S*f(?:16|32|64)\S*)", text, re.MULTILINE)
        assert not found, found


def test_parts_that_do_no_more_than_add_up(driver: FakeDriver, torch: FakeTorch) -> None:
    """An epilogue ran on each part of K; where it would, the schedule is refused, with one that can."""
    a, b, d = product(torch, 64, 512, 4096)
    bias, launches = torch.tensor((512,), torch.float32), driver.get("launches")
    for options, activation in (
        ({"bias": bias}, "identity"),
        ({"alpha": 0.5}, "identity"),
        ({"C": d, "beta": 1.0}, "identity"),
        ({}, "relu"),
    ):
        plan = cutl.op.Gemm(schedule=SPLIT_K)
        plan.activation = activation
        with pytest.raises(errors.DeviceError, match="expected outs.0. to be a sum over k.*nearest legal .*reduction = last_arriver"):
            plan.run(a, b, D=d, **options)
        assert driver.get("launches") == launches
        plan.schedule = "#cutl.split_k<4, reduction = last_arriver>"
        plan.run(a, b, D=d, **options)
        launches = driver.get("launches")
