"""A CUDA driver that computes nothing, and tensors that stand in for PyTorch's, for tests where there is no GPU."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import Any, Optional

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
# Addresses of the fake's devices that nothing is allocated at.
DEVICE = (0x100000000000, 0x200000000000)


def build_driver(folder: Path) -> Path:
    """The stand-in of the runtime's unit tests as a shared library."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang", "clang-22"))), None)
    assert compiler, "expected a C compiler to build the driver that stands in for CUDA's"
    library = folder / "libcuda.so.1"
    source = ROOT / "test/unit/Runtime/FakeCuda.c"
    include = f"-I{ROOT / 'lib/Runtime'}"
    subprocess.run([compiler, "-std=gnu11", "-shared", "-fPIC", include, source, "-o", library], check=True)
    return library


class FakeDriver:
    """The library from the side of the test: numbers by name."""

    DEFAULTS = {
        "driverVersion": 13000,
        "initResult": 0,
        "deviceCount": 2,
        "major": 9,
        "minor": 0,
        "loadResult": 0,
        "launchResult": 0,
        "memoryBytes": 0,
    }

    def __init__(self, path: Path) -> None:
        self.path = path
        self._library = ctypes.CDLL(str(path))
        self._library.fakeGet.restype = ctypes.c_longlong
        for name, value in self.DEFAULTS.items():
            self.set(name, value)

    def set(self, name: str, value: int) -> None:
        assert self._library.fakeSet(name.encode(), ctypes.c_longlong(value)) == 0, name

    def get(self, name: str) -> int:
        return int(self._library.fakeGet(name.encode()))


class DType:
    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"torch.{self.name}"


class Tensor:
    """What the package asks of a tensor."""

    layout = "strided"

    def __init__(
        self,
        address: int,
        shape: tuple[int, ...],
        dtype: DType,
        strides: Optional[tuple[int, ...]] = None,
        device: int = 0,
    ) -> None:
        if strides is None:
            strides = tuple(int(np.prod(shape[i + 1 :])) for i in range(len(shape)))
        self.shape, self.dtype = shape, dtype
        self._address, self._strides, self._device = address, strides, device

    @property
    def is_cuda(self) -> bool:
        return self._device >= 0

    @property
    def device(self) -> str:
        return f"cuda:{self._device}" if self.is_cuda else "cpu"

    def get_device(self) -> int:
        return self._device

    def data_ptr(self) -> int:
        return self._address

    def stride(self) -> tuple[int, ...]:
        return self._strides

    def t(self) -> Tensor:
        return Tensor(self._address, self.shape[::-1], self.dtype, self._strides[::-1], self._device)


class FakeTorch(types.ModuleType):
    """As much of PyTorch as the package uses."""

    Tensor = Tensor
    strided = "strided"

    def __init__(self) -> None:
        super().__init__("torch")
        floats = ("float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2")
        for name in (*floats, "complex64", "int8", "uint8", "int32"):
            setattr(self, name, DType(name))
        self.current = 0
        self.asked = 0
        self.allocated: list[int] = []
        self._next = [base + (1 << 36) for base in DEVICE]
        self._C = types.SimpleNamespace(_cuda_getCurrentRawStream=self._current_stream)

    def _current_stream(self, device: int) -> int:
        self.asked += 1
        return self.current

    def empty(self, size: int, dtype: Any, device: str) -> Tensor:
        self.allocated.append(size)
        return self.tensor((size,), dtype, device=int(device.removeprefix("cuda:")))

    def tensor(
        self,
        shape: tuple[int, ...],
        dtype: Any = None,
        strides: Optional[tuple[int, ...]] = None,
        device: int = 0,
        offset: int = 0,
    ) -> Tensor:
        """A tensor at an address of its own."""
        address = self._next[max(device, 0)] + offset
        self._next[max(device, 0)] += 1 << 28
        return Tensor(address, shape, dtype or self.float16, strides, device)


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_kind", ctypes.c_int),
        ("device", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("kind", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
        # Of the managed tensor that this begins.
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


# What capsules point to, which nobody frees.
_capsules: list[Any] = []


def make_capsule(tensor: Tensor, kind: int, device_kind: int) -> object:
    """A tensor as DLPack passes it on."""
    rank = len(tensor.shape)
    shape, strides = ((ctypes.c_int64 * rank)(*values) for values in (tensor.shape, tensor.stride()))
    bits = {"bfloat16": 16, "float16": 16, "float32": 32, "complex64": 64}[tensor.dtype.name]
    struct = _DLTensor(
        tensor.data_ptr(), device_kind, max(tensor.get_device(), 0), rank, kind, bits, 1, shape, strides, 0, None, None
    )
    name = b"dltensor"
    _capsules.append((struct, shape, strides, name))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(ctypes.addressof(struct), name, None)


def install_torch(monkeypatch: Any) -> FakeTorch:
    torch = FakeTorch()
    monkeypatch.setitem(sys.modules, "torch", torch)
    return torch


def product(
    torch: FakeTorch, m: int = 256, n: int = 512, k: int = 128, **options: Any
) -> tuple[Tensor, Tensor, Tensor]:
    return tuple(torch.tensor(shape, **options) for shape in ((m, k), (k, n), (m, n)))


def abd(operands: tuple[Tensor, Tensor, Tensor]) -> tuple[Any, ...]:
    a, b, d = operands
    return a, b, None, d
