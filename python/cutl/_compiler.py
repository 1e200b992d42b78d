"""The compiler as the rest of the package sees it: one context, one lock, errors of `cutl.errors`."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Optional, TypeVar, Union

from . import _cutl
from ._specs import SPLITS, EpilogueSpec, OperandSpec
from .dtypes import DataType
from .epilogue import Activation
from .errors import CompileError, Diagnostic, DTypeError
from .math_operation import MathOperation

DYNAMIC = -1

_SEVERITIES = ("error", "warning", "note", "remark")

# Reentrant: compiling a GEMM builds its module first.
_lock = threading.RLock()
# A child forked while another thread compiles would wait for that thread for ever.
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
_context: Optional[_cutl.Context] = None
# Plans share what they compile.
_executables: dict[GemmSpec, _cutl.Executable] = {}
# By spec and chip; for a GPU also that it cannot be compiled.
_kernels: dict[tuple[GemmSpec, str], Union[GpuKernel, CompileError]] = {}
_choices: dict[tuple[GemmSpec, str], Union[tuple[str, str], CompileError]] = {}
# Sizes that change with every call must not pile up.
_MAX_CHOICES = 16384

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class GemmSpec:
    """All that one compiled GEMM depends on; sizes are arguments of the compiled function unless fixed here."""

    a: OperandSpec
    b: OperandSpec
    # None exactly if there is an epilogue.
    d: Optional[OperandSpec]
    accumulator: DataType
    activation: Activation
    # Further operands like B, or how B holds two accumulators' columns.
    more_b: tuple[OperandSpec, ...] = ()
    split: str = ""
    # In place of C, bias, D, the factors and the activation.
    epilogue: Optional[EpilogueSpec] = None
    c: Optional[OperandSpec] = None
    bias: Optional[OperandSpec] = None
    has_alpha: bool = True
    num_batch: int = 0
    extents: tuple[int, int, int] = (DYNAMIC, DYNAMIC, DYNAMIC)
    # Sizes of the batch dimensions; those of every call if none.
    batch: Optional[tuple[int, ...]] = None
    # What is demanded of the way it is computed.
    deterministic: bool = True
    batch_invariant: bool = False
    sm_budget: Optional[int] = None
    math_operation: MathOperation = MathOperation.multiply_add
    # After how many elements of k sums of 8-bit floats are moved to f32 sums; 0 for never.
    promote: int = 0
    # Whether a launch may start before those ahead of it in the stream have ended; the kernel waits for them itself.
    programmatic_launch: bool = True
    # Attributes as text, where the choice is made.
    config: str = ""
    schedule: str = ""

    @property
    def has_beta(self) -> bool:
        return self.c is not None

    def with_unit_strides(self) -> GemmSpec:
        """The same with every last stride one."""

        return replace(
            self,
            a=self.a.packed(),
            b=self.b.packed(),
            more_b=tuple(b.packed() for b in self.more_b),
            c=self.c and self.c.packed(),
            bias=self.bias and self.bias.packed(),
            d=self.d and self.d.packed(),
            epilogue=self.epilogue and self.epilogue.packed(),
        )


@dataclass(frozen=True)
class GpuKernel:
    """What a GEMM was compiled to for a chip: a bundle of one entry."""

    data: bytes
    bundle: _cutl.Bundle
    entry: str


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
            batch=list(spec.batch) if spec.batch is not None else [DYNAMIC] * spec.num_batch,
            a=spec.a.encode(),
            b=spec.b.encode(),
            more_b=[b.encode() for b in spec.more_b],
            split=SPLITS.index(spec.split),
            c=spec.c.encode() if spec.c else None,
            bias=spec.bias.encode() if spec.bias else None,
            d=spec.d.encode() if spec.d else None,
            epilogue=spec.epilogue.encode() if spec.epilogue else None,
            accumulator=spec.accumulator._code,
            math=spec.math_operation._math,
            saturate=spec.math_operation is MathOperation.multiply_add_saturate,
            promote=spec.promote,
            unaligned_a=spec.a.unaligned,
            unaligned_b=any(b.unaligned for b in (spec.b, *spec.more_b)),
            has_alpha=spec.has_alpha,
            has_beta=spec.has_beta,
            activation=spec.activation.code,
            activation_argument=spec.activation.argument,
            config=spec.config,
            schedule=spec.schedule,
            deterministic=spec.deterministic,
            batch_invariant=spec.batch_invariant,
            sm_budget=spec.sm_budget or 0,
        )

    return _call(build)[0]


def check_decisions(config: str = "", schedule: str = "") -> None:
    """Raises if a text is not that of a configuration or of a schedule, nor empty."""
    _call(lambda context: context.check_decisions(config, schedule))


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
                _check_cpu_types(spec)
                executable = compile_cpu(build_gemm(spec))
                _executables[spec] = executable
    return executable


def _check_cpu_types(spec: GemmSpec) -> None:
    """A and B must be of types that the CPU target takes."""
    for name, dtype in (("A", spec.a.dtype), ("B", spec.b.dtype)):
        if not dtype.is_cpu_operand:
            known = ", ".join(t.name for t in DataType if t.is_cpu_operand)
            raise DTypeError(f"{name}: expected one of the CPU target's element types {known}, got {dtype.name}")


def gpu_options(chip: str, programmatic_launch: bool) -> str:
    """Those of the pipelines on the way to a GPU."""
    return f"chip={chip} programmatic-launch={str(programmatic_launch).lower()}"


def emit(module: _cutl.Module, stage: str, options: str) -> tuple[bytes, tuple[Diagnostic, ...]]:
    """A module in the form of that name, and what the passes reported. The module stays as it is."""
    return _call(lambda _: module.emit(stage, options))


def configure(spec: GemmSpec, chip: str, extents: tuple[int, int, int], batch: tuple[int, ...] = ()) -> GemmSpec:
    """The spec with the configuration that is chosen for sizes, which the code will not be bound to."""
    sized = replace(spec, extents=extents, batch=batch)
    key = (sized, chip)
    with _lock:
        choice = _choices.get(key)
        if choice is None:
            if len(_choices) >= _MAX_CHOICES:
                _choices.clear()
            try:
                module = build_gemm(sized)
                run_pipeline(module, f"cutl-configure{{chip={chip}}}")
                choice = module.config()
            except CompileError as error:
                choice = error
            _choices[key] = choice
    if isinstance(choice, CompileError):
        raise CompileError(str(choice), choice.diagnostics)
    return replace(spec, config=choice[0], schedule=choice[1])


def list_configs(spec: GemmSpec, chip: str) -> list[tuple[str, float]]:
    """Every configuration that a choice is made from, with the predicted microseconds, best first."""
    return _call(lambda _: build_gemm(spec).list_configs(f"chip={chip}"))[0]


def compile_gpu(spec: GemmSpec, chip: str) -> GpuKernel:
    """A bundle of the kernel for a chip, compiled once per process. Needs no GPU."""
    key = (spec, chip)
    with _lock:
        kernel = _kernels.get(key)
        if kernel is None:
            try:
                data, _ = emit(build_gemm(spec), "bundle", gpu_options(chip, spec.programmatic_launch))
                bundle = _cutl.load_bundle(data)
                kernel = GpuKernel(data, bundle, bundle.entries()[0][0])
            except CompileError as error:
                kernel = error
            _kernels[key] = kernel
    if isinstance(kernel, CompileError):
        raise CompileError(str(kernel), kernel.diagnostics)
    return kernel


def gpu_kernels() -> int:
    """How many kernels the process has compiled for GPUs."""
    return sum(isinstance(kernel, GpuKernel) for kernel in _kernels.values())


def find_call(
    module: _cutl.Module, function: str, options: str
) -> tuple[tuple[str, list[int], int], tuple[Diagnostic, ...]]:
    """What a function launches on a GPU: the entry, which arguments the entry takes, and how many the function has."""
    return _call(lambda _: module.find_call(function, options))
