"""Functions written as IR, compiled and called from Python."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from . import _arrays, _compiler, _cutl
from ._arrays import Array
from ._stages import DEFAULT_CHIP, Stage, explain, show
from .dtypes import from_numpy
from .errors import ArgumentError

__all__ = ["Program", "load"]


class Program:
    """A module of functions over `cutl` ops, compiled for the CPU when a function is first called.

    Every public function can be called. Its tensor or memref arguments are NumPy arrays, used in place with their own
    strides; numbers are NumPy scalars of the argument's type (`numpy.float32(0.5)`). A result that is a destination
    argument is written there; any other result is a further array argument at the end. An array that the function may
    write has to be writable and to share no memory with another argument.
    """

    def __init__(self, text: Union[str, bytes], name: str = "<text>") -> None:
        """Parses and verifies a module; raises `cutl.errors.CompileError` with the place of a mistake."""
        self._module = _compiler.parse(text, name)
        self._executable: Optional[_cutl.Executable] = None

    def run(self, function: str, *arguments: Union[Array, np.generic]) -> None:
        """Calls a function on the CPU.

        Nothing runs unless number, kind and element types of the arguments, the sizes that types fix, and the sizes
        that the function's products tie together are right.
        """
        if not isinstance(function, str) or "\0" in function:
            raise ArgumentError(f"function: expected the name of a function, got {function!r}")
        encoded = [_encode(i, value) for i, value in enumerate(arguments)]
        if self._executable is None:
            self._executable = _compiler.compile_cpu(self._module)
        for i, value in enumerate(arguments):
            if isinstance(value, np.ndarray) and self._executable.writes(function, i):
                _arrays.check_output(f"argument {i}", value)
                for j, other in enumerate(arguments):
                    if j != i and isinstance(other, np.ndarray):
                        _arrays.check_no_overlap(f"argument {i}", value, f"argument {j}", other, False)
        try:
            self._executable.invoke(function, encoded)
        except _cutl.Error as error:
            raise ArgumentError(error.args[1]) from None

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


def _encode(index: int, value: Any) -> Any:
    name = f"argument {index}"
    if isinstance(value, np.generic):
        return (value.item(), from_numpy(value.dtype, name)._code)
    dtype = _arrays.check_array(name, value)
    item = value.dtype.itemsize
    return (value.ctypes.data, dtype._code, value.shape, tuple(stride // item for stride in value.strides))
