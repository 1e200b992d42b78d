"""The graph that a traced function becomes. Nothing here knows which operation the epilogue belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Optional

from ..dtypes import DataType
from ..errors import SourceLocation

# What nodes can be, beside the ops that `_cutl.epilogue_ops()` lists.
LOAD = "load"  # One use of an argument.
CONSTANT = "constant"
CONVERT = "convert"
PERMUTE = "permute"
RESHAPE = "reshape"
REDUCE = "reduce"

COMPARISONS = ("eq", "ge", "gt", "le", "lt", "ne")
LOGIC = ("and", "not", "or", "xor")
# In the order of CutlCombiner in cutl-c/Compiler.h, which has "none" before them.
COMBINERS = ("add", "max", "min", "amax")


@dataclass(frozen=True)
class Node:
    """One step; operands are numbers of nodes before it."""

    op: str
    location: SourceLocation
    operands: tuple[int, ...] = ()
    # Constants of an op; what a conversion's numbers are says `_functions.cast`.
    numbers: tuple[float, ...] = ()
    # The argument of a load, otherwise the variable that it is assigned to.
    name: str = ""
    dtype: Optional[DataType] = None
    # Of a permutation its indices, of a reshaping the new shape, of a reduction its dimensions or none for all.
    dims: Optional[tuple[int, ...]] = None
    keepdims: bool = False
    # Of a reduction.
    combiner: str = ""

    @property
    def is_truth(self) -> bool:
        return self.op in COMPARISONS or self.op in LOGIC


@dataclass(frozen=True)
class Result:
    name: str
    node: int
    location: SourceLocation


@dataclass
class Graph:
    """A function: its arguments in order, its steps, and what it returns."""

    name: str
    location: SourceLocation
    arguments: dict[str, SourceLocation] = field(default_factory=dict)
    # Of arguments that have one.
    defaults: dict[str, float] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)

    def add(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def live(self) -> list[int]:
        """The nodes that results depend on, in order."""
        needed = {result.node for result in self.results}
        for index in range(len(self.nodes) - 1, -1, -1):
            if index in needed:
                needed.update(self.nodes[index].operands)
        return sorted(needed)

    def reduction_of(self, index: int) -> Optional[Node]:
        """The reduction that a value is, permuted and reshaped or not; none if it is none."""
        node = self.nodes[index]
        while node.op in (PERMUTE, RESHAPE):
            node = self.nodes[node.operands[0]]
        return node if node.op == REDUCE else None

    def accumulators(self) -> tuple[str, ...]:
        """The arguments that are accumulators: `accum`, or `accum0`, `accum1` and so on, in order."""
        if "accum" in self.arguments:
            return ("accum",)
        return tuple(_numbered(self.arguments))

    def inputs(self) -> tuple[str, ...]:
        """The other arguments."""
        return tuple(name for name in self.arguments if name not in self.accumulators())


def _numbered(arguments: dict[str, Any]) -> Iterator[str]:
    index = 0
    while f"accum{index}" in arguments:
        yield f"accum{index}"
        index += 1
