"""Matrix products with a fused epilogue."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Optional, Union

from .. import _compiler, _tensors
from .._compiler import DYNAMIC
from .._stages import DEFAULT_CHIP, Stage, check_chip, explain, show
from ..dtypes import DTypeLike
from ..epilogue import Activation, ActivationLike, Epilogue, as_activation, identity
from ..errors import ArgumentError
from ..layouts import LayoutType
from ..math_operation import MathOperation, MathOperationLike, as_math_operation
from ._declared import Declared
from ._demands import Demands
from ._known import Known
from ._runner import Ran, Runner
from ._settings import Device, Settings, check_device, check_text, find_device

__all__ = ["Gemm", "RankedConfig"]


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
    addressed as they are, and nothing is copied but, on a GPU, an A or B that TMA cannot read: one whose address or
    strides are not multiples of 16 bytes or have no 1 among them, or, of 8-bit types and tf32, one that is not
    contiguous along K. A layout declares which dimension is contiguous for `ir` and
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
    `math_operation` is one of `cutl.MathOperation` or its name; "tf32" multiplies f32 arrays with ten bits of mantissa,
    "saturate" clamps sums of integers. A GPU's tensor cores keep fewer bits of a sum of 8-bit floats than f32 has, so that
    every 128 elements of K it is moved to an f32 sum by other instructions, unless `fast_accumulation` is True.

    `epilogue_visitor` replaces all that is done to the product by a function that `cutl.epilogue.trace` was given. The
    function may take several accumulators: B is then a tuple of as many arrays, or, with `split`, one array with two
    accumulators' columns, as "halves" or "interleaved".

    Four arguments say what is demanded of the way it is computed; the first three limit which configuration is chosen or accepted:

    * `deterministic`: the same operands give the same bits in every run on one kind of GPU. Without it, parts of a sum
      may be added in the order in which they arrive.
    * `batch_invariant`: a row of D has the same bits whatever M is, for the same N, K, element types and layouts.
    * `sm_budget`: how many SMs of a GPU a run takes at most, which leaves the others to what runs beside it. A
      configuration gives the same bits with every number.
    * `programmatic_launch`: whether a run's kernel may be started, with CUDA's programmatic dependent launch, while what
      is ahead of it in the stream still runs; it waits for that before it touches memory. False launches as usual.

    They are about GPUs. On the CPU sums are in the order of k, and there are no SMs to spare.
    """

    # What is not a setting cannot be set.
    __slots__ = ("__weakref__", "_declared", "_last", "_runner", "_settings")

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
        programmatic_launch: bool = True,
        math_operation: MathOperationLike = MathOperation.multiply_add,
        fast_accumulation: bool = False,
    ) -> None:
        demands = Demands(
            deterministic,
            batch_invariant,
            sm_budget,
            programmatic_launch,
            as_math_operation(math_operation),
            fast_accumulation,
        )
        self._settings = Settings(device, split, demands, alpha, beta)
        self._declared = Declared(
            arrays={"A": A, "B": B, "C": C, "D": D},
            elements={"A": element_A, "B": element_B, "C": element_C, "D": element_D},
            layouts={"A": layout_A, "B": layout_B, "C": layout_C, "D": layout_D},
            element=element,
            layout=layout,
            accumulator=element_accumulator,
            device=device,
        )
        self._last: Optional[Ran] = None
        # What is set after this may still change whether it can run.
        self._set(config=check_text("config", config), schedule=check_text("schedule", schedule))

    def _set(self, **changes: Any) -> None:
        self._settings = replace(self._settings, **changes)
        # Calls that one knows are those of its settings.
        self._runner = Runner(self._declared, self._settings)

    def _known(self, **changes: Any) -> Known:
        """What is known of the problem, with some settings changed."""
        settings = replace(self._settings, **changes)
        return Known(self._declared, settings, self._last)

    @property
    def device(self) -> str:
        """The device of the last run; before the first, the one that runs on NumPy arrays are for."""
        if self._last is not None:
            return "cpu" if self._last.gpu is None else "cuda"
        return find_device(self._settings.device)

    @property
    def alpha(self) -> float:
        """The factor of the product in runs that give none."""
        return self._settings.alpha

    @alpha.setter
    def alpha(self, value: float) -> None:
        self._set(alpha=value)

    @property
    def beta(self) -> float:
        """The factor of C in runs that give none."""
        return self._settings.beta

    @beta.setter
    def beta(self, value: float) -> None:
        self._set(beta=value)

    @property
    def activation(self) -> Activation:
        """The function applied last. Set it to one of `cutl.epilogue`, to its name, or to a pair of either and the
        function's argument, as in `("leaky_relu", 0.1)`."""
        return self._settings.activation

    @activation.setter
    def activation(self, value: ActivationLike) -> None:
        activation = as_activation(value)
        visitor = self._settings.visitor
        if visitor is not None and activation != identity:
            raise ArgumentError(
                f"activation: expected none beside the epilogue visitor {visitor.name}, got {activation.name}; call"
                f" {activation.name}(...) in the function, or set epilogue_visitor to None before"
            )
        self._set(activation=activation)

    @property
    def epilogue_visitor(self) -> Optional[Epilogue]:
        """What `cutl.epilogue.trace` gave, or none. It replaces alpha, beta, C, bias and the activation."""
        return self._settings.visitor

    @epilogue_visitor.setter
    def epilogue_visitor(self, value: Optional[Epilogue]) -> None:
        if value is not None and not isinstance(value, Epilogue):
            raise ArgumentError(f"epilogue_visitor: expected what cutl.epilogue.trace returns, or None, got {value!r}")
        if value is not None and self.activation != identity:
            raise ArgumentError(
                f"epilogue_visitor: expected a plan without an activation, got one with {self.activation.name}; call it in"
                " the function, and set activation to cutl.epilogue.identity before"
            )
        # Its operands may be of another problem.
        self._last = None
        self._set(visitor=value)

    @property
    def deterministic(self) -> bool:
        """Whether the same operands give the same bits in every run on one kind of GPU."""
        return self._settings.demands.deterministic

    @deterministic.setter
    def deterministic(self, value: bool) -> None:
        self._demand(deterministic=value)

    @property
    def batch_invariant(self) -> bool:
        """Whether a row of D has the same bits whatever M is."""
        return self._settings.demands.batch_invariant

    @batch_invariant.setter
    def batch_invariant(self, value: bool) -> None:
        self._demand(batch_invariant=value)

    @property
    def sm_budget(self) -> Optional[int]:
        """How many SMs a run takes at most at once; None for all."""
        return self._settings.demands.sm_budget

    @sm_budget.setter
    def sm_budget(self, value: Optional[int]) -> None:
        self._demand(sm_budget=value)

    @property
    def programmatic_launch(self) -> bool:
        """Whether a run's kernel may be started while what is ahead of it in the stream still runs."""
        return self._settings.demands.programmatic_launch

    @programmatic_launch.setter
    def programmatic_launch(self, value: bool) -> None:
        self._demand(programmatic_launch=value)

    @property
    def math_operation(self) -> MathOperation:
        """How products are formed. Set it to one of `cutl.MathOperation` or to its name, as in "tf32"."""
        return self._settings.demands.math_operation

    @math_operation.setter
    def math_operation(self, value: MathOperationLike) -> None:
        self._demand(math_operation=as_math_operation(value))

    @property
    def fast_accumulation(self) -> bool:
        """Whether sums of 8-bit floats keep, on a GPU, the bits that its tensor cores keep."""
        return self._settings.demands.fast_accumulation

    @fast_accumulation.setter
    def fast_accumulation(self, value: bool) -> None:
        self._demand(fast_accumulation=value)

    def _demand(self, **changes: Any) -> None:
        """Replaces what is demanded, if the plan's configuration, where it was given one, allows it."""
        settings = self._settings
        demands = replace(settings.demands, **changes)
        if demands == settings.demands:
            return
        if settings.config or settings.schedule:
            self._known(demands=demands).check("config" if settings.config else "schedule")
        self._set(demands=demands)

    @property
    def config(self) -> str:
        """The configuration of runs on a GPU: the one that the plan was given, else that of its last run; may be empty.

        Set it to the text of one, as in "#cutl.tile_config<cta = [128, 256, 64], stages = 4, kernel = cooperative>", or
        to "" to let the compiler choose. A `ConfigError` says what keeps it from running, and what the nearest that can
        is; where the plan does not know its element types yet, the next run says so.
        """
        if self._settings.config or self._last is None or self._last.gpu is None:
            return self._settings.config
        return self._last.spec.config

    @config.setter
    def config(self, value: str) -> None:
        value = check_text("config", value)
        if value:
            self._known(config=value).check("config")
        self._set(config=value)

    @property
    def schedule(self) -> str:
        """How runs on a GPU divide the product among CTAs: what the plan was given, else that of its last run; may be
        empty.

        Set it to the text of a schedule, as in "#cutl.stream_k" or "#cutl.stream_k<tiles = 40>", or to "" to let the
        compiler choose. Every schedule computes the same product; a `ConfigError` says what keeps one from running.
        """
        if self._settings.schedule or self._last is None or self._last.gpu is None:
            return self._settings.schedule
        return self._last.spec.schedule

    @schedule.setter
    def schedule(self, value: str) -> None:
        value = check_text("schedule", value)
        if value:
            self._known(schedule=value).check("schedule")
        self._set(schedule=value)

    def configs(self, *, chip: str = DEFAULT_CHIP, shape: Optional[tuple[int, int, int]] = None) -> list[RankedConfig]:
        """Every configuration that the compiler chooses from for a chip, best first, with the schedule that is set, if
        any. The first is its choice, unless it divides k with `#cutl.split_k`, or chooses several for sizes that are
        open, which `explain` tells.

        They are for the problem of the last run, or for what the constructor declares with M, N and K of `shape`. A
        configuration is put to use by setting `config`.
        """
        spec, chip = self._known().sized_spec(chip, shape)
        ranked = _compiler.list_configs(replace(spec, config="", schedule=self._settings.schedule), check_chip(chip))
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
        if stream is not None:
            stream = _tensors.stream_of(stream)
        settings, own = self._settings, self._declared.arrays
        A = own["A"] if A is None else A
        B = own["B"] if B is None else B
        if settings.visitor is not None:
            if visitor_args is None:
                visitor_args = {}
            elif not isinstance(visitor_args, dict):
                raise ArgumentError(f"visitor_args: expected a dict from names to values, got {visitor_args!r}")
            given = {"C": C, "D": D, "alpha": alpha, "beta": beta, "bias": bias}
            ran = self._runner.run_visited(settings.visitor, A, B, given, visitor_args, stream)
            D = visitor_args.get("D", own["D"]) if D is None else D
        else:
            settings.check_split()
            if visitor_args is not None:
                raise ArgumentError("visitor_args: expected none, got some, since the plan has no epilogue_visitor")
            C = own["C"] if C is None else C
            D = own["D"] if D is None else D
            ran = self._runner.run(A, B, C, D, alpha, beta, bias, stream)
        self._last = ran
        return D

    def compile(
        self, device: Optional[str] = None, *, chip: str = DEFAULT_CHIP, shape: Optional[tuple[int, int, int]] = None
    ) -> None:
        """Compiles ahead of the first run for the declared element types and layouts.

        For "cuda" it needs no GPU; code for `chip` is chosen for M, N and K of `shape`, as a run of those sizes does.
        """
        if device is None:
            device = self._settings.device
        check_device(device)
        if find_device(device) == "cuda":
            _compiler.compile_gpu(self._known().gpu_spec(chip, shape), chip)
        else:
            _compiler.compile_gemm(self._known().cpu_spec(shape))

    @property
    def ptx(self) -> str:
        """The PTX of the last run's kernel on a GPU, or of what the constructor declares for sm_90a."""
        if self._last is not None and self._last.gpu is not None:
            return self.ir("ptx", chip=self._last.gpu.chip)
        return self.ir("ptx")

    def bundle(
        self,
        path: Union[str, "os.PathLike[str]"],
        *,
        chip: str = DEFAULT_CHIP,
        shape: Optional[tuple[int, int, int]] = None,
    ) -> None:
        """Writes code for a chip to a file that the runtime loads (`cutl-run x.cutlb`). Needs no GPU."""
        data = _compiler.compile_gpu(self._known().gpu_spec(chip, shape), chip).data
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
        "llvm" or "ptx", and "schedule", a drawing, or "bundle-text"; on the way to the CPU "linalg", or "llvm" with device="cpu".

        It is that of the last run with what was set since, or of what the constructor declares. `shape` fixes M, N and
        K, which otherwise stay open, and lets the configuration be chosen anew.
        """
        return show(self._known().module(shape), stage, chip, device, self.programmatic_launch)

    def explain(self, *, chip: str = DEFAULT_CHIP, shape: Optional[tuple[int, int, int]] = None) -> str:
        """Which configuration the compiler chooses for a chip, and why; several for different sizes if those are open. Of
        one that was set, what it is predicted to take, and what the choice would have been.
        """
        return explain(_compiler.build_gemm(self._known().open_spec(shape)), chip)

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
        spec, chip = self._known().sized_spec(chip, shape)
        if DYNAMIC in spec.extents:
            raise ArgumentError("shape: expected M, N and K, since the plan has not run on a GPU, got None")
        svg = _compiler.emit(_compiler.build_gemm(spec), "schedule", f"chip={check_chip(chip)}")[0].decode()
        if path is not None:
            Path(path).write_text(svg, encoding="utf-8")
        return svg
