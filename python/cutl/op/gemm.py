"""Matrix products with a fused epilogue."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Optional, Union

from .. import _arrays, _compiler, _cutl, _gpu, _tensors
from .._compiler import DYNAMIC, GemmSpec
from .._gpu import Gpu
from .._specs import SPLITS, OperandSpec
from .._stages import DEFAULT_CHIP, Stage, check_chip, explain, show
from ..dtypes import DataType, DTypeLike, as_data_type
from ..epilogue import Activation, ActivationLike, Epilogue, as_activation, identity
from ..epilogue._visitor import is_number
from ..errors import (
    ArgumentError,
    CompileError,
    ConfigError,
    DeviceError,
    DTypeError,
    InternalError,
    MissingOperandError,
)
from ..layouts import LayoutType
from ._demands import Demands
from ._launch import AnyProblem, Launcher, choose, sized_spec, spec_for
from ._problem import MATRICES, Problem, Typed, extents, has_alpha, number, spec_of
from ._visited import VisitedProblem, as_scalar, known_order, place_of, visitor_values

__all__ = ["Gemm", "RankedConfig"]

Device = Literal["auto", "cpu", "cuda"]
_DEVICES = ("auto", "cpu", "cuda")


@dataclass(frozen=True)
class RankedConfig:
    """A configuration as `Gemm.config` takes it, and what it is predicted to take."""

    config: str
    predicted_us: float


class Gemm:
    """A plan for `D = activation(alpha * A @ B + beta * C + bias)`.

    A is M by K, B is K by N, C and D are M by N. Leading dimensions are batch dimensions and broadcast as in
    `numpy.matmul`; those of D are the result's. A batch of products that have one B, or one A, runs as one product where
    the others' rows, or columns, lie evenly one after the other. C may be None when beta is 0, and may be a row of N elements. A bias is
    a row of N elements or a column of shape (M, 1), and is added before the activation. When beta is 0, C is not read.

    Element types and layouts come from the arrays given here, else from `element_A` and the like, else from `element`
    and `layout`; what is left open is taken from the arrays of each run. Arrays keep their place: any strides are
    addressed as they are, and nothing is copied. A layout declares which dimension is contiguous for `ir` and
    `compile`; a run adapts to the strides it meets. Code is compiled once for each combination of element types,
    contiguous dimensions and epilogue, serves every size, and is shared by all plans of the process.

    Operands are NumPy arrays or arrays on a GPU: PyTorch CUDA tensors, and what has `__cuda_array_interface__` or
    DLPack. `device` says where products are computed:

    * "auto": arrays on a GPU there, in place; NumPy arrays on the first GPU if there is one that serves their types, and
      else on the CPU. A `DeviceWarning` says why when there is a GPU that does not.
    * "cuda": on a GPU. NumPy arrays are copied there and D is copied back.
    * "cpu": on the CPU, for NumPy arrays only.

    On a GPU a run is put on PyTorch's current stream, or on `stream`, and returns without waiting; with NumPy arrays it
    waits. PyTorch records no gradient of it. The kernel's configuration is chosen for the sizes of each run, unless
    `config` gives one as text: "#cutl.tile_config<cta = [128, 256, 64], stages = 4, kernel = cooperative>"; `schedule`
    says how CTAs divide the product, as in "#cutl.stream_k".

    Products are accumulated in `element_accumulator`, by default f32 (s32 for integers, f64 for f64).

    `epilogue_visitor` replaces all that is done to the product by a function that `cutl.epilogue.trace` was given. The
    function may take several accumulators: B is then a tuple of as many arrays, or, with `split`, one array with two
    accumulators' columns, as "halves" or "interleaved".

    Three arguments say what is demanded of the way it is computed, and limit which configuration is chosen or accepted:

    * `deterministic`: the same operands give the same bits in every run on one kind of GPU. Without it, parts of a sum
      may be added in the order in which they arrive.
    * `batch_invariant`: a row of D has the same bits whatever M is, for the same N, K, element types and layouts.
    * `sm_budget`: how many SMs of a GPU a run takes at most, which leaves the others to what runs beside it. A
      configuration gives the same bits with every number.

    They are about GPUs. On the CPU sums are in the order of k, and there are no SMs to spare.
    """

    def __init__(
        self,
        A: Any = None,
        B: Any = None,
        C: Any = None,
        D: Any = None,
        alpha: float = 1.0,
        beta: float = 0.0,
        *,
        element: Optional[DTypeLike] = None,
        layout: Optional[LayoutType] = None,
        element_A: Optional[DTypeLike] = None,
        element_B: Optional[DTypeLike] = None,
        element_C: Optional[DTypeLike] = None,
        element_D: Optional[DTypeLike] = None,
        layout_A: Optional[LayoutType] = None,
        layout_B: Optional[LayoutType] = None,
        layout_C: Optional[LayoutType] = None,
        layout_D: Optional[LayoutType] = None,
        element_accumulator: Optional[DTypeLike] = None,
        split: Literal["", "halves", "interleaved"] = "",
        config: str = "",
        schedule: str = "",
        device: Device = "auto",
        deterministic: bool = True,
        batch_invariant: bool = False,
        sm_budget: Optional[int] = None,
    ) -> None:
        self._demands = Demands(deterministic, batch_invariant, sm_budget)
        if split not in SPLITS:
            raise ArgumentError(f"split: expected 'halves', 'interleaved' or '', got {split!r}")
        self._split = split
        self._visitor: Optional[Epilogue] = None
        if device not in _DEVICES:
            raise ArgumentError(f"device: expected 'auto', 'cpu' or 'cuda', got {device!r}")
        self._device = device
        self._arrays = {"A": A, "B": B, "C": C, "D": D}
        self._elements: dict[str, Optional[DataType]] = {}
        self._layouts: dict[str, Optional[LayoutType]] = {}
        elements = {"A": element_A, "B": element_B, "C": element_C, "D": element_D}
        layouts = {"A": layout_A, "B": layout_B, "C": layout_C, "D": layout_D}
        for name, array in self._arrays.items():
            # All of several B have one type.
            array = array[0] if name == "B" and isinstance(array, tuple) and array else array
            self._declare(name, array, elements[name], layouts[name], element, layout)
        self._accumulator = (
            None if element_accumulator is None else as_data_type(element_accumulator, "element_accumulator")
        )
        self._alpha = number("alpha", alpha)
        self._beta = number("beta", beta)
        self._config = self._schedule = ""
        self._activation = identity
        self._last_spec: Optional[GemmSpec] = None
        self._last_gpu: Optional[Gpu] = None
        # What the choice of the last run's configuration was made for.
        self._last_sized: Optional[GemmSpec] = None
        # Replaced when what it has been told of changes.
        self._launcher = Launcher(self._alpha, self._beta)
        # What is set after this may still change whether it can run.
        self._parse(config=config)
        self._parse(schedule=schedule)
        self._config, self._schedule = config, schedule

    def _declare(
        self,
        name: str,
        array: Any,
        own_element: Optional[DTypeLike],
        own_layout: Optional[LayoutType],
        element: Optional[DTypeLike],
        layout: Optional[LayoutType],
    ) -> None:
        for what, value in ((f"element_{name}", own_element), (f"layout_{name}", own_layout)):
            if array is not None and value is not None:
                raise ArgumentError(f"{what}: expected none beside the array {name}, which has its own, got {value!r}")
        for what, kind in ((f"layout_{name}", own_layout), ("layout", layout)):
            if kind is not None and not isinstance(kind, LayoutType):
                raise ArgumentError(f"{what}: expected a cutl.LayoutType, got {kind!r}")
        if array is not None:
            self._elements[name] = self._typed(name, array)[1]
            self._layouts[name] = None
            return
        if own_element is not None:
            self._elements[name] = as_data_type(own_element, f"element_{name}")
        else:
            self._elements[name] = None if element is None else as_data_type(element, "element")
        self._layouts[name] = own_layout or layout

    @property
    def device(self) -> str:
        """The device of the last run; before the first, the one that runs on NumPy arrays are for."""
        if self._last_spec is not None:
            return "cpu" if self._last_gpu is None else "cuda"
        if self._device == "auto":
            return "cpu" if _gpu.find() is None else "cuda"
        return self._device

    @property
    def alpha(self) -> float:
        """The factor of the product in runs that give none."""
        return self._alpha

    @alpha.setter
    def alpha(self, value: float) -> None:
        self._alpha = number("alpha", value)
        self._launcher = Launcher(self._alpha, self._beta)

    @property
    def beta(self) -> float:
        """The factor of C in runs that give none."""
        return self._beta

    @beta.setter
    def beta(self, value: float) -> None:
        self._beta = number("beta", value)
        self._launcher = Launcher(self._alpha, self._beta)

    @property
    def activation(self) -> Activation:
        """The function applied last. Set it to one of `cutl.epilogue`, to its name, or to a pair of either and the
        function's argument, as in `("leaky_relu", 0.1)`."""
        return self._activation

    @activation.setter
    def activation(self, value: ActivationLike) -> None:
        activation = as_activation(value)
        if self._visitor is not None and activation != identity:
            raise ArgumentError(
                f"activation: expected none beside the epilogue visitor {self._visitor.name}, got {activation.name}; call"
                f" {activation.name}(...) in the function, or set epilogue_visitor to None before"
            )
        self._activation = activation
        self._launcher = Launcher(self._alpha, self._beta)

    @property
    def epilogue_visitor(self) -> Optional[Epilogue]:
        """What `cutl.epilogue.trace` gave, or none. It replaces alpha, beta, C, bias and the activation."""
        return self._visitor

    @epilogue_visitor.setter
    def epilogue_visitor(self, value: Optional[Epilogue]) -> None:
        if value is not None and not isinstance(value, Epilogue):
            raise ArgumentError(f"epilogue_visitor: expected what cutl.epilogue.trace returns, or None, got {value!r}")
        if value is not None and self._activation != identity:
            raise ArgumentError(
                f"epilogue_visitor: expected a plan without an activation, got one with {self._activation.name}; call it in"
                " the function, and set activation to cutl.epilogue.identity before"
            )
        self._visitor = value
        self._last_spec = self._last_gpu = None
        self._launcher = Launcher(self._alpha, self._beta)

    @property
    def deterministic(self) -> bool:
        """Whether the same operands give the same bits in every run on one kind of GPU."""
        return self._demands.deterministic

    @deterministic.setter
    def deterministic(self, value: bool) -> None:
        self._demand(replace(self._demands, deterministic=value))

    @property
    def batch_invariant(self) -> bool:
        """Whether a row of D has the same bits whatever M is."""
        return self._demands.batch_invariant

    @batch_invariant.setter
    def batch_invariant(self, value: bool) -> None:
        self._demand(replace(self._demands, batch_invariant=value))

    @property
    def sm_budget(self) -> Optional[int]:
        """How many SMs a run takes at most at once; None for all."""
        return self._demands.sm_budget

    @sm_budget.setter
    def sm_budget(self, value: Optional[int]) -> None:
        self._demand(replace(self._demands, sm_budget=value))

    def _demand(self, demands: Demands) -> None:
        """Replaces what is demanded, if the plan's configuration, where it was given one, allows it."""
        if demands == self._demands:
            return
        if (self._config or self._schedule) and self._device != "cpu":
            self._check("config" if self._config else "schedule", self._config, self._schedule, demands)
        self._demands = demands
        # What the last run was compiled to may be another kernel's.
        self._last_spec = self._last_gpu = self._last_sized = None
        self._launcher = Launcher(self._alpha, self._beta)

    @property
    def config(self) -> str:
        """The configuration of runs on a GPU: the one that the plan was given, else that of its last run; may be empty.

        Set it to the text of one, as in "#cutl.tile_config<cta = [128, 256, 64], stages = 4, kernel = cooperative>", or
        to "" to let the compiler choose. A `ConfigError` says what keeps it from running, and what the nearest that can
        is; where the plan does not know its element types yet, the next run says so.
        """
        if self._config or self._last_gpu is None or self._last_spec is None:
            return self._config
        return self._last_spec.config

    @config.setter
    def config(self, value: str) -> None:
        self._parse(config=value)
        if value and self._device != "cpu":
            self._check("config", value, self._schedule, self._demands)
        self._config = value
        self._launcher = Launcher(self._alpha, self._beta)

    @property
    def schedule(self) -> str:
        """How runs on a GPU divide the product among CTAs: what the plan was given, else that of its last run; may be
        empty.

        Set it to the text of a schedule, as in "#cutl.stream_k" or "#cutl.stream_k<tiles = 40>", or to "" to let the
        compiler choose. Every schedule computes the same product; a `ConfigError` says what keeps one from running.
        """
        if self._schedule or self._last_gpu is None or self._last_spec is None:
            return self._schedule
        return self._last_spec.schedule

    @schedule.setter
    def schedule(self, value: str) -> None:
        self._parse(schedule=value)
        if value and self._device != "cpu":
            self._check("schedule", self._config, value, self._demands)
        self._schedule = value
        self._last_spec = self._last_gpu = self._last_sized = None
        self._launcher = Launcher(self._alpha, self._beta)

    def configs(self, *, chip: str = DEFAULT_CHIP, shape: Optional[tuple[int, int, int]] = None) -> list[RankedConfig]:
        """Every configuration that the compiler chooses from for a chip, best first. The first is its choice, unless it
        divides k with `#cutl.split_k`, which `explain` tells.

        They are for the problem of the last run, or for what the constructor declares with M, N and K of `shape`. A
        configuration is put to use by setting `config`.
        """
        spec, chip = self._sized_spec(chip, shape)
        ranked = _compiler.list_configs(replace(spec, config="", schedule=""), check_chip(chip))
        return [RankedConfig(config, us) for config, us in ranked]

    def run(
        self,
        A: Any = None,
        B: Any = None,
        C: Any = None,
        D: Any = None,
        alpha: Optional[float] = None,
        beta: Optional[float] = None,
        bias: Any = None,
        *,
        visitor_args: Optional[dict[str, Any]] = None,
        stream: Any = None,
    ) -> Any:
        """Computes D, in place, and returns it.

        What is not given here is taken from the constructor. D may be C itself; it must not overlap anything else.
        `stream` is a CUDA stream, as a number or an object that has one, for arrays on a GPU.

        With an epilogue visitor, `visitor_args` has the arguments and the results of its function by name. C, D, alpha,
        beta and bias are those of that name, and otherwise must not be given.
        """
        if stream is not None and type(stream) is not int:
            stream = _tensors.stream_of(stream)
        if self._visitor is not None:
            if visitor_args is not None and not isinstance(visitor_args, dict):
                raise ArgumentError(f"visitor_args: expected a dict from names to values, got {visitor_args!r}")
            given = {"C": C, "D": D, "alpha": alpha, "beta": beta, "bias": bias}
            self._run_visited(self._visitor, A, B, given, {} if visitor_args is None else visitor_args, stream)
            return D if D is not None else (visitor_args or {}).get("D", self._arrays["D"])
        if visitor_args is not None or self._split:
            what = f"split: expected '', got {self._split!r}," if self._split else "visitor_args: expected none, got some,"
            raise ArgumentError(f"{what} since the plan has no epilogue_visitor")
        arrays = self._arrays
        A = arrays["A"] if A is None else A
        B = arrays["B"] if B is None else B
        C = arrays["C"] if C is None else C
        D = arrays["D"] if D is None else D
        try:
            # A call like an earlier one on tensors of a GPU.
            if self._launcher.cache.run(A, B, C, D, bias, alpha, beta, stream):
                return D
        except _cutl.DeviceError as error:
            # Of arguments that are wrong the checks below say more.
            if error.args[0] != _gpu.INVALID_ARGUMENT:
                raise _gpu.translate(error) from None
        return self._run(A, B, C, D, alpha, beta, bias, stream)

    def _run(self, A: Any, B: Any, C: Any, D: Any, alpha: Any, beta: Any, bias: Any, stream: Optional[int]) -> Any:
        stream = None if stream is None else _tensors.stream_of(stream)
        alpha = self._alpha if alpha is None else number("alpha", alpha)
        beta = self._beta if beta is None else number("beta", beta)
        operands: dict[str, Any] = {}
        typed: dict[str, Typed] = {}
        for name, value in {"A": A, "B": B, "C": C, "D": D, "bias": bias}.items():
            if value is None:
                if name == "bias" or (name == "C" and beta == 0.0):
                    continue
                why = f" since beta is {beta}" if name == "C" else ""
                raise MissingOperandError(f"{name}: expected an array in run() or in the constructor{why}, got none")
            array, dtype = self._typed(name, value)
            declared = self._elements.get(name)
            if declared is not None and dtype is not declared:
                raise DTypeError(f"{name}: expected element type {declared.name}, got {dtype.name}")
            if name != "C" or beta != 0.0:
                operands[name], typed[name] = value, (array, dtype)
        self._dispatch(operands, lambda: self._problem(typed, alpha, beta), typed, stream)
        return D

    def _dispatch(
        self, operands: dict[str, Any], build: Callable[[], AnyProblem], typed: dict[str, Typed], stream: Optional[int]
    ) -> None:
        """Runs a problem where its operands are."""
        on_gpu = self._placement(operands)
        if stream is not None and on_gpu is None:
            raise ArgumentError(f"stream: expected none since the arrays are not on a GPU, got {stream!r}")
        if on_gpu is not None:
            self._run_tensors(build(), _gpu.get(on_gpu), operands, stream)
        else:
            self._run_arrays(build, typed)

    def _run_visited(
        self,
        visitor: Epilogue,
        A: Any,
        B: Any,
        given: dict[str, Any],
        visitor_args: dict[str, Any],
        stream: Optional[int],
    ) -> None:
        known = known_order(visitor, A, B, given, visitor_args, self._arrays) if len(self._launcher.cache) else None
        try:
            # A call like an earlier one on tensors of a GPU.
            if known is not None and self._launcher.cache.run_visited(known, stream):
                return
        except _cutl.DeviceError as error:
            if error.args[0] != _gpu.INVALID_ARGUMENT:
                raise _gpu.translate(error) from None
        stream = None if stream is None else _tensors.stream_of(stream)
        values = visitor_values(visitor, given, visitor_args, self._arrays)
        A = self._arrays["A"] if A is None else A
        B = self._arrays["B"] if B is None else B
        bs = (B or (None,)) if isinstance(B, tuple) else (B,)
        matrices = {"A": A, **{"B" if i == 0 else f"B{i}": b for i, b in enumerate(bs)}}
        for name, value in matrices.items():
            if value is None:
                raise MissingOperandError(f"{name}: expected an array in run() or in the constructor, got none")
        typed = {name: self._typed(name, value) for name, value in matrices.items()}
        for name, (_, dtype) in typed.items():
            declared = self._elements.get(name[0])
            if declared is not None and dtype is not declared:
                raise DTypeError(f"{name}: expected element type {declared.name}, got {dtype.name}")
            if name[0] == "B" and dtype is not typed["B"][1]:
                raise DTypeError(f"{name}: expected element type {typed['B'][1].name} as B has, got {dtype.name}")
        numbers = {name: number(name, value) for name, value in values.items() if is_number(value)}
        # The function's arguments may be called A and B as well.
        places = {name: place_of(name, tuple(matrices)) for name in values}
        operands = matrices | {places[name]: value for name, value in values.items() if name not in numbers}
        arrays: dict[str, Typed] = {}
        for name, place in places.items():
            if name in numbers:
                continue
            array, dtype = self._typed(place, operands[place])
            visitor.check_dtype(place, name, dtype)
            arrays[name] = (as_scalar(place, array), dtype) if visitor.is_number(name) else (array, dtype)

        def build() -> VisitedProblem:
            accumulator = self._accumulator_of(typed["A"][1], typed["B"][1])
            a, *others = typed.values()
            return VisitedProblem(a, others, arrays, numbers, visitor, self._split, accumulator)

        self._dispatch(operands, build, typed, stream)

    def _typed(self, name: str, value: Any) -> Typed:
        """An operand as an array, with its element type."""
        where = _tensors.place(value)
        if where == "cuda":
            if self._device == "cpu":
                raise DeviceError(
                    f"{name}: expected a NumPy array since the plan's device is 'cpu', got an array on a GPU; make the"
                    " plan with device='cuda' or 'auto'"
                )
            tensor = _tensors.describe(name, value)
            return tensor.array, tensor.dtype
        if _tensors.is_torch(value) and self._device != "cpu":
            raise DeviceError(
                f"{name}: expected a CUDA tensor or a NumPy array, got a tensor on {where}; {name}.cuda() or"
                f" {name}.numpy() makes one"
            )
        return value, _arrays.check_array(name, value)

    def _placement(self, operands: dict[str, Any]) -> Optional[int]:
        """The GPU that the operands are on, or none for NumPy arrays."""
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
        return device

    def _problem(self, typed: dict[str, Typed], alpha: float, beta: float) -> Problem:
        accumulator = self._accumulator_of(typed["A"][1], typed["B"][1])
        return Problem(typed, alpha, beta, accumulator, self._activation)

    def _run_tensors(self, problem: AnyProblem, gpu: Gpu, tensors: dict[str, Any], stream: Optional[int]) -> None:
        try:
            spec = choose(self._spec_for(problem, packed=False), problem, gpu.chip, self._config, self._schedule)
            kernel = _compiler.compile_gpu(spec, gpu.chip)
        except CompileError as error:
            raise DeviceError(f"{gpu} cannot run the plan: {error}") from error
        self._launcher.run_tensors(problem, kernel, spec, gpu, tensors, stream)
        self._last_spec, self._last_gpu, self._last_sized = spec, gpu, sized_spec(spec, problem)

    def _spec_for(self, problem: AnyProblem, packed: bool) -> GemmSpec:
        return self._demands.put_on(spec_for(problem, packed))

    def _run_arrays(self, build: Callable[[], AnyProblem], typed: dict[str, Typed]) -> None:
        """Runs on NumPy arrays, where the plan's device says."""
        gpu = None if self._device == "cpu" else _gpu.get() if self._device == "cuda" else _gpu.find()
        if gpu is not None:
            problem = build()
            try:
                spec = choose(self._spec_for(problem, packed=True), problem, gpu.chip, self._config, self._schedule)
                kernel = _compiler.compile_gpu(spec, gpu.chip)
            except CompileError as error:
                if self._device == "cuda":
                    raise DeviceError(f"{gpu} cannot run the plan: {error}; or pass device='cpu'") from error
                _gpu.warn(f"running on the CPU since {gpu} cannot run the plan: {error}")
            else:
                if problem.has_elements():
                    self._launcher.run_arrays(problem, kernel, spec, gpu)
                self._last_spec, self._last_gpu, self._last_sized = spec, gpu, sized_spec(spec, problem)
                return
        self._check_cpu_types(typed)
        problem = build()
        spec = self._demands.put_on(problem.spec(problem.has_alpha()))
        executable = _compiler.compile_gemm(spec)
        self._last_spec, self._last_gpu = spec, None
        arguments: list[Any] = [operand.encode() for operand in problem.operands()]
        try:
            executable.invoke("gemm", arguments + problem.scalars(spec))
        except _cutl.Error as error:
            raise InternalError(error.args[1]) from None

    def compile(
        self, device: Optional[str] = None, *, chip: str = DEFAULT_CHIP, shape: Optional[tuple[int, int, int]] = None
    ) -> None:
        """Compiles ahead of the first run for the declared element types and layouts.

        For "cuda" it needs no GPU; code for `chip` is chosen for M, N and K of `shape`, as a run of those sizes does.
        """
        if device not in (None, *_DEVICES):
            raise ArgumentError(f"device: expected 'auto', 'cpu' or 'cuda', got {device!r}")
        target = self._device if device is None else device
        if target == "auto":
            target = "cpu" if _gpu.find() is None else "cuda"
        if target == "cuda":
            _compiler.compile_gpu(self._gpu_spec(chip, shape), chip)
        else:
            spec = self._declared_spec()
            self._check_cpu_types({"A": spec.a.dtype, "B": spec.b.dtype})
            _compiler.compile_gemm(spec)

    @property
    def ptx(self) -> str:
        """The PTX of the last run's kernel on a GPU, or of what the constructor declares for sm_90a."""
        if self._last_gpu is not None:
            return self.ir("ptx", chip=self._last_gpu.chip)
        return self.ir("ptx")

    def bundle(
        self,
        path: Union[str, "os.PathLike[str]"],
        *,
        chip: str = DEFAULT_CHIP,
        shape: Optional[tuple[int, int, int]] = None,
    ) -> None:
        """Writes code for a chip to a file that the runtime loads (`cutl-run x.cutlb`). Needs no GPU."""
        data = _compiler.compile_gpu(self._gpu_spec(chip, shape), chip).data
        Path(path).write_bytes(data)

    def ir(
        self,
        stage: Stage = "raw",
        *,
        chip: str = DEFAULT_CHIP,
        shape: Optional[tuple[int, int, int]] = None,
        device: str = "",
    ) -> str:
        """The plan's module as text: "raw", "targeted" or "configured"; on the way to a GPU "tiled", "staged", "nvvm",
        "llvm" or "ptx"; on the way to the CPU "linalg", or "llvm" with device="cpu".

        It is that of the last run, or of what the constructor declares. `shape` fixes M, N and K, which otherwise stay
        open, and lets the configuration be chosen anew.
        """
        return show(self._module(shape), stage, chip, device)

    def explain(self, *, chip: str = DEFAULT_CHIP, shape: Optional[tuple[int, int, int]] = None) -> str:
        """Which configuration the compiler chooses for a chip, and why; several for different sizes if those are open."""
        return explain(_compiler.build_gemm(self._open_spec(shape)), chip)

    def draw_schedule(
        self,
        path: Union[None, str, "os.PathLike[str]"] = None,
        *,
        chip: str = DEFAULT_CHIP,
        shape: Optional[tuple[int, int, int]] = None,
    ) -> str:
        """A drawing, as SVG, of which CTA or cluster does which tile and which k over time, also written to a file if one
        is named.

        It is that of the last run on a GPU, or of what the constructor declares with M, N and K of `shape` and one
        element in each batch dimension. Time is counted in k iterations, which all take equally long. Raises
        `cutl.errors.ArgumentError` without sizes, and `cutl.errors.CompileError` where the chip cannot run the plan or
        there is more to draw than can be seen. Needs no GPU.
        """
        spec, chip = self._sized_spec(chip, shape)
        if DYNAMIC in spec.extents:
            raise ArgumentError("shape: expected M, N and K, since the plan has not run on a GPU, got None")
        # Set after that run, perhaps.
        spec = replace(spec, config=self._config or spec.config)
        svg = _compiler.emit(_compiler.build_gemm(spec), "schedule", f"chip={check_chip(chip)}")[0].decode()
        if path is not None:
            Path(path).write_text(svg, encoding="utf-8")
        return svg

    def _sized_spec(self, chip: str, shape: Optional[tuple[int, int, int]]) -> tuple[GemmSpec, str]:
        """The last run's problem on a GPU and that one's chip, or what the constructor declares with sizes, on `chip`."""
        if self._last_sized is not None and self._last_gpu is not None and shape is None:
            return self._last_sized, self._last_gpu.chip
        spec = self._open_spec(shape)
        return replace(spec, batch=(1,) * spec.num_batch), chip

    def _module(self, shape: Optional[tuple[int, int, int]]) -> _cutl.Module:
        spec = self._last_spec
        if spec is None or shape is not None or spec.activation != self._activation:
            spec = self._open_spec(shape)
        return _compiler.build_gemm(spec)

    def _open_spec(self, shape: Optional[tuple[int, int, int]]) -> GemmSpec:
        """The last run's problem, or the declared one, without a configuration."""
        spec = self._last_spec or self._declared_spec()
        sizes = extents(shape, DYNAMIC)
        return replace(spec, activation=self._activation, extents=sizes, batch=None, config=self._config, schedule=self._schedule)

    def _gpu_spec(self, chip: str, shape: Optional[tuple[int, int, int]]) -> GemmSpec:
        """What a run on a GPU compiles: the last run's kernel, or the declared problem's for sizes."""
        check_chip(chip)
        if self._last_gpu is not None and self._last_spec is not None and shape is None:
            return self._last_spec
        spec = self._declared_spec() if self._last_spec is None else self._last_spec
        if spec.epilogue is None:
            spec = replace(spec, has_alpha=self.alpha != 1.0 or spec.c is not None, activation=self._activation)
        spec = replace(spec, config=self._config, schedule=self._schedule)
        if shape is None or self._config:
            return spec
        return _compiler.configure(spec, chip, extents(shape, DYNAMIC), (1,) * spec.num_batch)

    @staticmethod
    def _parse(config: str = "", schedule: str = "") -> None:
        """Raises if a text is not that of a configuration or a schedule, nor empty."""
        if not isinstance(config, str):
            raise ConfigError(f"config: expected the text of a #cutl.tile_config, or '', got {config!r}")
        if not isinstance(schedule, str):
            raise ConfigError(f"schedule: expected the text of a schedule, as '#cutl.stream_k', or '', got {schedule!r}")
        # Any problem will do.
        half = OperandSpec(DataType.f16, "mk", True)
        plain = GemmSpec(half, replace(half, dims="nk"), replace(half, dims="mn"), DataType.f32, identity)
        try:
            if config or schedule:
                _compiler.build_gemm(replace(plain, config=config, schedule=schedule))
        except CompileError as error:
            raise ConfigError(f"{'config' if config else 'schedule'}: {error}", error.diagnostics) from None

    def _check(self, what: str, config: str, schedule: str, demands: Demands) -> None:
        """Raises what keeps a configuration and a schedule from running, as far as the plan knows its problem."""
        spec = self._known_spec()
        if spec is None:
            return
        chip = DEFAULT_CHIP if self._last_gpu is None else self._last_gpu.chip
        try:
            module = _compiler.build_gemm(demands.put_on(replace(spec, config=config, schedule=schedule)))
            _compiler.run_pipeline(module, f"cutl-configure{{chip={chip}}}")
        except CompileError as error:
            raise ConfigError(f"{what}: {error}", error.diagnostics) from None

    def _known_spec(self) -> Optional[GemmSpec]:
        """The problem of the last run or that of the constructor, if either says enough."""
        try:
            return self._last_spec or self._declared_spec()
        except (MissingOperandError, DTypeError):
            return None

    def _declared_spec(self) -> GemmSpec:
        """What the constructor says of the problem, without batch dimensions and bias."""
        spec = self._declared_plain() if self._visitor is None else self._declared_visited(self._visitor)
        return self._demands.put_on(spec)

    def _declared_plain(self) -> GemmSpec:
        """The problem without an epilogue visitor."""
        names = [name for name in MATRICES if name != "C" or self.beta != 0.0]
        operands = {name: self._declared_operand(name) for name in names}
        return GemmSpec(
            a=operands["A"],
            b=operands["B"],
            d=operands["D"],
            c=operands.get("C"),
            has_alpha=has_alpha(operands["D"].dtype, self.alpha),
            accumulator=self._accumulator_of(operands["A"].dtype, operands["B"].dtype),
            activation=self._activation,
        )

    def _declared_visited(self, visitor: Epilogue) -> GemmSpec:
        """The problem whose epilogue was traced with examples."""
        a, b = self._declared_operand("A"), self._declared_operand("B")
        accumulator = self._accumulator_of(a.dtype, b.dtype)
        _, binding = visitor.bind_examples(accumulator)
        num_batch = sum(map(len, binding.batch))
        batch = "".join(map(str, range(num_batch)))
        a, b = (replace(operand, dims=batch + operand.dims) for operand in (a, b))
        return GemmSpec(
            a=a,
            b=b,
            more_b=() if self._split else (b,) * (len(visitor.accumulators) - 1),
            split=self._split,
            d=None,
            has_alpha=False,
            num_batch=num_batch,
            accumulator=accumulator,
            activation=identity,
            epilogue=binding.spec,
        )

    def _declared_operand(self, name: str) -> OperandSpec:
        array, dtype, dims = self._arrays[name], self._elements[name], MATRICES[name]
        if dtype is None:
            raise MissingOperandError(
                f"element_{name}: expected an element type or an array before the first run, got none"
            )
        if array is None:
            return OperandSpec(dtype, dims[::-1] if self._layouts[name] is LayoutType.ColumnMajor else dims, True)
        array = self._typed(name, array[0] if isinstance(array, tuple) else array)[0]
        _arrays.check_rank(name, array, 2)
        return spec_of(_arrays.describe(name, array[(0,) * (array.ndim - 2)], dtype, dims, ()))

    @staticmethod
    def _check_cpu_types(types: dict[str, Any]) -> None:
        """A and B must be of types that the CPU target takes."""
        for name in "AB":
            dtype = types[name][1] if isinstance(types[name], tuple) else types[name]
            if not dtype.is_cpu_operand:
                known = ", ".join(t.name for t in DataType if t.is_cpu_operand)
                raise DTypeError(f"{name}: expected one of the CPU target's element types {known}, got {dtype.name}")

    def _accumulator_of(self, a: DataType, b: DataType) -> DataType:
        if self._accumulator is not None:
            return self._accumulator
        code = _cutl.default_accumulator(a._code, b._code)
        for dtype in DataType:
            if dtype._code == code:
                return dtype
        raise DTypeError(f"B: expected an element type that can be multiplied with {a.name} of A, got {b.name}")
