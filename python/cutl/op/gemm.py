"""Matrix products with a fused epilogue."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Literal, Optional

import numpy as np

from .. import _arrays, _compiler, _cutl
from .._arrays import Array, Operand
from .._compiler import DYNAMIC, GemmSpec, OperandSpec
from .._stages import Stage, lower, remarks
from ..dtypes import DataType, DTypeLike, as_data_type
from ..epilogue import Activation, ActivationLike, as_activation, identity
from ..errors import (
    ArgumentError,
    DeviceError,
    DeviceWarning,
    DTypeError,
    InternalError,
    MissingOperandError,
    ShapeError,
)
from ..layouts import LayoutType

__all__ = ["Gemm"]

Device = Literal["auto", "cpu", "cuda"]

_MATRICES = {"A": "mk", "B": "kn", "C": "mn", "D": "mn"}


class Gemm:
    """A plan for `D = activation(alpha * A @ B + beta * C + bias)`.

    A is M by K, B is K by N, C and D are M by N. Leading dimensions are batch dimensions and broadcast as in
    `numpy.matmul`; those of D are the result's. C may be None when beta is 0, and may be a row of N elements. A bias is
    a row of N elements or a column of shape (M, 1), and is added before the activation. When beta is 0, C is not read.

    Element types and layouts come from the arrays given here, else from `element_A` and the like, else from `element`
    and `layout`; what is left open is taken from the arrays of each run. Arrays keep their place: any strides are
    addressed as they are, and nothing is copied. A layout declares which dimension is contiguous for `ir` and
    `compile`; a run adapts to the strides it meets. Code is compiled once for each combination of element types,
    contiguous dimensions and epilogue, serves every size, and is shared by all plans of the process.

    Products are accumulated in `element_accumulator`, by default f32 (s32 for integers, f64 for f64).
    """

    def __init__(
        self,
        A: Optional[Array] = None,
        B: Optional[Array] = None,
        C: Optional[Array] = None,
        D: Optional[Array] = None,
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
        device: Device = "auto",
    ) -> None:
        if device not in ("auto", "cpu", "cuda"):
            raise ArgumentError(f"device: expected 'auto', 'cpu' or 'cuda', got {device!r}")
        if device == "cuda":
            raise DeviceError("device: expected 'auto' or 'cpu', got 'cuda', for which there is no code generator yet")
        self._device = device
        self._arrays = {"A": A, "B": B, "C": C, "D": D}
        self._elements: dict[str, Optional[DataType]] = {}
        self._layouts: dict[str, Optional[LayoutType]] = {}
        elements = {"A": element_A, "B": element_B, "C": element_C, "D": element_D}
        layouts = {"A": layout_A, "B": layout_B, "C": layout_C, "D": layout_D}
        for name, array in self._arrays.items():
            self._declare(name, array, elements[name], layouts[name], element, layout)
        self._accumulator = (
            None if element_accumulator is None else as_data_type(element_accumulator, "element_accumulator")
        )
        self.alpha = alpha
        self.beta = beta
        self._activation = identity
        self._last_spec: Optional[GemmSpec] = None

    def _declare(
        self,
        name: str,
        array: Optional[Array],
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
            self._elements[name] = _arrays.check_array(name, array)
            self._layouts[name] = None
            return
        if own_element is not None:
            self._elements[name] = as_data_type(own_element, f"element_{name}")
        else:
            self._elements[name] = None if element is None else as_data_type(element, "element")
        self._layouts[name] = own_layout or layout

    @property
    def device(self) -> str:
        """The device that `run` uses."""
        return "cpu"

    @property
    def alpha(self) -> float:
        """The factor of the product in runs that give none."""
        return self._alpha

    @alpha.setter
    def alpha(self, value: float) -> None:
        self._alpha = _number("alpha", value)

    @property
    def beta(self) -> float:
        """The factor of C in runs that give none."""
        return self._beta

    @beta.setter
    def beta(self, value: float) -> None:
        self._beta = _number("beta", value)

    @property
    def activation(self) -> Activation:
        """The function applied last. Set it to one of `cutl.epilogue`, to its name, or to a pair of either and the
        function's argument, as in `("leaky_relu", 0.1)`."""
        return self._activation

    @activation.setter
    def activation(self, value: ActivationLike) -> None:
        self._activation = as_activation(value)

    def run(
        self,
        A: Optional[Array] = None,
        B: Optional[Array] = None,
        C: Optional[Array] = None,
        D: Optional[Array] = None,
        alpha: Optional[float] = None,
        beta: Optional[float] = None,
        bias: Optional[Array] = None,
    ) -> Array:
        """Computes D, in place, and returns it.

        What is not given here is taken from the constructor. D may be C itself; it must not overlap anything else.
        """
        problem = _Problem(self, A, B, C, D, alpha, beta, bias)
        spec = problem.spec()
        if self._device == "auto":
            _warn_auto()
        executable = _compiler.compile_gemm(spec)
        self._last_spec = spec
        scale = (DataType.f64 if spec.accumulator is DataType.f64 else DataType.f32)._code
        arguments: list[Any] = [operand.encode() for operand in problem.operands()]
        if spec.has_alpha:
            arguments.append((problem.alpha, scale))
        if spec.has_beta:
            arguments.append((problem.beta, scale))
        try:
            executable.invoke("gemm", arguments)
        except _cutl.Error as error:
            raise InternalError(error.args[1]) from None
        return problem.output.array

    def compile(self) -> None:
        """Compiles ahead of the first run for the declared element types and layouts."""
        _compiler.compile_gemm(self._declared_spec())

    def ir(
        self, stage: Stage = "raw", *, chip: str = "sm_90a", shape: Optional[tuple[int, int, int]] = None
    ) -> str:
        """The plan's module as text: "raw", "targeted" or "configured" for a chip, or on the way to the CPU, "linalg"
        or "llvm".

        It is that of the last run, or of what the constructor declares. `shape` fixes M, N and K, which otherwise stay
        open.
        """
        return str(self._module(stage, chip, shape)[0])

    def explain(self, *, chip: str = "sm_90a", shape: Optional[tuple[int, int, int]] = None) -> str:
        """Which configuration the compiler chooses for a chip, and why."""
        return remarks(self._module("configured", chip, shape)[1])

    def _module(self, stage: str, chip: str, shape: Optional[tuple[int, int, int]]) -> tuple[_cutl.Module, Any]:
        spec = self._last_spec or self._declared_spec()
        spec = replace(spec, activation=self._activation, extents=_extents(shape))
        module = _compiler.build_gemm(spec)
        return module, lower(module, stage, chip)

    def _declared_spec(self) -> GemmSpec:
        """What the constructor says of the problem, without batch dimensions and bias."""
        operands: dict[str, OperandSpec] = {}
        for name, dims in _MATRICES.items():
            array = self._arrays[name]
            dtype = self._elements[name]
            if name == "C" and self.beta == 0.0:
                continue
            if dtype is None:
                raise MissingOperandError(
                    f"element_{name}: expected an element type or an array before the first run, got none"
                )
            if array is not None:
                _arrays.check_rank(name, array, 2)
                matrix = _arrays.describe(name, array[(0,) * (array.ndim - 2)], dtype, dims, ())
                operands[name] = _spec_of(matrix)
                continue
            if self._layouts[name] is LayoutType.ColumnMajor:
                dims = dims[::-1]
            operands[name] = OperandSpec(dtype, dims, True)
        return GemmSpec(
            a=operands["A"],
            b=operands["B"],
            d=operands["D"],
            c=operands.get("C"),
            has_alpha=_has_alpha(operands["D"].dtype, self.alpha),
            accumulator=self._accumulator_of(operands["A"].dtype, operands["B"].dtype),
            activation=self._activation,
        )

    def _accumulator_of(self, a: DataType, b: DataType) -> DataType:
        for name, dtype in (("A", a), ("B", b)):
            if not dtype.is_cpu_operand:
                known = ", ".join(t.name for t in DataType if t.is_cpu_operand)
                raise DTypeError(f"{name}: expected one of the CPU target's element types {known}, got {dtype.name}")
        if self._accumulator is not None:
            return self._accumulator
        code = _cutl.default_accumulator(a._code, b._code)
        for dtype in DataType:
            if dtype._code == code:
                return dtype
        raise DTypeError(f"B: expected an element type that can be multiplied with {a.name} of A, got {b.name}")


class _Problem:
    """The operands of one run, checked."""

    def __init__(
        self,
        plan: Gemm,
        A: Optional[Array],
        B: Optional[Array],
        C: Optional[Array],
        D: Optional[Array],
        alpha: Optional[float],
        beta: Optional[float],
        bias: Optional[Array],
    ) -> None:
        self._plan = plan
        self.alpha = plan.alpha if alpha is None else _number("alpha", alpha)
        self.beta = plan.beta if beta is None else _number("beta", beta)
        given = {"A": A, "B": B, "C": C, "D": D}
        arrays = {name: plan._arrays[name] if value is None else value for name, value in given.items()}
        reads_c = self.beta != 0.0
        types: dict[str, DataType] = {}
        for name, array in arrays.items():
            if array is None:
                if name == "C" and not reads_c:
                    continue
                why = f" since beta is {self.beta}" if name == "C" else ""
                raise MissingOperandError(f"{name}: expected an array in run() or in the constructor{why}, got none")
            types[name] = _arrays.check_array(name, array)
            declared = plan._elements[name]
            if declared is not None and types[name] is not declared:
                raise DTypeError(f"{name}: expected element type {declared.name}, got {types[name].name}")
        a, b, c, d = (arrays[name] for name in "ABCD")
        assert a is not None and b is not None and d is not None
        self._measure(a, b, d)
        self.a = self._describe("A", a, types["A"])
        self.b = self._describe("B", b, types["B"])
        self.output = self._describe("D", d, types["D"])
        self.c = None if c is None else self._describe_c(c, types["C"])
        if not reads_c:
            self.c = None
        self.bias = None if bias is None else self._describe_bias(bias)
        self._check_aliases()

    def _measure(self, a: Array, b: Array, d: Array) -> None:
        """M, N, K and the batch dimensions."""
        for name, array in (("A", a), ("B", b), ("D", d)):
            _arrays.check_rank(name, array, 2)
        self.m, self.k = a.shape[-2:]
        self.n = b.shape[-1]
        if b.shape[-2] != self.k:
            raise ShapeError(
                f"B: expected {self.k} rows, the K of A with shape {a.shape}, got {b.shape[-2]} in shape {b.shape}"
            )
        self.batch = _arrays.batch_shape((("A", a), ("B", b)))
        expected = (*self.batch, self.m, self.n)
        if d.shape != expected:
            raise ShapeError(
                f"D: expected shape {expected} from A with shape {a.shape} and B with shape {b.shape}, got {d.shape}"
            )

    def _describe(self, name: str, array: Array, dtype: DataType) -> Operand:
        return _arrays.describe(name, array, dtype, _MATRICES[name], self.batch)

    def _describe_c(self, c: Array, dtype: DataType) -> Operand:
        if c.ndim >= 2 and c.shape[-2:] == (self.m, self.n) and self._broadcasts(c):
            return self._describe("C", c, dtype)
        if c.ndim >= 1 and c.shape == (*(1,) * (c.ndim - 1), self.n):
            return _arrays.describe("C", c[(0,) * (c.ndim - 1)], dtype, "n", self.batch)
        raise ShapeError(
            f"C: expected the shape {self.output.array.shape} of D, or {self.n} elements as a row, got {c.shape}"
        )

    def _broadcasts(self, array: Array) -> bool:
        lead = array.shape[:-2]
        return len(lead) <= len(self.batch) and all(
            size in (1, extent) for size, extent in zip(lead[::-1], self.batch[::-1])
        )

    def _describe_bias(self, bias: Array) -> Operand:
        dtype = _arrays.check_array("bias", bias)
        ones = (1,) * (bias.ndim - 1)
        if bias.ndim >= 1 and bias.shape == (*ones, self.n):
            return _arrays.describe("bias", bias[(0,) * (bias.ndim - 1)], dtype, "n", self.batch)
        if bias.ndim >= 2 and bias.shape == (*ones[1:], self.m, 1):
            return _arrays.describe("bias", bias[(0,) * (bias.ndim - 2)][:, 0], dtype, "m", self.batch)
        raise ShapeError(
            f"bias: expected {self.n} elements as a row or shape ({self.m}, 1) as a column, got {bias.shape}"
        )

    def _check_aliases(self) -> None:
        d = self.output.array
        _arrays.check_output("D", d)
        for operand in (self.a, self.b, self.c, self.bias):
            if operand is not None:
                _arrays.check_no_overlap("D", d, operand.name, operand.array, operand is self.c)

    def operands(self) -> list[Operand]:
        return [o for o in (self.a, self.b, self.c, self.bias, self.output) if o is not None]

    def spec(self) -> GemmSpec:
        return GemmSpec(
            a=_spec_of(self.a),
            b=_spec_of(self.b),
            d=_spec_of(self.output),
            c=None if self.c is None else _spec_of(self.c),
            bias=None if self.bias is None else _spec_of(self.bias),
            has_alpha=_has_alpha(self.output.dtype, self.alpha),
            num_batch=len(self.batch),
            accumulator=self._plan._accumulator_of(self.a.dtype, self.b.dtype),
            activation=self._plan._activation,
        )


def _spec_of(operand: Operand) -> OperandSpec:
    return OperandSpec(operand.dtype, operand.dims, operand.unit_stride)


def _has_alpha(result: DataType, alpha: float) -> bool:
    """Integer results are sums as they stand; that they cannot be scaled is for the compiler to say."""
    return not result.is_integer or alpha != 1.0


def _number(name: str, value: Any) -> float:
    if not isinstance(value, (str, bytes, complex, np.complexfloating)):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
        except OverflowError:
            raise ArgumentError(f"{name}: expected a number that f64 holds, got one of {type(value).__name__}") from None
    raise ArgumentError(f"{name}: expected a number, got {value!r}")


def _extents(shape: Optional[tuple[int, int, int]]) -> tuple[int, int, int]:
    if shape is None:
        return (DYNAMIC, DYNAMIC, DYNAMIC)
    extents = tuple(shape)
    if len(extents) != 3 or not all(isinstance(e, int) and e >= 0 for e in extents):
        raise ArgumentError(f"shape: expected M, N and K of 0 or more, got {shape!r}")
    return extents


_auto_warned = False


def _warn_auto() -> None:
    """Says once per process what "auto" means here."""
    global _auto_warned
    if not _auto_warned:
        _auto_warned = True
        warnings.warn(
            "device 'auto' runs on the CPU: there is no code generator for GPUs yet; pass device='cpu' to be silent",
            DeviceWarning,
            stacklevel=3,
        )
