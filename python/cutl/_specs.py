"""What compiled code depends on, as values that can be compared and handed to the extension module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Optional

from .dtypes import DataType

# Names of CutlCombiner and CutlSplit in cutl-c/Compiler.h, in their order.
_COMBINERS = ("", "add", "max", "min", "amax")
SPLITS = ("", "halves", "interleaved")


# Type, dimensions, whether the last stride is one, pitch.
EncodedOperand = tuple[int, str, bool, int]
# That the compiler takes.
_MAX_PITCH = 2**31 - 1
# What the tensor copy engine wants addresses and strides to be multiples of.
_COPY_BYTES = 16


@dataclass(frozen=True)
class OperandSpec:
    """An array of a problem: its dimensions are named by letters, batch dimensions by digits."""

    dtype: DataType
    dims: str
    unit_stride: bool
    # The stride of the dimension before the last, in elements, where a choice takes it into account.
    pitch: int = 0
    # Whether the tensor copy engine cannot read it where it lies, where a choice takes that into account.
    unaligned: bool = False

    def encode(self) -> EncodedOperand:
        return (self.dtype._code, self.dims, self.unit_stride, self.pitch)

    def pitched(self, strides: tuple[int, ...]) -> OperandSpec:
        """The same with the pitch of an array's strides, if it is one that matters."""
        known = self.unit_stride and len(strides) >= 2 and 0 < strides[-2] <= _MAX_PITCH
        return replace(self, pitch=strides[-2]) if known else self

    def placed(self, address: int, sizes: Sequence[int], strides: Sequence[int]) -> OperandSpec:
        """The same with all that a choice takes into account of where an array lies."""
        return replace(self.pitched(tuple(strides)), unaligned=not _is_aligned(self.dtype, address, sizes, strides))

    def packed(self) -> OperandSpec:
        """The same with a last stride of one."""
        return replace(self, unit_stride=True)


def _is_aligned(dtype: DataType, address: int, sizes: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether the tensor copy engine can read an array whose last dimension should be contiguous."""
    if 0 in sizes:
        return True
    item = dtype.bits // 8
    *outer, last = [stride if size > 1 else None for size, stride in zip(sizes, strides)]
    ends = last in (None, 1)
    return ends and address % _COPY_BYTES == 0 and all(
        stride is None or (stride >= 0 and stride * item % _COPY_BYTES == 0) for stride in outer
    )


@dataclass(frozen=True)
class EpilogueInput:
    """What an epilogue reads: an array, or a number by value."""

    name: str
    operand: OperandSpec
    is_number: bool = False


@dataclass(frozen=True)
class EpilogueNode:
    """A step. Values are numbered: accumulators, inputs, nodes."""

    op: str
    operands: tuple[int, ...]
    numbers: tuple[float, ...]
    dtype: Optional[DataType]
    # What errors call it; code does not depend on it.
    name: str = field(compare=False)


@dataclass(frozen=True)
class EpilogueOutput:
    """What an epilogue writes; a combiner if it is a reduction."""

    name: str
    operand: OperandSpec
    value: int
    combiner: str = ""


@dataclass(frozen=True)
class EpilogueSpec:
    """An epilogue as a graph."""

    inputs: tuple[EpilogueInput, ...]
    nodes: tuple[EpilogueNode, ...]
    outputs: tuple[EpilogueOutput, ...]
    # None for the type that goes with the accumulator.
    compute: Optional[DataType]

    def encode(
        self,
    ) -> tuple[
        list[tuple[str, EncodedOperand, bool]],
        list[tuple[str, list[int], list[float], int, str]],
        list[tuple[str, EncodedOperand, int, int]],
        int,
    ]:
        return (
            [(i.name, i.operand.encode(), i.is_number) for i in self.inputs],
            [(n.op, list(n.operands), list(n.numbers), _code(n.dtype), n.name) for n in self.nodes],
            [(o.name, o.operand.encode(), o.value, _COMBINERS.index(o.combiner)) for o in self.outputs],
            _code(self.compute),
        )

    def packed(self) -> EpilogueSpec:
        """The same with every array's last stride one."""
        inputs = tuple(i if i.is_number else replace(i, operand=i.operand.packed()) for i in self.inputs)
        return replace(self, inputs=inputs, outputs=tuple(replace(o, operand=o.operand.packed()) for o in self.outputs))


def _code(dtype: Optional[DataType]) -> int:
    return 0 if dtype is None else dtype._code
