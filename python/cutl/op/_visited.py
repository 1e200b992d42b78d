"""The operands of one matrix product whose epilogue is a traced function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from .. import _arrays
from .._arrays import Array, Operand
from .._compiler import GemmSpec
from ..dtypes import DataType
from ..epilogue import Epilogue, identity
from ..epilogue._binding import Binding
from ..epilogue._visitor import is_number, matrix_domain
from ..errors import ArgumentError, DTypeError, MissingOperandError, ShapeError
from ._problem import Typed, spec_of


class VisitedProblem:
    """As `Problem`, with what the epilogue reads and writes in place of C, D and bias."""

    alpha, beta, c = 1.0, 0.0, None

    def __init__(
        self,
        a: Typed,
        bs: list[Typed],
        arrays: dict[str, Typed],
        numbers: dict[str, float],
        epilogue: Epilogue,
        split: str,
        accumulator: DataType,
    ) -> None:
        """`arrays` and `numbers` hold the arguments and results of the epilogue."""
        self._accumulator, self._split, self.numbers = accumulator, split, numbers
        check_counts(len(bs), epilogue, split)
        batch = self._measure(a[0], [b for b, _ in bs])
        self._binding: Binding = epilogue.bind(matrix_domain((*batch, self.m, self.n)), arrays, accumulator)
        # The epilogue may see batch dimensions in parts.
        self.batch = tuple(size for sizes in self._binding.batch for size in sizes)
        names = names_of_b(len(bs))
        self.a = self._describe("A", *a, "mk", batch)
        self.bs = [self._describe(name, *b, "kn", batch) for name, b in zip(names, bs)]
        # What the plan is given, in order. The function's arguments may be called A and B as well.
        matrices = ("A", *names)
        self.order = [*matrices, *(place_of(name, matrices) for name in (*epilogue.arguments, *epilogue.results))]
        # Each output with the inputs that it may be.
        self.aliases: list[tuple[str, list[str]]] = []
        self._check_aliases()

    def _measure(self, a: Array, bs: list[Array]) -> tuple[int, ...]:
        """M, N, K and the batch dimensions."""
        _arrays.check_rank("A", a, 2)
        named = list(zip(names_of_b(len(bs)), bs))
        self.m, self.k = a.shape[-2:]
        for name, b in named:
            _arrays.check_rank(name, b, 2)
            if b.shape[-2] != self.k:
                raise ShapeError(
                    f"{name}: expected {self.k} rows, the K of A with shape {a.shape}, got {b.shape[-2]} in shape {b.shape}"
                )
            if b.shape[-1] != bs[0].shape[-1]:
                raise ShapeError(f"{name}: expected {bs[0].shape[-1]} columns as B has, got shape {b.shape}")
        self.n = bs[0].shape[-1]
        if self._split:
            if self.n % 2:
                raise ShapeError(
                    f"B: expected an even number of columns since the plan splits it in {self._split}, got {self.n}"
                )
            self.n //= 2
        return _arrays.batch_shape((("A", a), *named))

    def _describe(self, name: str, array: Array, dtype: DataType, matrix: str, batch: tuple[int, ...]) -> Operand:
        """An operand with its batch dimensions split as those of the epilogue are."""
        if any(len(sizes) > 1 for sizes in self._binding.batch):
            lead = array.ndim - 2
            shape: list[int] = []
            for size, sizes in zip(array.shape[:lead], self._binding.batch[len(batch) - lead :]):
                shape += [1] * len(sizes) if size == 1 else sizes
            # Splitting dimensions moves no element.
            array = array.reshape(*shape, *array.shape[lead:])
        return _arrays.describe(name, array, dtype, matrix, self.batch)

    def _check_aliases(self) -> None:
        binding = self._binding
        for index, output in enumerate(binding.outputs):
            _arrays.check_output(output.name, output.array)
            for other in (self.a, *self.bs, *binding.outputs[:index]):
                _arrays.check_no_overlap(output.name, output.array, other.name, other.array, False)
            is_reduced = bool(binding.spec.outputs[index].combiner)
            unlike = {o.name for o in binding.inputs if o.dims != output.dims or o.strides != output.strides}
            for read in binding.inputs:
                alike = not is_reduced and read.name not in unlike
                _arrays.check_no_overlap(output.name, output.array, read.name, read.array, alike)
            names = {o.name for o in binding.inputs} - unlike if not is_reduced else set()
            self.aliases.append((self._place(output.name), sorted(map(self._place, names))))

    def operands(self) -> list[Operand]:
        """In the order of the compiled function's arguments."""
        return [self.a, *self.bs, *self._binding.inputs, *self._binding.outputs]

    def _place(self, name: str) -> str:
        return place_of(name, ("A", *(b.name for b in self.bs)))

    def places(self) -> list[tuple[str, Operand]]:
        """The operands with what of `order` they are."""
        matrices = [(operand.name, operand) for operand in (self.a, *self.bs)]
        return matrices + [(self._place(o.name), o) for o in (*self._binding.inputs, *self._binding.outputs)]

    def number_types(self) -> list[tuple[str, int]]:
        """The numbers that the compiled function takes: what of `order` each is, and its type."""
        types = {i.name: i.operand.dtype._code for i in self._binding.spec.inputs if i.is_number}
        return [(self._place(name), types[name]) for name in self._binding.numbers]

    def is_written(self, operand: Operand) -> bool:
        return any(operand is output for output in self._binding.outputs)

    def has_elements(self) -> bool:
        """Whether there is anything to compute."""
        return any(output.array.size for output in self._binding.outputs)

    def has_alpha(self) -> bool:
        return False

    def spec(self, has_alpha: bool) -> GemmSpec:
        b, *more = map(spec_of, self.bs)
        return GemmSpec(
            a=spec_of(self.a),
            b=b,
            more_b=tuple(more),
            split=self._split,
            d=None,
            has_alpha=False,
            num_batch=len(self.batch),
            accumulator=self._accumulator,
            activation=identity,
            epilogue=self._binding.spec,
        )

    def scalars(self, spec: GemmSpec) -> list[tuple[float, int]]:
        """The numbers that the compiled function takes, with their types."""
        types = [code for _, code in self.number_types()]
        return [(self.numbers[name], code) for name, code in zip(self._binding.numbers, types)]


def check_counts(given: int, epilogue: Epilogue, split: str) -> None:
    """Raises unless so many arrays in place of B make as many accumulators as the epilogue has."""
    wanted = len(epilogue.accumulators)
    count = 2 if split else given
    if split and given != 1:
        raise ArgumentError(f"B: expected one array since the plan splits it in {split}, got {given}")
    if count != wanted:
        how = f"B split in {split}" if split else f"{count} arrays as B"
        raise ArgumentError(
            f"B: expected {wanted} accumulators for {', '.join(epilogue.accumulators)} of the epilogue, got {how};"
            " a plan has one accumulator for each array of B=(B0, B1, ...), and two with split='halves' or 'interleaved'"
        )


def names_of_b(count: int) -> list[str]:
    """What errors call the arrays of `B=(B0, B1, ...)`."""
    return ["B", *(f"B{i}" for i in range(1, count))]


def place_of(name: str, matrices: Sequence[str]) -> str:
    """What errors call an argument or a result of the function."""
    return name if name not in matrices else f"visitor_args[{name!r}]"


def as_scalar(name: str, value: Array) -> Array:
    """An array of one element without dimensions, in place of a number."""
    if value.size != 1:
        raise ShapeError(f"{name}: expected a number or an array of one element, got shape {value.shape}")
    return _arrays.restride(value, (), ())


def visitor_values(
    visitor: Epilogue, given: dict[str, Any], visitor_args: dict[str, Any], own: dict[str, Any]
) -> dict[str, Any]:
    """What the function's arguments and results are in a run: `given` to it, else what is the plan's `own`."""
    names = (*visitor.arguments, *visitor.results)
    for name in visitor_args:
        if name not in names:
            raise ArgumentError(f"visitor_args: expected names of {', '.join(names)}, got {name!r}")
        if given.get(name) is not None:
            raise ArgumentError(f"{name}: expected it in run() or in visitor_args, got both")
    for name, value in given.items():
        if value is not None and name not in names:
            raise ArgumentError(
                f"{name}: expected none since the epilogue visitor {visitor.name} has no {name}, got"
                f" {value if is_number(value) else 'an array'}"
            )
    values: dict[str, Any] = {}
    for name in names:
        value = visitor_args.get(name, given.get(name))
        if value is None and name in ("C", "D"):
            value = own[name]
        if value is None:
            value = visitor.defaults.get(name)
        if value is None:
            where = "run() or the constructor" if name in ("C", "D") else "visitor_args"
            raise MissingOperandError(f"{name}: expected a value for the epilogue visitor in {where}, got none")
        if is_number(value) and not visitor.is_number(name):
            raise DTypeError(f"{name}: expected an array as the example in trace() is, got {value!r}")
        values[name] = value
    return values


def known_order(
    visitor: Epilogue, A: Any, B: Any, given: dict[str, Any], visitor_args: dict[str, Any], own: dict[str, Any]
) -> Optional[list[Any]]:
    """What a run is given in the order of `VisitedProblem.order`; none if it is not plainly that."""
    values = dict(visitor_args)
    for name, value in given.items():
        if value is not None:
            if name in values:
                return None
            values[name] = value
    order = [A, *B] if isinstance(B, tuple) else [A, B]
    for name in (*visitor.arguments, *visitor.results):
        value = values.pop(name, None)
        if value is None and name in ("C", "D"):
            value = own[name]
        order.append(visitor.defaults.get(name) if value is None else value)
    return None if values else order
