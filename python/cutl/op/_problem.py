"""The operands of one matrix product, checked against each other."""

from __future__ import annotations

import math
import operator
from typing import Any, Optional

import numpy as np

from .. import _arrays
from .._arrays import Array, Operand
from .._compiler import GemmSpec
from .._specs import OperandSpec
from ..dtypes import DataType
from ..epilogue import Activation
from ..errors import ArgumentError, ShapeError

MATRICES = {"A": "mk", "B": "kn", "C": "mn", "D": "mn"}

# What a GPU's kernels count elements of a dimension in.
_MAX_SIZE = 2**31 - 1

# An array with the element type that it stands for.
Typed = tuple[Array, DataType]


class Problem:
    """The operands of one run. Arrays are NumPy arrays, or the descriptions of tensors of a GPU."""

    def __init__(
        self,
        arrays: dict[str, Typed],
        alpha: float,
        beta: float,
        accumulator: DataType,
        activation: Activation,
    ) -> None:
        """`arrays` holds A, B and D, and C and bias if they are read."""
        self.alpha, self.beta = alpha, beta
        self._accumulator, self._activation = accumulator, activation
        self._read(arrays)
        folded = fold_batches(arrays)
        if folded is not None:
            self._read(folded)

    def _read(self, arrays: dict[str, Typed]) -> None:
        a, b, d = (arrays[name][0] for name in "ABD")
        self._measure(a, b, d)
        self.a = self._describe("A", *arrays["A"])
        self.b = self._describe("B", *arrays["B"])
        self.output = self._describe("D", *arrays["D"])
        self.c = self._describe_c(*arrays["C"]) if "C" in arrays else None
        self.bias = self._describe_bias(*arrays["bias"]) if "bias" in arrays else None
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
        return _arrays.describe(name, array, dtype, MATRICES[name], self.batch)

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

    def _describe_bias(self, bias: Array, dtype: DataType) -> Operand:
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
        """In the order of the compiled function's arguments."""
        return [o for o in (self.a, self.b, self.c, self.bias, self.output) if o is not None]

    def is_written(self, operand: Operand) -> bool:
        return operand is self.output

    def has_elements(self) -> bool:
        """Whether there is anything to compute."""
        return self.output.array.size > 0

    def has_alpha(self) -> bool:
        """Whether the compiled function takes the factor, on the CPU."""
        return has_alpha(self.output.dtype, self.alpha)

    def scalars(self, spec: GemmSpec) -> list[tuple[float, int]]:
        """The numbers that the compiled function takes, with their types."""
        return scalars_of(spec, self.alpha, self.beta)

    def spec(self, has_alpha: bool) -> GemmSpec:
        return GemmSpec(
            a=spec_of(self.a),
            b=spec_of(self.b),
            d=spec_of(self.output),
            c=None if self.c is None else spec_of(self.c),
            bias=None if self.bias is None else spec_of(self.bias),
            has_alpha=has_alpha,
            num_batch=len(self.batch),
            accumulator=self._accumulator,
            activation=self._activation,
        )


def fold_batches(arrays: dict[str, Typed]) -> Optional[dict[str, Typed]]:
    """The arrays of one product that is the same as all those of a batch: with one B the rows of all A and D, or with one A
    the columns of all B and D, where they lie evenly one after the other. None if there is no batch or no such product.

    It reads the operand that all share once, and its tiles cover all rows, of which each product may have few.
    """
    d = arrays["D"][0]
    lead = d.shape[:-2]
    if not lead or any(array.size == 0 or max(array.shape) > _MAX_SIZE for array, _ in arrays.values()):
        return None
    for shared, axis in (("B", -2), ("A", -1)):
        folded = dict(arrays)
        for name, (array, dtype) in arrays.items():
            view: Optional[Array] = None
            if name == shared:
                if all(size == 1 for size in array.shape[:-2]):
                    view = array[(0,) * (array.ndim - 2)]
            elif name in "AB" or array.shape == d.shape:
                if array.shape[:-2] == lead:
                    view = _merge(array, axis)
            elif axis == -2 and array.shape[-1] == d.shape[-1] and (array.ndim == 1 or array.shape[-2] == 1):
                # A row for all rows.
                view = array
            elif name == "bias" and axis == -1 and array.shape[-2:] == (d.shape[-2], 1):
                # A column for all columns.
                view = array
            if view is None:
                break
            folded[name] = view, dtype
        else:
            return folded
    return None


def _merge(array: Array, axis: int) -> Optional[Array]:
    """A view in which the dimensions before the last two are part of dimension `axis`, or none if their strides differ."""
    kept = -3 - axis
    merged = [(size, stride) for size, stride in zip(array.shape[:-2], array.strides[:-2])]
    merged.append((array.shape[axis], array.strides[axis]))
    merged = [(size, stride) for size, stride in merged if size != 1]
    for (_, outer), (size, inner) in zip(merged, merged[1:]):
        if outer != size * inner:
            return None
    size = math.prod(array.shape[:-2]) * array.shape[axis]
    if size > _MAX_SIZE:
        return None
    stride = merged[-1][1] if merged else array.strides[axis]
    sizes, strides = [size, array.shape[kept]], [stride, array.strides[kept]]
    if axis == -1:
        sizes.reverse()
        strides.reverse()
    return _arrays.restride(array, sizes, strides)


def spec_of(operand: Operand) -> OperandSpec:
    return OperandSpec(operand.dtype, operand.dims, operand.unit_stride)


def scalars_of(spec: GemmSpec, alpha: float, beta: float) -> list[tuple[float, int]]:
    """The numbers that the compiled function takes, with their types."""
    code = (DataType.f64 if spec.accumulator is DataType.f64 else DataType.f32)._code
    return [(alpha, code)] * spec.has_alpha + [(beta, code)] * spec.has_beta


def number(name: str, value: Any) -> float:
    """A factor as a float."""
    if not isinstance(value, (str, bytes, complex, np.complexfloating)):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
        except OverflowError:
            raise ArgumentError(
                f"{name}: expected a number that f64 holds, got one of {type(value).__name__}"
            ) from None
    raise ArgumentError(f"{name}: expected a number, got {value!r}")


def extents(shape: Optional[tuple[int, int, int]], default: int) -> tuple[int, int, int]:
    """M, N and K as the compiler takes them."""
    if shape is None:
        return (default, default, default)
    try:
        # A bool is an integer to Python, and a set has no order.
        m, n, k = (-1 if isinstance(e, bool) else operator.index(e) for e in shape)
    except (TypeError, ValueError):
        m = n = k = -1
    if isinstance(shape, (set, frozenset, dict)) or not all(0 <= e < 2**63 for e in (m, n, k)):
        raise ArgumentError(f"shape: expected M, N and K of 0 to {2**63 - 1}, got {shape!r}")
    return m, n, k


def has_alpha(result: DataType, alpha: float) -> bool:
    """Integer results are sums as they stand; that they cannot be scaled is for the compiler to say."""
    return not result.is_integer or alpha != 1.0
