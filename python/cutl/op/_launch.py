"""Matrix products on a GPU: which kernel, on what memory, and how a call is repeated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional, Union

from .. import _arrays, _compiler, _cutl, _gpu, _tensors
from .._arrays import Array, Operand
from .._compiler import GemmSpec, GpuKernel
from .._device_memory import DeviceMemory, HostCopy, launch, padded_strides
from .._gpu import Gpu
from .._specs import OperandSpec
from ._problem import Problem, scalars_of
from ._visited import VisitedProblem

AnyProblem = Union[Problem, VisitedProblem]

# Operands in the order of the cache's arguments.
_SOURCES = {"A": 0, "B": 1, "C": 2, "D": 3, "bias": 4}
# As many as the cache takes of a call with a traced epilogue.
_MAX_SOURCES = 16


def spec_for(problem: AnyProblem, packed: bool) -> GemmSpec:
    """What the kernel of a problem depends on, beside its configuration. A factor of one is left out of it."""
    spec = problem.spec(has_alpha=problem.alpha != 1.0 or problem.c is not None)
    return spec.with_unit_strides() if packed else spec


def choose(spec: GemmSpec, sized: GemmSpec, chip: str) -> GemmSpec:
    """The spec, of which `sized_spec` is `sized`, with the configuration and the schedule that it has, or what the
    compiler chooses for those sizes."""
    if spec.config:
        return spec
    chosen = _compiler.configure(sized, chip, sized.extents, sized.batch or ())
    return replace(spec, config=chosen.config, schedule=chosen.schedule)


def sized_spec(spec: GemmSpec, problem: AnyProblem, packed: bool) -> GemmSpec:
    """The spec with all that a choice of a configuration takes into account, of the arrays or of packed copies."""
    bs = [problem.b] if isinstance(problem, Problem) else problem.bs
    first, *more = (_placed(b_spec, b, packed) for b_spec, b in zip((spec.b, *spec.more_b), bs))
    return replace(
        spec,
        a=_placed(spec.a, problem.a, packed),
        b=first,
        more_b=tuple(more),
        extents=(problem.m, problem.n, problem.k),
        batch=problem.batch,
    )


def _placed(spec: OperandSpec, operand: Operand, packed: bool) -> OperandSpec:
    """The spec of what a mainloop reads, with what decides how it can be loaded, and how fast."""
    if packed:
        return spec.packed().pitched(padded_strides(operand.sizes, operand.array.dtype.itemsize))
    return spec.placed(operand.array.ctypes.data, operand.sizes, operand.strides)


class Launcher:
    """What one plan keeps for its runs on GPUs."""

    def __init__(self, alpha: float, beta: float) -> None:
        self.cache = _cutl.LaunchCache(alpha, beta)
        self._types: set[type] = set()
        self._memory = DeviceMemory()

    def run_tensors(
        self,
        problem: AnyProblem,
        kernel: GpuKernel,
        spec: GemmSpec,
        gpu: Gpu,
        tensors: dict[str, Any],
        stream: Optional[int],
        result: Any,
    ) -> None:
        """Runs in place on memory of the GPU, and remembers how; `result` is what the cache gives for such a call."""
        with _gpu.errors():
            gpu.device.prepare(kernel.bundle, kernel.entry)
        allocate: Any = self._memory.workspace
        if all(map(_tensors.is_torch, tensors.values())):
            if isinstance(problem, Problem):
                self._remember(problem, kernel, spec, gpu, tensors, result)
            else:
                self._remember_visited(problem, kernel, gpu, tensors, result)
            allocate = _tensors.allocate
            if stream is None:
                stream = _tensors.current_stream(gpu.ordinal)
        elif stream is None:
            stream = _tensors.stream_of_producers(tensors)
        operands = [(o.array.ctypes.data, o.dtype._code, o.sizes, o.strides) for o in problem.operands()]
        launch(gpu, kernel.bundle, kernel.entry, operands, problem.scalars(spec), stream, allocate)

    def run_arrays(self, problem: AnyProblem, kernel: GpuKernel, spec: GemmSpec, gpu: Gpu) -> None:
        """Copies NumPy arrays to the GPU, runs there, and copies D back."""
        copies = []
        for operand in problem.operands():
            is_output = problem.is_written(operand)
            copies.append((HostCopy(_in_order(operand), padded=True), operand.dtype._code, not is_output, is_output))
        self._memory.run(gpu, kernel.bundle, kernel.entry, copies, problem.scalars(spec))

    def _remember(
        self, problem: Problem, kernel: GpuKernel, spec: GemmSpec, gpu: Gpu, tensors: dict[str, Any], result: Any
    ) -> None:
        spans: list[Optional[tuple[int, int]]] = [None] * len(_SOURCES)
        operands = []
        for operand in problem.operands():
            source = _SOURCES[operand.name]
            operands.append((source, operand.dtype._code, operand.sizes, operand.strides))
            spans[source] = _arrays.span(operand.array)
        # Which of alpha and beta the kernel takes, with their types.
        numbers = [(int(which), code) for which, code in scalars_of(spec, 0, 1)]
        outputs = [(_SOURCES["D"], [_SOURCES["C"]])]
        prepared = _cutl.Prepared(gpu.device, kernel.bundle, kernel.entry, operands, numbers, spans, outputs)
        self._add_types(tensors)
        self.cache.add(
            tensors["A"],
            tensors["B"],
            tensors.get("C"),
            tensors["D"],
            tensors.get("bias"),
            problem.alpha,
            problem.beta,
            prepared,
            result,
        )

    def _remember_visited(
        self, problem: VisitedProblem, kernel: GpuKernel, gpu: Gpu, tensors: dict[str, Any], result: Any
    ) -> None:
        """In the order in which a plan passes what it is given: A, each B, arguments and results."""
        order = problem.order
        if len(order) > _MAX_SOURCES or len(problem.operands()) > 2 * _MAX_SOURCES:
            return
        spans: list[Optional[tuple[int, int]]] = [None] * len(order)
        operands = []
        for place, operand in problem.places():
            source = order.index(place)
            operands.append((source, operand.dtype._code, operand.sizes, operand.strides))
            spans[source] = _arrays.span(operand.array)
        numbers = [(order.index(name), code) for name, code in problem.number_types()]
        outputs = [(order.index(name), [order.index(other) for other in others]) for name, others in problem.aliases]
        prepared = _cutl.Prepared(gpu.device, kernel.bundle, kernel.entry, operands, numbers, spans, outputs)
        self._add_types(tensors)
        # What is no tensor is a number, whichever.
        self.cache.add_visited([tensors.get(place, 0.0) for place in order], prepared, result)

    def _add_types(self, tensors: dict[str, Any]) -> None:
        """Lets the cache read the tensors of a call."""
        for tensor in tensors.values():
            if type(tensor) not in self._types:
                self._types.add(type(tensor))
                self.cache.add_type(type(tensor))
        self.cache.set_host(_tensors.stream_reader(), _tensors.allocate)


def _in_order(operand: Operand) -> Array:
    """An operand's array with its dimensions in the order of the compiled function."""
    item = operand.array.dtype.itemsize
    return _arrays.restride(operand.array, operand.sizes, [s * item for s in operand.strides])
