"""A graph with the arrays of one call: which element is where, in terms that the compiler takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .._arrays import Array, Operand
from .._specs import (
    EpilogueInput,
    EpilogueNode,
    EpilogueOutput,
    EpilogueSpec,
    OperandSpec,
)
from ..dtypes import DataType
from ..errors import TraceLayoutError
from ._axes import Factor, parts_of
from ._graph import CONSTANT, LOAD, PERMUTE, REDUCE, RESHAPE, Graph
from ._layout import Access, Domain, Layout

# An array with the element type that it stands for.
Typed = tuple[Array, DataType]


@dataclass(frozen=True)
class Binding:
    """What a call of an operation reads and writes beside its own operands."""

    spec: EpilogueSpec
    # Arrays in the order of the spec's inputs and outputs, without numbers.
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    # Names of the numbers that the compiled function takes, in order.
    numbers: tuple[str, ...]
    # The sizes that each batch dimension of the operation is split into.
    batch: tuple[tuple[int, ...], ...]

    def of(self, arrays: dict[str, Typed]) -> Binding:
        """The same for other arrays that lie alike."""

        def move(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
            return tuple(Operand(o.name, arrays[o.name][0], o.dtype, o.dims, o.sizes, o.strides) for o in operands)

        return Binding(self.spec, move(self.inputs), move(self.outputs), self.numbers, self.batch)


class Binder:
    """Binds one graph to one set of arrays."""

    def __init__(
        self,
        graph: Graph,
        domain: Domain,
        arrays: dict[str, Typed],
        compute: Optional[DataType],
        number: DataType,
    ) -> None:
        """Arguments that are not among `arrays` and no accumulators are numbers, of type `number`."""
        self._graph, self._domain, self._arrays = graph, domain, arrays
        self._compute, self._number = compute, number
        self._layout = Layout(graph, domain, {name: array.shape for name, (array, _) in arrays.items()})
        self._factors = self._layout.factors()
        strides = {index: self._strides(load) for index, load in self._layout.loads.items()}
        self._stores = [self._strides(store) for store in self._layout.stores]
        accesses = [(self._layout.loads[index], found) for index, found in strides.items()]
        accesses += zip(self._layout.stores, self._stores)
        self._split = {letter for letter in domain.letters if not self._is_whole(letter, accesses)}
        self._letters = self._name_dimensions()
        self._loads = strides

    def bind(self) -> Binding:
        inputs: list[EpilogueInput] = []
        operands: list[Operand] = []
        numbers: list[str] = []
        values: dict[int, int] = {}
        accumulators = self._graph.accumulators()
        known: dict[tuple[str, OperandSpec], int] = {}
        for index in self._graph.live():
            node = self._graph.nodes[index]
            if node.op != LOAD:
                continue
            if node.name in accumulators:
                values[index] = accumulators.index(node.name)
                continue
            operand = None
            if node.name in self._arrays:
                operand = self._operand(self._layout.loads[index], self._loads[index])
                kind = OperandSpec(operand.dtype, operand.dims, operand.unit_stride)
            else:
                kind = OperandSpec(self._number, "", False)
            # Uses of an argument that lie alike are one operand.
            key = (node.name, kind)
            if key not in known:
                known[key] = len(inputs)
                inputs.append(EpilogueInput(node.name, kind, operand is None))
                if operand is None:
                    numbers.append(node.name)
                else:
                    operands.append(operand)
            values[index] = len(accumulators) + known[key]
        nodes = self._nodes(values, len(accumulators) + len(inputs))
        outputs, written = self._outputs(values, nodes, len(accumulators) + len(inputs))
        spec = EpilogueSpec(tuple(inputs), tuple(nodes), outputs, self._compute)
        batch = tuple(
            tuple(part.size for part in self._factors[letter]) if letter in self._split else (size,)
            for letter, size in zip(self._domain.letters[: self._domain.num_batch], self._domain.sizes)
        )
        return Binding(spec, tuple(operands), written, tuple(numbers), batch)

    def _nodes(self, values: dict[int, int], first: int) -> list[EpilogueNode]:
        """The steps that compute; `values` comes to hold the number of every node's value."""
        nodes: list[EpilogueNode] = []
        for index in self._graph.live():
            node = self._graph.nodes[index]
            if node.op == LOAD:
                continue
            if node.op in (PERMUTE, RESHAPE, REDUCE):
                values[index] = values[node.operands[0]]
                continue
            values[index] = first + len(nodes)
            operands = tuple(values[operand] for operand in node.operands)
            name = "" if node.op == CONSTANT else node.name
            nodes.append(EpilogueNode(node.op, operands, node.numbers, node.dtype, name))
        return nodes

    def _outputs(
        self, values: dict[int, int], nodes: list[EpilogueNode], first: int
    ) -> tuple[tuple[EpilogueOutput, ...], tuple[Operand, ...]]:
        """What is written; may append to `nodes`, whose values are numbered from `first`."""
        outputs, written = [], []
        for result, store, strides in zip(self._graph.results, self._layout.stores, self._stores):
            operand = self._operand(store, strides)
            spec = OperandSpec(operand.dtype, operand.dims, operand.unit_stride)
            reduction = self._graph.reduction_of(result.node)
            combiner, value = reduction.combiner if reduction else "", values[result.node]
            if combiner and len(operand.dims) == len(self._letters):
                # Only dimensions of one element that a reshaping made are reduced, so that each element is its own sum.
                if combiner == "amax":
                    nodes.append(EpilogueNode("abs", (value,), (), None, ""))
                    value = first + len(nodes) - 1
                combiner = ""
            outputs.append(EpilogueOutput(result.name, spec, value, combiner))
            written.append(operand)
        return tuple(outputs), tuple(written)

    def _strides(self, access: Access) -> dict[int, int]:
        """The step in elements along each factor that an array has, by the factor's identity."""
        if access.name not in self._arrays:
            return {}
        array = self._arrays[access.name][0]
        steps: dict[int, int] = {}
        for axis, stride in zip(access.axes, array.strides):
            step = stride // array.dtype.itemsize
            for part in reversed(parts_of(axis)):
                steps[id(part)] = step
                step *= part.size
        return steps

    def _is_whole(self, letter: str, accesses: list[tuple[Access, dict[int, int]]]) -> bool:
        """Whether every array has one step along a dimension, though that may have been split."""
        parts = self._factors[letter]
        if len(parts) == 1:
            return True
        for access, steps in accesses:
            if self._merge(parts, steps) is not None:
                continue
            if letter in self._domain.letters[: self._domain.num_batch]:
                return False
            raise TraceLayoutError(
                f"{access.name}: expected one step along {letter}, which is reshaped to"
                f" {tuple(part.size for part in parts)}, got an array that varies or lies differently along its parts",
                access.location,
            )
        return True

    @staticmethod
    def _merge(parts: list[Factor], steps: dict[int, int]) -> Optional[int]:
        """The one step along factors, 0 for an array that has none of them; none if there is no such step."""
        found = [part for part in parts if id(part) in steps]
        if not found:
            return 0
        if len(found) != len(parts):
            return None
        for slow, fast in zip(parts, parts[1:]):
            if steps[id(slow)] != steps[id(fast)] * fast.size:
                return None
        return steps[id(parts[-1])]

    def _name_dimensions(self) -> list[tuple[str, list[Factor]]]:
        """Letters of the compiled problem, whose batch dimensions are numbered anew."""
        named: list[tuple[str, list[Factor]]] = []
        batch = 0
        for position, letter in enumerate(self._domain.letters):
            parts = self._factors[letter]
            if position >= self._domain.num_batch:
                named.append((letter, parts))
                continue
            for group in [[part] for part in parts] if letter in self._split else [parts]:
                named.append((str(batch), group))
                batch += 1
        return named

    def _operand(self, access: Access, steps: dict[int, int]) -> Operand:
        array, dtype = self._arrays[access.name]
        found: list[tuple[str, int, int]] = []
        for letter, parts in self._letters:
            if any(id(part) in steps for part in parts):
                size = 1
                for part in parts:
                    size *= part.size
                # The step of a dimension with fewer than two elements is never used.
                found.append((letter, size, self._merge(parts, steps) or 0 if size > 1 else 1))
        last = found[-1] if found else None
        if last is not None and not (last[2] == 1 and last[1] > 1):
            for position, (letter, size, step) in enumerate(found):
                if step == 1 and size > 1 and not letter.isdigit():
                    found.append(found.pop(position))
                    break
        dims, sizes, strides = ("".join(f[0] for f in found), tuple(f[1] for f in found), tuple(f[2] for f in found))
        return Operand(access.name, array, dtype, dims, sizes, strides)
