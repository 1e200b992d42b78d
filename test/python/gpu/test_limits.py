"""Ends of what there is, on a GPU: offsets of 64 bits, more tiles than a grid has, and memory behind which there is none.

Needs 12 GiB of free memory for most of it. Without pytest: `python test/python/gpu/test_limits.py`.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from typing import Any

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
import script  # noqa: E402

CONFIGS = (
    "",
    "#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative, cluster = [2, 1]>",
    "#cutl.tile_config<cta = [128, 104, 64], stages = 4, kernel = pingpong>",
    "#cutl.tile_config<cta = [64, 32, 128], stages = 6, kernel = single, swap_operands = true>",
)


def has_room(gib: int) -> bool:
    torch.cuda.empty_cache()
    if torch.cuda.mem_get_info()[0] >= gib << 30:
        return True
    if pytest is not None and "PYTEST_CURRENT_TEST" in os.environ:
        pytest.skip(f"needs {gib} GiB of free memory")
    print(f"skipped, since it needs {gib} GiB of free memory")
    return False


def integers(*shape: int, dtype: Any = torch.float16) -> Any:
    generator = torch.Generator("cuda").manual_seed(sum(shape))
    return torch.randint(-2, 3, shape, generator=generator, device="cuda").to(dtype)


def check(d: Any, a: Any, b: Any, step: int, *what: Any) -> None:
    """Equality, some rows or batches at a time; of integers so small TF32 is exact too."""
    for start in range(0, d.shape[0], step):
        expected = a[start : start + step].float() @ (b[start : start + step] if b.dim() == 3 else b).float()
        assert torch.equal(d[start : start + step].float(), expected), (*what, start)


#
# Offsets
#


def test_results_of_more_than_2_to_the_31_elements() -> None:
    """The number of elements, a product of two that fit, did not fit 32 bits."""
    if not has_room(12):
        return
    size, k = 46341, 64
    a, b = integers(size, k, dtype=torch.bfloat16), integers(size, k, dtype=torch.bfloat16).t()
    # Rows of the one begin anywhere, those of the other where the copy engine can store them.
    for pitch in (size, 46344):
        whole = torch.full((size, pitch), float("nan"), dtype=torch.bfloat16, device="cuda")
        cutl.op.Gemm().run(a, b, None, whole[:, :size])
        check(whole[:, :size], a, b, 4096, pitch)
        assert bool(whole[:, size:].isnan().all()), pitch
        del whole


def test_batches_of_more_than_2_to_the_31_elements() -> None:
    """Results of the batches past the limit lay before the array."""
    if not has_room(12):
        return
    batch, size = 8209, 512
    a, b = integers(batch, 1, size).mT, integers(batch, 1, size)
    d = torch.full((batch, size, size), float("nan"), device="cuda")
    cutl.op.Gemm().run(a, b, None, d)
    check(d, a, b, 256)


def test_operands_that_reach_beyond_2_to_the_31_elements() -> None:
    if not has_room(12):
        return
    pitch, rows = 2**30 + 8, 3
    memory = torch.empty(2 * pitch + 1024, dtype=torch.float16, device="cuda")
    a, b, c = integers(rows, 64), integers(rows, 64), integers(rows, 64)
    square = integers(64, 64)
    for name in ("A", "B", "C", "D"):
        memory.fill_(float("nan"))
        far = memory.as_strided((rows, 64), (pitch, 1))
        operands = {"A": a, "B": square, "C": c, "D": torch.full((rows, 64), float("nan"), device="cuda").half()}
        if name == "B":
            operands = {"A": square, "B": far.t(), "C": integers(64, rows), "D": torch.empty((64, rows), device="cuda").half()}
            far.copy_(b)
        else:
            far.copy_(operands[name])
            operands[name] = far
        expected = operands["A"].double() @ operands["B"].double() + 2.0 * operands["C"].double()
        for config in CONFIGS:
            operands["D"].fill_(float("nan"))
            cutl.op.Gemm(config=config).run(*operands.values(), beta=2.0)
            assert torch.equal(operands["D"].double(), expected), (name, config)
    a, d = integers(rows, 8, 64), torch.full((rows, 8, 64), float("nan"), device="cuda").half()
    far = memory.as_strided((rows, 8, 64), (pitch, 64, 1))
    for name in ("A", "D"):
        memory.fill_(float("nan"))
        operands = {"A": far.copy_(a) if name == "A" else a, "D": far if name == "D" else d}
        cutl.op.Gemm().run(operands["A"], square, None, operands["D"])
        assert torch.equal(operands["D"].double(), a.double() @ square.double()), name


def test_operands_of_more_than_2_to_the_32_elements() -> None:
    """Elements of the last rows were those of the first."""
    if not has_room(12):
        return
    rows, k, step = 2**17 + 3, 2**15 + 64, 4099
    a, b = torch.empty((rows, k), dtype=torch.float16, device="cuda"), integers(8, k).t()
    for start in range(0, rows, step):
        part = a[start : start + step]
        part.copy_(integers(*part.shape))
        # Rows that differ from one part to the next.
        part[:, 0] = start // step % 7
    d = torch.full((rows, 8), float("nan"), device="cuda")
    cutl.op.Gemm().run(a, b, None, d)
    check(d, a, b, step)


def test_more_tiles_than_a_dimension_of_a_grid_has() -> None:
    """2^16 of them, in M, in N or in batches."""
    long, wide = 2**23 + 5, 8
    for config in CONFIGS:
        a, b = integers(long, wide), integers(wide, wide)
        d = torch.full((long, wide), float("nan"), device="cuda")
        cutl.op.Gemm(config=config).run(a, b, None, d)
        check(d, a, b, long, config)
        d = torch.full((wide, long), float("nan"), device="cuda")
        cutl.op.Gemm(config=config).run(b, a.t(), None, d)
        check(d, b, a.t(), wide, config)
        a, b = integers(70000, 8, 64), integers(70000, 64, 8)
        d = torch.full((70000, 8, 8), float("nan"), device="cuda")
        cutl.op.Gemm(config=config).run(a, b, None, d)
        check(d, a, b, 70000, config)


#
# Memory behind which there is none
#


class Location(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("id", ctypes.c_int)]


class Properties(ctypes.Structure):
    """CUmemAllocationProp"""

    _fields_ = [
        ("kind", ctypes.c_int),
        ("handles", ctypes.c_int),
        ("location", Location),
        ("metadata", ctypes.c_void_p),
        ("flags", ctypes.c_uint8 * 8),
    ]


class Access(ctypes.Structure):
    """CUmemAccessDesc"""

    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


class AtTheEnd:
    """An array whose last byte is the last that is mapped: what reads or writes behind it is an illegal access."""

    def __init__(self, array: np.ndarray, unit: int) -> None:
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.shape, self.dtype = array.shape, array.dtype
        rows = array.reshape(-1, array.shape[-1])
        # Rows begin at multiples of so many bytes.
        pitch = -(-rows.shape[1] * array.itemsize // unit) * unit
        self.staged = np.zeros((rows.shape[0], pitch), np.uint8)
        self.staged[:, : rows.shape[1] * array.itemsize] = np.ascontiguousarray(rows).view(np.uint8)
        device = Location(1, torch.cuda.current_device())
        properties = Properties(1, 0, device, None)
        granularity = ctypes.c_size_t()
        self._call("cuMemGetAllocationGranularity", ctypes.byref(granularity), ctypes.byref(properties), ctypes.c_int(0))
        size = -(-self.staged.size // granularity.value) * granularity.value
        base, handle = ctypes.c_uint64(), ctypes.c_uint64()
        zero, mapped = ctypes.c_uint64(0), ctypes.c_size_t(size)
        whole = ctypes.c_size_t(size + granularity.value)
        self._call("cuMemAddressReserve", ctypes.byref(base), whole, ctypes.c_size_t(0), zero, zero)
        self._call("cuMemCreate", ctypes.byref(handle), mapped, ctypes.byref(properties), zero)
        self._call("cuMemMap", base, mapped, ctypes.c_size_t(0), handle, zero)
        access = Access(device, 3)
        self._call("cuMemSetAccess", base, mapped, ctypes.byref(access), ctypes.c_size_t(1))
        self.address = base.value + size - self.staged.size
        self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(self.address), self.staged.ctypes.data_as(ctypes.c_void_p),
                   ctypes.c_size_t(self.staged.size))
        strides = (pitch, array.itemsize) if array.ndim == 2 else (array.itemsize,)
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (self.address, False),
            "strides": strides,
            "version": 3,
        }

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self.driver, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: {status}")

    def read(self) -> np.ndarray:
        self._call("cuMemcpyDtoH_v2", self.staged.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(self.address),
                   ctypes.c_size_t(self.staged.size))
        width = self.shape[-1] * self.dtype.itemsize
        return np.ascontiguousarray(self.staged[:, :width]).view(self.dtype).reshape(self.shape)


def run_at_the_end() -> None:
    """Products all of whose operands lie so; the process has to end if one of them fails."""

    def scaled(accum: Any, rows: Any, columns: Any) -> Any:
        D = accum * rows * columns  # noqa: N806
        return D

    rng = np.random.default_rng(0)
    torch.zeros(1, device="cuda")
    for m, n, k in ((8352, 1536, 256), (130, 203, 72), (1, 1, 8), (61, 7, 40), (257, 136, 1000)):
        a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((m, k), (n, k)))
        c = rng.integers(-2, 3, (m, n)).astype(np.float32)
        rows, columns = (2.0 ** rng.integers(-1, 2, size).astype(np.float32) for size in ((m, 1), (n,)))
        product = a.astype(np.float32) @ b.T.astype(np.float32)
        poison = np.full((m, n), np.nan, np.float32)
        on_gpu = [AtTheEnd(x, unit) for x, unit in ((a, 16), (b, 16), (c, 4), (rows, 4), (columns, 4))]
        # Rows of B are columns of the operand.
        interface = on_gpu[1].__cuda_array_interface__
        interface |= {"shape": interface["shape"][::-1], "strides": interface["strides"][::-1]}
        for config in CONFIGS:
            for schedule in ("#cutl.data_parallel", "#cutl.stream_k"):
                plan, d = cutl.op.Gemm(config=config, schedule=schedule), AtTheEnd(poison, 4)
                plan.run(on_gpu[0], on_gpu[1], on_gpu[2], d, beta=2.0, bias=on_gpu[4])
                torch.cuda.synchronize()
                assert np.array_equal(d.read(), product + 2.0 * c + columns), (m, n, k, config, schedule)
                plan.epilogue_visitor = cutl.epilogue.trace(
                    scaled, {"accum": poison, "rows": rows, "columns": columns, "D": poison}
                )
                d = AtTheEnd(poison, 4)
                plan.run(on_gpu[0], on_gpu[1], D=d, visitor_args={"rows": on_gpu[3], "columns": on_gpu[4]})
                torch.cuda.synchronize()
                assert np.array_equal(d.read(), product * rows * columns), (m, n, k, config, schedule)


def test_nothing_behind_an_operand_is_touched() -> None:
    """Scales were read for rows that a last tile has and the matrix has not, which shows where no memory follows."""
    done = subprocess.run([sys.executable, __file__, "--at-the-end"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]


if __name__ == "__main__":
    if sys.argv[1:] == ["--at-the-end"]:
        run_at_the_end()
    else:
        sys.exit(script.main(globals()))
