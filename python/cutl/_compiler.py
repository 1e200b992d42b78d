"""The compiler as the rest of the package sees it: one context, one lock, errors of `cutl.errors`."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Optional, TypeVar, Union

from . import _cutl
from .dtypes import DataType
from .epilogue import Activation
from .errors import CompileError, Diagnostic

DYNAMIC = -1

_SEVERITIES = ("error", "warning", "note", "remark")

# Reentrant: compiling a GEMM builds its module first.
_lock = threading.RLock()
# A child forked while another thread compiles would wait for that thread for ever.
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
_context: Optional[_cutl.Context] = None
# Plans share what they compile.
_executables: dict[GemmSpec, _cutl.Executable] = {}

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class OperandSpec:
    """An array of a problem: its dimensions are named by letters, batch dimensions by digits."""

    dtype: DataType
    dims: str
    unit_stride: bool

    def encode(self) -> tuple[int, str, bool]:
        return (self.dtype._code, self.dims, self.unit_stride)


@dataclass(frozen=True)
class GemmSpec:
    """All that one compiled GEMM depends on; sizes are arguments of the compiled function unless fixed here."""

    a: OperandSpec
    b: OperandSpec
    d: OperandSpec
    accumulator: DataType
    activation: Activation
    c: Optional[OperandSpec] = None
    bias: Optional[OperandSpec] = None
    has_alpha: bool = True
    num_batch: int = 0
    extents: tuple[int, int, int] = (DYNAMIC, DYNAMIC, DYNAMIC)

    @property
    def has_beta(self) -> bool:
        return self.c is not None


def _call(function: Callable[[_cutl.Context], _Result]) -> tuple[_Result, tuple[Diagnostic, ...]]:
    """Calls into the context, which serves one thread at a time, and collects what it reported."""
    global _context
    with _lock:
        if _context is None:
            _context = _cutl.Context()
        try:
            result = function(_context)
        except _cutl.Error as error:
            diagnostics = _diagnostics(_context)
            where = next((d.location for d in diagnostics if d.severity == "error" and d.location), "")
            raise CompileError(f"{where}: {error.args[1]}" if where else error.args[1], diagnostics) from None
        return result, _diagnostics(_context)


def _diagnostics(context: _cutl.Context) -> tuple[Diagnostic, ...]:
    return tuple(
        Diagnostic(_SEVERITIES[severity], message, location)
        for severity, message, location in context.diagnostics()
    )


def build_gemm(spec: GemmSpec) -> _cutl.Module:
    """The module of one GEMM function, as it is before any pass."""

    def build(context: _cutl.Context) -> _cutl.Module:
        return context.gemm(
            name="gemm",
            memref_form=True,
            extents=spec.extents,
            batch=[DYNAMIC] * spec.num_batch,
            a=spec.a.encode(),
            b=spec.b.encode(),
            c=spec.c.encode() if spec.c else None,
            bias=spec.bias.encode() if spec.bias else None,
            d=spec.d.encode(),
            accumulator=spec.accumulator._code,
            math=0,
            has_alpha=spec.has_alpha,
            has_beta=spec.has_beta,
            activation=spec.activation.code,
            activation_argument=spec.activation.argument,
        )

    return _call(build)[0]


def parse(text: Union[str, bytes], name: str) -> _cutl.Module:
    """A module from text or bytecode, verified."""
    data = text.encode() if isinstance(text, str) else text
    return _call(lambda context: context.parse(data, name))[0]


def compile_cpu(module: _cutl.Module) -> _cutl.Executable:
    """Machine code of a module for this CPU."""
    return _call(lambda _: module.compile_cpu(""))[0]


def run_pipeline(module: _cutl.Module, pipeline: str) -> tuple[Diagnostic, ...]:
    """Runs passes in place and returns what they reported."""
    return _call(lambda _: module.run_pipeline(pipeline))[1]


def compile_gemm(spec: GemmSpec) -> _cutl.Executable:
    """Machine code for this CPU, compiled once per process."""
    executable = _executables.get(spec)
    if executable is None:
        with _lock:
            executable = _executables.get(spec)
            if executable is None:
                module = build_gemm(spec)
                executable = compile_cpu(module)
                _executables[spec] = executable
    return executable
