"""Memory of a GPU that is the package's own: copies of NumPy arrays, and workspaces."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from . import _cutl, _gpu
from ._arrays import Array
from ._gpu import Gpu

# What TMA wants pitches to be multiples of.
_PITCH_BYTES = 16


def padded_strides(sizes: Sequence[int], item: int) -> tuple[int, ...]:
    """Strides in elements of an array whose rows are padded for TMA."""
    unit = max(1, _PITCH_BYTES // item)
    padded = (*sizes[:-1], -(-sizes[-1] // unit) * unit) if len(sizes) > 1 else tuple(sizes)
    return tuple(math.prod(padded[i + 1 :]) for i in range(len(sizes)))


class HostCopy:
    """How a NumPy array is passed to a GPU: dense in the order of its dimensions, rows padded for TMA if allowed."""

    def __init__(self, view: Array, padded: bool) -> None:
        item, sizes = view.dtype.itemsize, view.shape
        width = sizes[-1] if sizes else 1
        unit = max(1, _PITCH_BYTES // item) if padded and len(sizes) > 1 else 1
        outer = (*sizes[:-1], -(-width // unit) * unit)
        self.sizes = sizes
        # In elements.
        self.strides = tuple(math.prod(outer[i + 1 :]) for i in range(len(sizes)))
        self._view, self._width = view, width
        dense = all(s == t * item for s, t, n in zip(view.strides, self.strides, sizes) if n > 1)
        whole = not sizes or outer[-1] == width
        self._staged: Optional[Array] = None if dense and whole else np.zeros(outer, view.dtype)
        memory = view if self._staged is None else self._staged
        self.bytes = memory.size * item
        self.address = memory.ctypes.data

    def fill(self) -> None:
        """Makes the memory at `address` what the GPU is to have."""
        if self._staged is not None:
            self._staged[..., : self._width] = self._view

    def give_back(self) -> None:
        """Puts what the GPU has left at `address` into the array."""
        if self._staged is not None:
            self._view[...] = self._staged[..., : self._width]


class DeviceMemory:
    """What one plan or program keeps on GPUs from one run to the next."""

    def __init__(self) -> None:
        self._copies: dict[tuple[int, int], _cutl.Buffer] = {}
        self._workspaces: dict[tuple[int, int], _cutl.Buffer] = {}
        # Held while the copies are in use.
        self._lock = threading.Lock()

    def run(
        self,
        gpu: Gpu,
        bundle: _cutl.Bundle,
        entry: str,
        arrays: Sequence[tuple[HostCopy, int, bool, bool]],
        scalars: list[tuple[float, int]],
    ) -> None:
        """Runs an entry on copies of arrays: each with its element type, and whether it is read and is written."""
        stream = gpu.stream
        with self._lock, _gpu.errors():
            operands = []
            for i, (copy, code, read, _) in enumerate(arrays):
                buffer = self._buffer(self._copies, gpu, i, copy.bytes)
                if read:
                    copy.fill()
                    buffer.copy_in(copy.address, copy.bytes, stream)
                operands.append((buffer.data_ptr(), code, copy.sizes, copy.strides))
            launch(gpu, bundle, entry, operands, scalars, stream, self.workspace)
            for i, (copy, _, _, written) in enumerate(arrays):
                if written:
                    self._copies[gpu.ordinal, i].copy_out(copy.address, copy.bytes, stream)
                    copy.give_back()
            gpu.device.synchronize(stream)

    def workspace(self, ordinal: int, size: int, stream: int) -> _cutl.Buffer:
        """Memory for a launch; one for each stream, on which its users follow each other."""
        return self._buffer(self._workspaces, _gpu.get(ordinal), stream, size)

    @staticmethod
    def _buffer(buffers: dict[tuple[int, int], _cutl.Buffer], gpu: Gpu, name: int, size: int) -> _cutl.Buffer:
        key = (gpu.ordinal, name)
        buffer = buffers.get(key)
        if buffer is None or buffer.bytes < size:
            # Freed before the larger one is made.
            del buffer
            buffers.pop(key, None)
            buffer = buffers[key] = _cutl.Buffer(gpu.device, size)
        return buffer


def launch(
    gpu: Gpu,
    bundle: _cutl.Bundle,
    entry: str,
    operands: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]],
    scalars: list[tuple[float, int]],
    stream: int,
    allocate: Any,
) -> None:
    """Puts an entry on a stream, in a workspace from `allocate(device, bytes, stream)`."""
    with _gpu.errors():
        size = gpu.device.workspace_bytes(bundle, entry, operands, scalars)
        memory = allocate(gpu.ordinal, size, stream) if size else None
        address = 0 if memory is None else memory.data_ptr()
        gpu.device.launch(bundle, entry, operands, scalars, address, size, stream)
