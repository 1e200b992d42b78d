"""What each value of a graph has along which dimension of the output space, for arrays of given shapes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NoReturn

from ..errors import (
    ReductionError,
    SourceLocation,
    TraceError,
    TraceLayoutError,
    TraceShapeError,
)
from ._axes import (
    Axis,
    Conflict,
    Factor,
    broadcast,
    new_axes,
    parts_of,
    reshape,
    shape_of,
)
from ._graph import CONSTANT, LOAD, PERMUTE, REDUCE, RESHAPE, Graph, Node, Result

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Domain:
    """The output space of an operation: a letter and a size for each dimension, batch dimensions first."""

    letters: str
    sizes: Shape
    # How many are batch dimensions, which may be split into several.
    num_batch: int


@dataclass(frozen=True)
class Access:
    """An array that is read or written: for each of its dimensions, which factors of the output space lie along it."""

    name: str
    axes: list[Axis]
    location: SourceLocation


class Layout:
    """The dimensions of all values that results depend on."""

    def __init__(self, graph: Graph, domain: Domain, shapes: dict[str, Shape]) -> None:
        """`shapes` holds those of arguments and results that are arrays; accumulators have the domain's."""
        self._graph, self._domain, self._shapes = graph, domain, shapes
        self._space: list[Axis] = [[Factor(size, letter)] for letter, size in zip(domain.letters, domain.sizes)]
        self._axes: dict[int, list[Axis]] = {}
        self.loads: dict[int, Access] = {}
        for index in graph.live():
            self._axes[index] = self._visit(index, graph.nodes[index])
        self.stores = [self._store(result) for result in graph.results]
        for result, store in zip(graph.results, self.stores):
            self._check_store(result, store)
        for load in self.loads.values():
            self._check_load(load)

    def factors(self) -> dict[str, list[Factor]]:
        """What each dimension of the output space has been split into."""
        return {letter: parts_of(axis) for letter, axis in zip(self._domain.letters, self._space)}

    def shape(self, index: int) -> Shape:
        return shape_of(self._axes[index])

    def _visit(self, index: int, node: Node) -> list[Axis]:
        if node.op == LOAD:
            return self._load(index, node)
        if node.op == CONSTANT:
            return []
        operands = [self._axes[operand] for operand in node.operands]
        try:
            if node.op == PERMUTE:
                return self._permute(node, operands[0])
            if node.op == RESHAPE:
                return self._reshape(node, operands[0])
            if node.op == REDUCE:
                return self._reduce(node, operands[0])
            result: list[Axis] = []
            for axes in operands:
                both = broadcast(result, axes)
                if both is None:
                    shapes = " and ".join(str(shape_of(operand)) for operand in operands if operand)
                    self._fail(TraceShapeError, node, f"{node.op}: expected shapes that broadcast, got {shapes}")
                result = both
            return result
        except Conflict:
            shapes = " and ".join(str(shape_of(operand)) for operand in operands if operand)
            self._fail(
                TraceLayoutError,
                node,
                f"{node.op}: expected dimensions that strides can express, got shapes {shapes} whose"
                " elements lie along different dimensions of the product; permute or reshape the other operand alike",
            )

    def _fail(self, error: type[TraceError], at: Node, message: str) -> NoReturn:
        raise error(message, at.location) from None

    def _load(self, index: int, node: Node) -> list[Axis]:
        if node.name in self._graph.accumulators():
            return list(self._space)
        axes = new_axes(self._shapes.get(node.name, ()))
        self.loads[index] = Access(node.name, axes, node.location)
        return axes

    def _permute(self, node: Node, axes: list[Axis]) -> list[Axis]:
        assert node.dims is not None
        indices = [index + len(axes) if index < 0 else index for index in node.dims]
        if sorted(indices) != list(range(len(axes))):
            self._fail(
                TraceShapeError,
                node,
                f"permute: expected indices that are 0 to {len(axes) - 1} in any order for shape"
                f" {shape_of(axes)}, got {node.dims}",
            )
        return [axes[index] for index in indices]

    def _reshape(self, node: Node, axes: list[Axis]) -> list[Axis]:
        assert node.dims is not None
        size = math.prod(shape_of(axes))
        shape = list(node.dims)
        if shape.count(-1) == 1:
            others = math.prod(extent for extent in shape if extent != -1)
            if others > 0 and size % others == 0:
                shape[shape.index(-1)] = size // others
        if math.prod(shape) != size or any(extent < 0 for extent in shape):
            self._fail(
                TraceShapeError,
                node,
                f"reshape: expected a shape of {size} elements for shape {shape_of(axes)}, got {node.dims}",
            )
        return reshape(axes, tuple(shape))

    def _whole(self, axes: list[Axis]) -> list[Axis]:
        """A value that depends on no accumulator but has the shape of one lies along the same dimensions."""
        known = {part.letter for axis in axes for part in parts_of(axis)}
        if not any(known) and shape_of(axes) == self._domain.sizes:
            return broadcast(axes, list(self._space)) or axes
        return axes

    def _missing(self, axes: list[Axis]) -> bool:
        """Whether a value is the same along some dimension of the output space."""
        parts = [part for axis in axes for part in parts_of(axis)]
        return any(part not in parts for axis in self._space for part in parts_of(axis))

    def _reduce(self, node: Node, operand: list[Axis]) -> list[Axis]:
        axes = self._whole(operand)
        if self._missing(axes):
            self._fail(
                ReductionError,
                node,
                f"expected a value for every element of the product, of shape {self._domain.sizes}, to be"
                f" reduced, got one of shape {shape_of(axes)}",
            )
        rank = len(axes)
        dims = range(rank) if node.dims is None else [dim + rank if dim < 0 else dim for dim in node.dims]
        if len(set(dims)) != len(dims) or any(not 0 <= dim < rank for dim in dims):
            self._fail(
                ReductionError,
                node,
                f"dim: expected different dimensions of 0 to {rank - 1} for shape {shape_of(axes)}, got {node.dims}",
            )
        if not dims:
            self._fail(ReductionError, node, "dim: expected a dimension to reduce, got none")
        reduced = {id(part) for dim in dims for part in parts_of(axes[dim])}
        for letter, axis in zip(self._domain.letters, self._space):
            gone = [id(part) in reduced for part in parts_of(axis)]
            if any(gone) and not all(gone) and letter not in self._batch:
                self._fail(
                    ReductionError,
                    node,
                    f"dim: expected whole dimensions of the product to be reduced, got a part of"
                    f" {letter}, which is reshaped; reduce before reshape",
                )
        if node.keepdims:
            return [[] if dim in dims else axis for dim, axis in enumerate(axes)]
        return [axis for dim, axis in enumerate(axes) if dim not in dims]

    @property
    def _batch(self) -> str:
        return self._domain.letters[: self._domain.num_batch]

    def _store(self, result: Result) -> Access:
        axes, shape = self._axes[result.node], self._shapes[result.name]
        if self._graph.reduction_of(result.node) is not None:
            return Access(result.name, self._reduced(result, axes, shape), result.location)
        try:
            axes = self._whole(axes)
        except Conflict:
            pass
        if shape_of(axes) != shape:
            raise TraceShapeError(
                f"{result.name}: expected the shape {shape_of(axes)} of its value, got {shape}", result.location
            )
        return Access(result.name, axes, result.location)

    def _reduced(self, result: Result, axes: list[Axis], shape: Shape) -> list[Axis]:
        """The dimensions of a reduction's array, which may have kept the reduced ones, as ones, or not."""
        left = [axis for axis, size in zip(axes, shape_of(axes)) if size != 1]
        if [size for size in shape if size != 1] != list(shape_of(left)):
            kept = list(shape_of(axes))
            raise ReductionError(
                f"{result.name}: expected the shape {tuple(kept)} of the reduction, with or without dimensions of one, got"
                f" {shape}",
                result.location,
            )
        return [left.pop(0) if size != 1 else [] for size in shape]

    def _check_load(self, load: Access) -> None:
        parts = [part for axis in load.axes for part in parts_of(axis)]
        if any(not part.letter for part in parts):
            raise TraceShapeError(
                f"{load.name}: expected a shape that broadcasts to {self._domain.sizes} of the product, got"
                f" {self._shapes[load.name]}",
                load.location,
            )
        if len({id(part) for part in parts}) != len(parts):
            raise TraceLayoutError(
                f"{load.name}: expected each dimension to lie along another one of the product, got two along one",
                load.location,
            )

    def _check_store(self, result: Result, store: Access) -> None:
        if self._graph.reduction_of(result.node) is None and self._missing(store.axes):
            raise TraceShapeError(
                f"{result.name}: expected a value for every element of the product, of shape {self._domain.sizes}, or a"
                f" reduction, got a value of shape {shape_of(store.axes)}",
                result.location,
            )
