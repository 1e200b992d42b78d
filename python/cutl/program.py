"""Functions written as IR, compiled and called from Python."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from . import _arrays, _compiler, _cutl, _gpu, _tensors
from ._arrays import Array
from ._device_memory import DeviceMemory, HostCopy, launch
from ._gpu import Gpu
from ._stages import DEFAULT_CHIP, Stage, check_chip, explain, show
from .dtypes import DataType, from_numpy
from .errors import ArgumentError, CompileError, DeviceError, LayoutError

__all__ = ["Program", "load"]


@dataclass
class _Argument:
    """An array of a call: itself, what it is known by, and where it is."""

    name: str
    value: Any
    array: Array
    dtype: DataType
    device: Optional[int]


class Program:
    """A module of functions over `cutl` ops, compiled when a function is first called.

    Every public function can be called on the CPU; on a GPU those that do nothing but products, with nothing between
    them that needs the host. Tensor or memref arguments are NumPy arrays, used in place with their own strides, or
    arrays on a GPU; numbers are NumPy scalars of the argument's type (`numpy.float32(0.5)`). A result that is a
    destination argument is written there; any other result is a further array argument at the end. An array that the
    function may write has to be writable and to share no memory with another argument.
    """

    def __init__(self, text: Union[str, bytes], name: str = "<text>") -> None:
        """Parses and verifies a module; raises `cutl.errors.CompileError` with the place of a mistake."""
        self._module = _compiler.parse(text, name)
        self._executable: Optional[_cutl.Executable] = None
        # By chip; or why there is none.
        self._bundles: dict[str, Union[_cutl.Bundle, CompileError]] = {}
        # Entries and which arguments they take, by function and chip.
        self._calls: dict[tuple[str, str], tuple[str, list[int], int]] = {}
        self._memory = DeviceMemory()

    def run(self, function: str, *arguments: Any, device: str = "auto", stream: Any = None) -> str:
        """Calls a function and returns where it ran, "cpu" or "cuda".

        With device="auto" it runs where the arrays are; on NumPy arrays on the first GPU if there is one that can run
        it, and else on the CPU. A `cutl.errors.DeviceWarning` says why when there is a GPU that cannot. "cuda" copies NumPy
        arrays to the GPU and those that are written back. On arrays on a GPU the call is put on PyTorch's current
        stream, or on `stream`, and returns without waiting.

        Nothing runs unless number, kind and element types of the arguments, the sizes that types fix, and the sizes
        that the function's products tie together are right.
        """
        if not isinstance(function, str) or "\0" in function:
            raise ArgumentError(f"function: expected the name of a function, got {function!r}")
        if device not in ("auto", "cpu", "cuda"):
            raise ArgumentError(f"device: expected 'auto', 'cpu' or 'cuda', got {device!r}")
        arrays, scalars = _split(arguments)
        on_gpu = _placement(arrays, device)
        if on_gpu is not None:
            self._run_tensors(function, arguments, arrays, scalars, _gpu.get(on_gpu), stream)
            return "cuda"
        if stream is not None:
            raise ArgumentError(f"stream: expected none since the arrays are not on a GPU, got {stream!r}")
        gpu = None if device == "cpu" else _gpu.get() if device == "cuda" else _gpu.find()
        if gpu is not None:
            try:
                self._run_copies(function, arguments, arrays, scalars, gpu)
                return "cuda"
            except (CompileError, LayoutError) as error:
                if device == "cuda":
                    raise DeviceError(f"{gpu} cannot run {function!r}: {error}; or pass device='cpu'") from error
                _gpu.warn(f"running on the CPU since {gpu} cannot run {function!r}: {error}")
        self._run_cpu(function, arguments, arrays)
        return "cpu"

    def _run_cpu(self, function: str, arguments: tuple[Any, ...], arrays: dict[int, _Argument]) -> None:
        encoded = [_encode(i, value, arrays) for i, value in enumerate(arguments)]
        if self._executable is None:
            self._executable = _compiler.compile_cpu(self._module)
        for i in arrays:
            if self._executable.writes(function, i):
                _check_written(i, arrays)
        try:
            self._executable.invoke(function, encoded)
        except _cutl.Error as error:
            raise ArgumentError(error.args[1]) from None

    def _run_copies(
        self,
        function: str,
        arguments: tuple[Any, ...],
        arrays: dict[int, _Argument],
        scalars: dict[int, tuple[float, int]],
        gpu: Gpu,
    ) -> None:
        bundle, entry, order, written = self._entry(function, len(arguments), arrays, scalars, gpu.chip)
        # A type may fix the strides of an array without gaps, so rows are not padded.
        copies = [
            (HostCopy(arrays[i].array, padded=False), arrays[i].dtype._code, True, i in written)
            for i in order
            if i in arrays
        ]
        numbers = [scalars[i] for i in order if i in scalars]
        self._memory.run(gpu, bundle, entry, copies, numbers)

    def _run_tensors(
        self,
        function: str,
        arguments: tuple[Any, ...],
        arrays: dict[int, _Argument],
        scalars: dict[int, tuple[float, int]],
        gpu: Gpu,
        stream: Any,
    ) -> None:
        try:
            bundle, entry, order, _ = self._entry(function, len(arguments), arrays, scalars, gpu.chip)
        except CompileError as error:
            raise DeviceError(f"{gpu} cannot run {function!r}: {error}") from error
        tensors = {a.name: a.value for a in arrays.values()}
        by_torch = all(map(_tensors.is_torch, tensors.values()))
        if stream is not None:
            stream = _tensors.stream_of(stream)
        elif by_torch:
            stream = _tensors.current_stream(gpu.ordinal)
        else:
            stream = _tensors.stream_of_producers(tensors)
        operands = []
        for i in order:
            if i in arrays:
                array = arrays[i].array
                strides = tuple(s // array.itemsize for s in array.strides)
                operands.append((array.ctypes.data, arrays[i].dtype._code, array.shape, strides))
        numbers = [scalars[i] for i in order if i in scalars]
        allocate = _tensors.allocate if by_torch else self._memory.workspace
        launch(gpu, bundle, entry, operands, numbers, stream, allocate)

    def _entry(
        self,
        function: str,
        count: int,
        arrays: dict[int, _Argument],
        scalars: dict[int, tuple[float, int]],
        chip: str,
    ) -> tuple[_cutl.Bundle, str, list[int], set[int]]:
        """The entry that a function is on a chip, which arguments it takes in its order, and those that are written."""
        key = (function, chip)
        if key not in self._calls:
            call, _ = _compiler.find_call(self._module, function, f"chip={chip}")
            self._calls[key] = call
        entry, order, expected = self._calls[key]
        if count != expected:
            raise ArgumentError(f"expected {expected} arguments for {function!r}, got {count}")
        bundle = self._bundles.get(chip)
        if bundle is None:
            try:
                bundle = _cutl.load_bundle(_compiler.emit(self._module, "bundle", f"chip={chip}")[0])
            except CompileError as error:
                bundle = error
            self._bundles[chip] = bundle
        if isinstance(bundle, CompileError):
            raise CompileError(str(bundle), bundle.diagnostics)
        _, operands, numbers = next(e for e in bundle.entries() if e[0] == entry)
        kinds = [True] * len(operands) + [False] * len(numbers)
        for i, is_array in zip(order, kinds):
            if (i in arrays) != is_array:
                kind = "an array" if is_array else "a number"
                raise ArgumentError(f"argument {i}: expected {kind} for {function!r}")
        written = {i for i, operand in zip(order, operands) if operand[2]}
        for i in written:
            _check_written(i, arrays)
        return bundle, entry, order, written

    def bundle(self, path: Union[str, "os.PathLike[str]"], *, chip: str = DEFAULT_CHIP) -> None:
        """Writes code for a chip to a file that the runtime loads (`cutl-run x.cutlb`). Needs no GPU."""
        Path(path).write_bytes(_compiler.emit(self._module, "bundle", f"chip={check_chip(chip)}")[0])

    def ir(self, stage: Stage = "raw", *, chip: str = DEFAULT_CHIP, device: str = "") -> str:
        """The module as text: as written ("raw"), "targeted" or "configured"; on the way to a GPU "tiled", "staged",
        "nvvm", "llvm" or "ptx"; on the way to the CPU "linalg", or "llvm" with device="cpu"."""
        return show(self._module, stage, chip, device)

    def explain(self, *, chip: str = DEFAULT_CHIP) -> str:
        """Which configuration the compiler chooses for each problem on a chip, and why."""
        return explain(self._module, chip)


def load(path: Union[str, "os.PathLike[str]"]) -> Program:
    """Reads a module, as text or bytecode, from a file."""
    return Program(Path(path).read_bytes(), os.fspath(path))


def _split(arguments: tuple[Any, ...]) -> tuple[dict[int, _Argument], dict[int, tuple[float, int]]]:
    """The arrays and the numbers among the arguments, described, by position."""
    arrays: dict[int, _Argument] = {}
    scalars: dict[int, tuple[float, int]] = {}
    for i, value in enumerate(arguments):
        name = f"argument {i}"
        if isinstance(value, np.generic):
            scalars[i] = (value.item(), from_numpy(value.dtype, name)._code)
        elif _tensors.place(value) == "cuda":
            tensor = _tensors.describe(name, value)
            arrays[i] = _Argument(name, value, tensor.array, tensor.dtype, tensor.device)
        else:
            arrays[i] = _Argument(name, value, value, _arrays.check_array(name, value), None)
    return arrays, scalars


def _placement(arrays: dict[int, _Argument], device: str) -> Optional[int]:
    """The GPU that the arrays are on, or none for NumPy arrays."""
    places: dict[Optional[int], str] = {}
    for array in arrays.values():
        places.setdefault(array.device, array.name)
    if len(places) > 1:
        texts = [f"{name} {'a NumPy array' if d is None else f'on cuda:{d}'}" for d, name in places.items()]
        raise DeviceError(f"expected all arrays in one place, got {' and '.join(texts)}; move them to one device")
    on_gpu = next(iter(places), None)
    if on_gpu is not None and device == "cpu":
        raise DeviceError(f"{places[on_gpu]}: expected a NumPy array since device is 'cpu', got an array on a GPU")
    return on_gpu


def _check_written(index: int, arrays: dict[int, _Argument]) -> None:
    """An array that is written must be writable and apart from all others."""
    written = arrays[index]
    _arrays.check_output(written.name, written.array)
    for i, other in arrays.items():
        if i != index:
            _arrays.check_no_overlap(written.name, written.array, other.name, other.array, False)


def _encode(index: int, value: Any, arrays: dict[int, _Argument]) -> Any:
    if index not in arrays:
        return (value.item(), from_numpy(value.dtype, f"argument {index}")._code)
    array = arrays[index].array
    strides = tuple(stride // array.itemsize for stride in array.strides)
    return (array.ctypes.data, arrays[index].dtype._code, array.shape, strides)
