"""Matrix products on a GPU: which kernel, on what memory, and how a call is repeated."""

from __future__ import annotations

import math
import threading
from typing import Any, Optional

import numpy as np

from .. import _arrays, _compiler, _cutl, _gpu, _tensors
from .._arrays import Array, Operand
from .._compiler import GemmSpec, GpuKernel
from .._gpu import Gpu
from ._problem import Problem, scalars_of

# Operands in the order of the cache's arguments.
_SOURCES = {"A": 0, "B": 1, "C": 2, "D": 3, "bias": 4}

# What TMA wants pitches and addresses to be multiples of.
_PITCH_BYTES = 16


def spec_for(problem: Problem, packed: bool) -> GemmSpec:
    """What the kernel of a problem depends on, beside its configuration. A factor of one is left out of it."""
    spec = problem.spec(has_alpha=problem.alpha != 1.0 or problem.c is not None)
    return spec.with_unit_strides() if packed else spec


def choose(spec: GemmSpec, problem: Problem, chip: str) -> GemmSpec:
    """The spec with the configuration that the compiler chooses for the problem's sizes."""
    return _compiler.configure(spec, chip, (problem.m, problem.n, problem.k), problem.batch)


class Launcher:
    """What one plan keeps for its runs on GPUs."""

    def __init__(self, alpha: float, beta: float) -> None:
        self.cache = _cutl.LaunchCache(alpha, beta)
        self._types: set[type] = set()
        self._workspaces: dict[tuple[int, int], _cutl.Buffer] = {}
        # Of NumPy arrays' copies, by device and operand.
        self._buffers: dict[tuple[int, str], _cutl.Buffer] = {}
        self._lock = threading.Lock()

    def run_tensors(
        self,
        problem: Problem,
        kernel: GpuKernel,
        spec: GemmSpec,
        gpu: Gpu,
        tensors: dict[str, Any],
        stream: Optional[int],
    ) -> None:
        """Runs in place on memory of the GPU, and remembers how."""
        with _gpu.errors():
            gpu.device.prepare(kernel.bundle, kernel.entry)
        if all(map(_tensors.is_torch, tensors.values())):
            self._remember(problem, kernel, spec, gpu, tensors)
            if stream is None:
                stream = _tensors.current_stream(gpu.ordinal)
            allocate = _tensors.allocate
        else:
            if stream is None:
                stream = _stream_of_producers(tensors)
            allocate = self._allocate
        operands = [
            (o.array.ctypes.data, o.dtype._code, o.sizes, o.strides) for o in problem.operands()
        ]
        self._launch(kernel, gpu, operands, scalars_of(spec, problem.alpha, problem.beta), stream, allocate)

    def run_arrays(self, problem: Problem, kernel: GpuKernel, spec: GemmSpec, gpu: Gpu) -> None:
        """Copies NumPy arrays to the GPU, runs there, and copies D back."""
        stream = gpu.stream
        with self._lock:
            operands, out = [], None
            for operand in problem.operands():
                copy = _HostCopy(operand)
                with _gpu.errors():
                    buffer = self._buffer(gpu, operand.name, copy.bytes)
                    if operand is problem.output:
                        out = copy, buffer
                    else:
                        copy.fill()
                        buffer.copy_in(copy.address, copy.bytes, stream)
                operands.append((buffer.data_ptr(), operand.dtype._code, operand.sizes, copy.strides))
            scalars = scalars_of(spec, problem.alpha, problem.beta)
            self._launch(kernel, gpu, operands, scalars, stream, self._allocate)
            assert out is not None
            with _gpu.errors():
                out[1].copy_out(out[0].address, out[0].bytes, stream)
            out[0].give_back()

    def _launch(
        self,
        kernel: GpuKernel,
        gpu: Gpu,
        operands: list[Any],
        scalars: list[tuple[float, int]],
        stream: int,
        allocate: Any,
    ) -> None:
        with _gpu.errors():
            size = gpu.device.workspace_bytes(kernel.bundle, kernel.entry, operands, scalars)
            memory = allocate(gpu.ordinal, size, stream) if size else None
            address = memory.data_ptr() if memory is not None else 0
            gpu.device.launch(kernel.bundle, kernel.entry, operands, scalars, address, size, stream)

    def _remember(
        self, problem: Problem, kernel: GpuKernel, spec: GemmSpec, gpu: Gpu, tensors: dict[str, Any]
    ) -> None:
        spans: list[Optional[tuple[int, int]]] = [None] * len(_SOURCES)
        operands = []
        for operand in problem.operands():
            source = _SOURCES[operand.name]
            operands.append((source, operand.dtype._code, operand.sizes, operand.strides))
            spans[source] = _arrays.span(operand.array)
        # Which of alpha and beta the kernel takes, with their types.
        numbers = [(int(which), code) for which, code in scalars_of(spec, 0, 1)]
        prepared = _cutl.Prepared(gpu.device, kernel.bundle, kernel.entry, operands, numbers, spans)
        for tensor in tensors.values():
            if type(tensor) not in self._types:
                self._types.add(type(tensor))
                self.cache.add_type(type(tensor))
        self.cache.set_host(_tensors.stream_reader(), _tensors.allocate)
        self.cache.add(
            tensors["A"],
            tensors["B"],
            tensors.get("C"),
            tensors["D"],
            tensors.get("bias"),
            problem.alpha,
            problem.beta,
            prepared,
        )

    def _buffer(self, gpu: Gpu, name: str, size: int) -> _cutl.Buffer:
        """Memory for an operand's copy, kept for the next run."""
        key = (gpu.ordinal, name)
        buffer = self._buffers.get(key)
        if buffer is None or buffer.bytes < size:
            self._buffers.pop(key, None)
            buffer = self._buffers[key] = _cutl.Buffer(gpu.device, size)
        return buffer

    def _allocate(self, ordinal: int, size: int, stream: int) -> _cutl.Buffer:
        """A workspace of the plan's own; one for each stream, on which its users follow each other."""
        key = (ordinal, stream)
        buffer = self._workspaces.get(key)
        if buffer is None or buffer.bytes < size:
            self._workspaces.pop(key, None)
            buffer = self._workspaces[key] = _cutl.Buffer(_gpu.get(ordinal).device, size)
        return buffer


def _stream_of_producers(tensors: dict[str, Any]) -> int:
    """The stream that the arrays are ready on, if they name one, else the default stream."""
    streams = {_tensors.describe(name, value).stream for name, value in tensors.items()} - {None}
    return int(streams.pop() or 0) if len(streams) == 1 else 0


class _HostCopy:
    """How one NumPy array is passed to a GPU: the order of its dimensions kept, its rows padded for TMA."""

    def __init__(self, operand: Operand) -> None:
        item = operand.array.dtype.itemsize
        sizes = operand.sizes
        width = sizes[-1]
        unit = max(1, _PITCH_BYTES // item)
        pitch = -(-width // unit) * unit if len(sizes) > 1 else width
        padded = (*sizes[:-1], pitch)
        self.strides = tuple(math.prod(padded[i + 1 :]) for i in range(len(sizes)))
        # The array with its dimensions in the operand's order.
        self._view: Array = np.lib.stride_tricks.as_strided(
            operand.array, sizes, tuple(s * item for s in operand.strides)
        )
        dense = all(s == t for s, t, n in zip(operand.strides, self.strides, sizes) if n > 1)
        self._width = width
        self._staged: Optional[Array] = None
        if not dense or pitch != width:
            self._staged = np.zeros(padded, operand.array.dtype)
        memory = self._view if self._staged is None else self._staged
        self._memory = memory
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
