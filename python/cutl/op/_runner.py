"""Runs of one plan: which operands, where, and what is repeated of an earlier call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, Optional

from .. import _compiler, _cutl, _gpu, _tensors
from .._compiler import GemmSpec, GpuKernel
from .._gpu import Gpu
from ..dtypes import DataType
from ..epilogue import Epilogue
from ..epilogue._visitor import is_number
from ..errors import (
    ArgumentError,
    CompileError,
    DeviceError,
    DTypeError,
    InternalError,
    MissingOperandError,
)
from ._declared import Declared
from ._launch import AnyProblem, Launcher, choose, sized_spec, spec_for
from ._problem import Problem, Typed, number
from ._settings import Settings
from ._visited import (
    VisitedProblem,
    as_scalar,
    known_order,
    names_of_b,
    place_of,
    visitor_values,
)


class Ran(NamedTuple):
    """What was compiled for a run; on a GPU, which one, and what the configuration was chosen for."""

    spec: GemmSpec
    gpu: Optional[Gpu] = None
    sized: Optional[GemmSpec] = None


class Runner:
    """Runs products of a plan whose settings stay as they are."""

    def __init__(self, declared: Declared, settings: Settings) -> None:
        self._declared, self._settings = declared, settings
        self._launcher = Launcher(settings.alpha, settings.beta)
        self.cache = self._launcher.cache

    def run(
        self, A: Any, B: Any, C: Any, D: Any, alpha: Any, beta: Any, bias: Any, stream: Optional[int]
    ) -> Ran:
        """A call like an earlier one on tensors of a GPU is not checked again."""
        try:
            repeated: Optional[Ran] = self.cache.run(A, B, C, D, bias, alpha, beta, stream)
            if repeated is not None:
                return repeated
        except _cutl.DeviceError as error:
            _translate(error)
        alpha = self._settings.alpha if alpha is None else number("alpha", alpha)
        beta = self._settings.beta if beta is None else number("beta", beta)
        operands: dict[str, Any] = {}
        typed: dict[str, Typed] = {}
        for name, value in {"A": A, "B": B, "C": C, "D": D, "bias": bias}.items():
            if value is None:
                if name == "bias" or (name == "C" and beta == 0.0):
                    continue
                why = f" since beta is {beta}" if name == "C" else ""
                raise MissingOperandError(f"{name}: expected an array in run() or in the constructor{why}, got none")
            checked = self._declared.checked(name, value, name)
            if name != "C" or beta != 0.0:
                operands[name], typed[name] = value, checked

        on_gpu = _placement(operands, stream)
        problem = Problem(typed, alpha, beta, self._accumulator(typed), self._settings.activation)
        return self._dispatch(problem, operands, on_gpu, stream)

    def run_visited(
        self,
        visitor: Epilogue,
        A: Any,
        B: Any,
        given: dict[str, Any],
        visitor_args: dict[str, Any],
        stream: Optional[int],
    ) -> Ran:
        """As `run`, of what the epilogue takes in place of C, D, alpha, beta and bias."""
        own = self._declared.arrays
        known = known_order(visitor, A, B, given, visitor_args, own) if len(self.cache) else None
        try:
            repeated: Optional[Ran] = None if known is None else self.cache.run_visited(known, stream)
            if repeated is not None:
                return repeated
        except _cutl.DeviceError as error:
            _translate(error)
        values = visitor_values(visitor, given, visitor_args, own)
        bs = (B or (None,)) if isinstance(B, tuple) else (B,)
        matrices = {"A": A, **dict(zip(names_of_b(len(bs)), bs))}
        for name, value in matrices.items():
            if value is None:
                raise MissingOperandError(f"{name}: expected an array in run() or in the constructor, got none")
        typed = {name: self._declared.checked(name, value, name[0]) for name, value in matrices.items()}
        for name, (_, dtype) in typed.items():
            if name != "A" and dtype is not typed["B"][1]:
                raise DTypeError(f"{name}: expected element type {typed['B'][1].name} as B has, got {dtype.name}")
        numbers = {name: number(name, value) for name, value in values.items() if is_number(value)}
        # The function's arguments may be called A and B as well.
        places = {name: place_of(name, tuple(matrices)) for name in values if name not in numbers}
        operands = matrices | {place: values[name] for name, place in places.items()}
        arrays: dict[str, Typed] = {}
        for name, place in places.items():
            array, dtype = self._declared.typed(place, operands[place])
            visitor.check_dtype(place, name, dtype)
            arrays[name] = (as_scalar(place, array), dtype) if visitor.is_number(name) else (array, dtype)

        on_gpu = _placement(operands, stream)
        a, *others = typed.values()
        split, accumulator = self._settings.split, self._accumulator(typed)
        problem = VisitedProblem(a, others, arrays, numbers, visitor, split, accumulator)
        return self._dispatch(problem, operands, on_gpu, stream)

    def _accumulator(self, typed: dict[str, Typed]) -> DataType:
        return self._declared.accumulator(typed["A"][1], typed["B"][1])

    def _dispatch(
        self, problem: AnyProblem, operands: dict[str, Any], on_gpu: Optional[int], stream: Optional[int]
    ) -> Ran:
        """Runs a problem where its operands are, NumPy arrays where the plan's device says."""
        if on_gpu is not None:
            return self._run_tensors(problem, _gpu.get(on_gpu), operands, stream)
        device = self._settings.device
        gpu = None if device == "cpu" else _gpu.get() if device == "cuda" else _gpu.find()
        if gpu is None:
            return self._run_cpu(problem)
        try:
            spec, kernel = self._compile(problem, gpu, packed=True)
        except CompileError as error:
            if device == "cuda":
                raise DeviceError(f"{gpu} cannot run the plan: {error}; or pass device='cpu'") from error
            _gpu.warn(f"running on the CPU since {gpu} cannot run the plan: {error}")
            return self._run_cpu(problem)
        if problem.has_elements():
            self._launcher.run_arrays(problem, kernel, spec, gpu)
        return Ran(spec, gpu, sized_spec(spec, problem, packed=True))

    def _compile(self, problem: AnyProblem, gpu: Gpu, packed: bool) -> tuple[GemmSpec, GpuKernel]:
        """The kernel for a problem, with the configuration and the schedule that are set or chosen."""
        settings = self._settings
        spec = replace(spec_for(problem, packed), config=settings.config, schedule=settings.schedule)
        spec = settings.demands.put_on(spec)
        spec = choose(spec, sized_spec(spec, problem, packed), gpu.chip)
        return spec, _compiler.compile_gpu(spec, gpu.chip)

    def _run_tensors(self, problem: AnyProblem, gpu: Gpu, tensors: dict[str, Any], stream: Optional[int]) -> Ran:
        try:
            spec, kernel = self._compile(problem, gpu, packed=False)
        except CompileError as error:
            raise DeviceError(f"{gpu} cannot run the plan: {error}") from error
        ran = Ran(spec, gpu, sized_spec(spec, problem, packed=False))
        self._launcher.run_tensors(problem, kernel, spec, gpu, tensors, stream, ran)
        return ran

    def _run_cpu(self, problem: AnyProblem) -> Ran:
        spec = self._settings.demands.put_on(problem.spec(problem.has_alpha()))
        executable = _compiler.compile_gemm(spec)
        arguments: list[Any] = [operand.encode() for operand in problem.operands()]
        try:
            executable.invoke("gemm", arguments + problem.scalars(spec))
        except _cutl.Error as error:
            raise InternalError(error.args[1]) from None
        return Ran(self._settings.demands.put_on(spec_for(problem, packed=False)))


def _translate(error: _cutl.DeviceError) -> None:
    """Raises what a repeated call met. Of arguments that are wrong the checks of a new call say more."""
    if error.args[0] != _gpu.INVALID_ARGUMENT:
        raise _gpu.translate(error) from None


def _placement(operands: dict[str, Any], stream: Optional[int]) -> Optional[int]:
    """The GPU that the operands are on, or none for NumPy arrays, which take no stream."""
    first, device = "", None
    for name, value in operands.items():
        where = _tensors.describe(name, value).device if _tensors.place(value) == "cuda" else None
        if not first:
            first, device = name, where
        elif where != device:
            places = [f"on cuda:{d}" if d is not None else "a NumPy array" for d in (device, where)]
            raise DeviceError(
                f"{name}: expected all operands in one place, got {first} {places[0]} and {name} {places[1]};"
                " move them to one device"
            )
    if stream is not None and device is None:
        raise ArgumentError(f"stream: expected none since the arrays are not on a GPU, got {stream!r}")
    return device
