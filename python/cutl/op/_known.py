"""What a plan knows of its problem while it does not run: specs to compile, to print and to explain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Optional

from .. import _compiler, _cutl
from .._compiler import DYNAMIC, GemmSpec
from .._specs import OperandSpec
from .._stages import DEFAULT_CHIP, check_chip
from ..epilogue import Epilogue, identity
from ..errors import ArgumentError, CompileError, ConfigError, DTypeError, MissingOperandError
from ._declared import Declared
from ._launch import choose
from ._problem import MATRICES, extents, has_alpha
from ._runner import Ran
from ._settings import Settings
from ._visited import check_counts

Shape = Optional[tuple[int, int, int]]


@dataclass(frozen=True)
class Known:
    """What was said of a plan, and its last run, if there is one."""

    declared: Declared
    settings: Settings
    last: Optional[Ran]

    def declared_spec(self) -> GemmSpec:
        """What the constructor says of the problem, without batch dimensions and bias."""
        visitor = self.settings.visitor
        spec = self._plain() if visitor is None else self._visited(visitor)
        return self.settings.demands.put_on(spec)

    def _plain(self) -> GemmSpec:
        """The problem without an epilogue visitor."""
        settings = self.settings
        settings.check_split()
        self.declared.check_one_b()
        operands = {name: self.declared.spec(name) for name in MATRICES if name != "C" or settings.beta != 0.0}
        return GemmSpec(
            a=operands["A"],
            b=operands["B"],
            d=operands["D"],
            c=operands.get("C"),
            has_alpha=settings.alpha != 1.0 or "C" in operands,
            accumulator=self.declared.accumulator(operands["A"].dtype, operands["B"].dtype),
            activation=settings.activation,
        )

    def _visited(self, visitor: Epilogue) -> GemmSpec:
        """The problem whose epilogue was traced with examples."""
        split = self.settings.split
        # Where no array is declared, runs are given as many as there have to be.
        count = self.declared.count_b()
        check_counts(count or (1 if split else len(visitor.accumulators)), visitor, split)
        a, b = self.declared.spec("A"), self.declared.spec("B")
        accumulator = self.declared.accumulator(a.dtype, b.dtype)
        _, binding = visitor.bind_examples(accumulator)
        num_batch = sum(map(len, binding.batch))
        batch = "".join(map(str, range(num_batch)))
        a, b = (replace(operand, dims=batch + operand.dims) for operand in (a, b))
        more_b: tuple[OperandSpec, ...] = () if split else (b,) * (len(visitor.accumulators) - 1)
        return GemmSpec(
            a=a,
            b=b,
            more_b=more_b,
            split=split,
            d=None,
            has_alpha=False,
            num_batch=num_batch,
            accumulator=accumulator,
            activation=identity,
            epilogue=binding.spec,
        )

    def cpu_spec(self, shape: Shape) -> GemmSpec:
        """What a run on the CPU compiles for what the constructor declares: any factor, where results are floats, and
        any sizes.
        """
        extents(shape, DYNAMIC)
        spec = self.declared_spec()
        if spec.d is None:
            return spec
        return replace(spec, has_alpha=has_alpha(spec.d.dtype, self.settings.alpha))

    def open_spec(self, shape: Shape) -> GemmSpec:
        """The last run's problem, or the declared one, with the configuration that is set, if any."""
        spec = self._as_set(self.declared_spec() if self.last is None else self.last.spec)
        return replace(spec, extents=extents(shape, DYNAMIC), batch=None)

    def _as_set(self, spec: GemmSpec) -> GemmSpec:
        """The spec with what is set, or left to choose. A factor may have been given to the last run."""
        settings = self.settings
        if spec.epilogue is None:
            is_scaled = spec.has_alpha or settings.alpha != 1.0
            spec = replace(spec, activation=settings.activation, has_alpha=is_scaled)
        return settings.demands.put_on(replace(spec, config=settings.config, schedule=settings.schedule))

    def _sized(self, shape: Shape) -> Optional[tuple[GemmSpec, str]]:
        """The last run's problem, with its sizes and what is set, and its GPU's chip; none if it was not on a GPU, or for
        other sizes."""
        last = self.last
        if last is None or last.gpu is None or last.sized is None or shape is not None:
            return None
        return self._as_set(last.sized), last.gpu.chip

    def _again(self, shape: Shape) -> Optional[GemmSpec]:
        """What the last run would compile with what is set, if it was on a GPU."""
        known = self._sized(shape)
        if known is None or self.last is None:
            return None
        return choose(self._as_set(self.last.spec), *known)

    def module(self, shape: Shape) -> _cutl.Module:
        """The last run's, or that of the problem for sizes."""
        return _compiler.build_gemm(self._again(shape) or self.open_spec(shape))

    def sized_spec(self, chip: str, shape: Shape) -> tuple[GemmSpec, str]:
        """The last run's problem on a GPU and that one's chip, or what the constructor declares with sizes, on `chip`."""
        known = self._sized(shape)
        if known is not None:
            return known
        spec = self.open_spec(shape)
        return replace(spec, batch=(1,) * spec.num_batch), chip

    def gpu_spec(self, chip: str, shape: Shape) -> GemmSpec:
        """What a run on a GPU compiles: the last run's kernel, or the declared problem's for sizes."""
        check_chip(chip)
        again = self._again(shape)
        if again is not None:
            return again
        spec = self._as_set(self.declared_spec() if self.last is None else self.last.spec)
        if shape is None or spec.config:
            return spec
        return _compiler.configure(spec, chip, extents(shape, DYNAMIC), (1,) * spec.num_batch)

    def check(self, what: str) -> None:
        """Raises what keeps the configuration and the schedule from running, as far as the problem is known."""
        if self.settings.device == "cpu":
            return
        try:
            spec = self._as_set(self.declared_spec() if self.last is None else self.last.spec)
        except (ArgumentError, DTypeError, MissingOperandError):
            return
        chip = DEFAULT_CHIP if self.last is None or self.last.gpu is None else self.last.gpu.chip
        try:
            _compiler.run_pipeline(_compiler.build_gemm(spec), f"cutl-configure{{chip={chip}}}")
        except CompileError as error:
            raise ConfigError(f"{what}: {error}", error.diagnostics) from None
