"""Arrays in the memory of a GPU: PyTorch tensors, and what has `__cuda_array_interface__` or DLPack.

Each is described by a NumPy array over its address that is never read, so that shapes, strides and overlap are
checked by the same code as those of NumPy arrays.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from . import _cutl
from ._arrays import Array
from .dtypes import DataType
from .errors import ArgumentError, DeviceError, DTypeError, LayoutError, ShapeError

_CUDA = 2
# DLPack's numbers of kinds of types.
_DLPACK_KINDS = {0: "s", 1: "u", 2: "f", 4: "bf"}
_TORCH_NAMES = {
    "torch.float16": "f16",
    "torch.bfloat16": "bf16",
    "torch.float32": "f32",
    "torch.float64": "f64",
    "torch.float8_e4m3fn": "e4m3",
    "torch.float8_e5m2": "e5m2",
    "torch.int8": "s8",
    "torch.uint8": "u8",
    "torch.int32": "s32",
}
_MAX_RANK = 8


@dataclass(frozen=True)
class Tensor:
    """An array of a GPU, described."""

    array: Array
    dtype: DataType
    device: int
    # What its producer works on, if it says so.
    stream: Optional[int]


class _Unreadable(np.ndarray[Any, np.dtype[Any]]):
    """An array over memory of a GPU. Whoever shows it, a debugger or a traceback with its variables, must not read it."""

    def __repr__(self) -> str:
        return f"<array of shape {self.shape} on a GPU>"

    __str__ = __repr__


class _Interface:
    """What NumPy is told of memory that it cannot read."""

    def __init__(self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], item: int) -> None:
        self.__array_interface__ = {
            "version": 3,
            "data": (address, False),
            "shape": shape,
            "strides": strides,
            "typestr": f"<u{item}",
        }


def _torch() -> Any:
    """PyTorch if something has imported it."""
    return sys.modules.get("torch")


def is_torch(value: object) -> bool:
    torch = _torch()
    return torch is not None and isinstance(value, torch.Tensor)


def place(value: Any) -> str:
    """Where an operand is: "numpy", "cuda", the device of a tensor elsewhere ("cpu"), or "" for what is no array."""
    if isinstance(value, np.ndarray):
        return "numpy"
    if is_torch(value):
        return "cuda" if value.is_cuda else str(value.device)
    if hasattr(value, "__cuda_array_interface__"):
        return "cuda"
    if hasattr(value, "__dlpack_device__"):
        kind, _ = value.__dlpack_device__()
        return "cuda" if int(kind) == _CUDA else "cpu"
    return ""


def describe(name: str, value: Any) -> Tensor:
    """An operand for which `place` says "cuda"."""
    if is_torch(value):
        return _describe_torch(name, value)
    if hasattr(value, "__cuda_array_interface__"):
        return _describe_interface(name, value)
    return _describe_dlpack(name, value)


def _ghost(name: str, address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: DataType) -> Array:
    """Strides are in bytes."""
    if len(shape) > _MAX_RANK:
        raise ShapeError(f"{name}: expected at most {_MAX_RANK} dimensions, got shape {shape}")
    item = dtype.bits // 8
    if address % item or any(stride % item for stride, size in zip(strides, shape) if size > 1):
        raise LayoutError(
            f"{name}: expected elements aligned to {item} bytes, got address {address:#x} and strides {strides} bytes"
        )
    # NumPy 1.24 takes no address to be no interface. What is empty has any.
    if 0 in shape:
        address = address or item
    return np.asarray(_Interface(address, shape, strides, item)).view(_Unreadable)


def _describe_torch(name: str, tensor: Any) -> Tensor:
    torch = _torch()
    known = _TORCH_NAMES.get(str(tensor.dtype))
    if known is None or known not in DataType:
        raise DTypeError(f"{name}: expected one of {', '.join(_TORCH_NAMES)}, got {tensor.dtype}")
    if tensor.layout is not torch.strided:
        raise LayoutError(f"{name}: expected a strided tensor, got one of layout {tensor.layout}")
    dtype: DataType = DataType[known]
    strides = tuple(s * (dtype.bits // 8) for s in tensor.stride())
    array = _ghost(name, tensor.data_ptr(), tuple(tensor.shape), strides, dtype)
    return Tensor(array, dtype, tensor.get_device(), None)


def _describe_interface(name: str, value: Any) -> Tensor:
    interface = value.__cuda_array_interface__
    try:
        numpy = np.dtype(interface["typestr"])
        dtype = next((t for t in DataType if t._numpy_name and "." not in t._numpy_name and t.numpy == numpy), None)
        shape, (address, _) = tuple(interface["shape"]), interface["data"]
        strides = interface.get("strides")
        if strides is None:
            strides = _row_major(shape, numpy.itemsize)
    except (KeyError, TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: expected a valid __cuda_array_interface__, got {interface!r}: {error}") from None
    if interface.get("mask") is not None:
        raise DTypeError(f"{name}: expected an array without a mask, got one with a mask")
    if dtype is None:
        raise DTypeError(f"{name}: expected an element type of NumPy that cutl has, got {interface['typestr']}")
    array = _ghost(name, address or 0, shape, tuple(strides), dtype)
    return Tensor(array, dtype, _ordinal(value), interface.get("stream"))


def _row_major(shape: tuple[int, ...], item: int) -> tuple[int, ...]:
    strides = []
    for size in reversed(shape):
        strides.append(item)
        item *= size
    return tuple(reversed(strides))


def _ordinal(value: Any) -> int:
    """The device of an array, which its interface does not tell."""
    device = getattr(value, "device", None)
    ordinal = getattr(device, "id", getattr(device, "index", None))
    if isinstance(ordinal, int):
        return ordinal
    if hasattr(value, "__dlpack_device__"):
        return int(value.__dlpack_device__()[1])
    return 0


def _describe_dlpack(name: str, value: Any) -> Tensor:
    try:
        address, kind, bits, shape, strides, device = _cutl.read_dlpack(value)
    except (TypeError, RuntimeError, BufferError) as error:
        raise DeviceError(f"{name}: expected an array that DLPack can pass on, got {error}") from None
    label = f"{_DLPACK_KINDS.get(kind, '?')}{bits}"
    if label not in DataType:
        raise DTypeError(f"{name}: expected an element type that cutl has, got DLPack's kind {kind} of {bits} bits")
    dtype: DataType = DataType[label]
    array = _ghost(name, address, shape, tuple(s * (bits // 8) for s in strides), dtype)
    return Tensor(array, dtype, device, None)


def stream_of(value: Any) -> int:
    """A CUDA stream as a number, from one, a `torch.cuda.Stream` or what has `__cuda_stream__`."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    handle = getattr(value, "cuda_stream", None)
    if handle is None and hasattr(value, "__cuda_stream__"):
        protocol = value.__cuda_stream__
        handle = (protocol() if callable(protocol) else protocol)[1]
    if not isinstance(handle, int):
        raise ArgumentError(f"stream: expected a CUDA stream as a number or an object that has one, got {value!r}")
    return handle


def stream_of_producers(tensors: dict[str, Any]) -> int:
    """The stream that arrays are ready on, if they name one and only one, else the default stream."""
    streams = {describe(name, value).stream for name, value in tensors.items()} - {None}
    return int(streams.pop() or 0) if len(streams) == 1 else 0


def current_stream(device: int) -> int:
    """PyTorch's current stream of a device."""
    torch = _torch()
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return int(raw(device) if raw is not None else torch.cuda.current_stream(device).cuda_stream)


def stream_reader() -> Any:
    """What a call asks for the current stream of a device: PyTorch's own function if it has one."""
    return getattr(_torch()._C, "_cuda_getCurrentRawStream", None) or current_stream


def allocate(device: int, size: int, stream: int) -> Any:
    """Memory of PyTorch's allocator that is not used again before the stream is done with it."""
    torch = _torch()
    memory = torch.empty(size, dtype=torch.uint8, device=f"cuda:{device}")
    if stream != current_stream(device):
        memory.record_stream(torch.cuda.ExternalStream(stream, device=device))
    return memory
