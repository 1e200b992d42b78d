"""Traced functions: what `trace` gives and plans take."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional, Union, cast

import numpy as np

from .. import tensor
from .._arrays import Array
from ..dtypes import DataType, DTypeLike, as_data_type, is_number_type
from ..errors import (
    AccumulatorError,
    ArgumentError,
    DTypeError,
    MissingExampleError,
    TraceTypeError,
    UnsupportedSyntaxError,
)
from ._binding import Binder, Binding, Typed
from ._graph import Graph
from ._layout import Domain

# Element types that values of a reduction can be combined in.
_REDUCED = ("f16", "bf16", "f32", "f64", "s8", "s32")

# Sizes that change with every call must not pile up.
_MAX_BINDINGS = 1024
_NO_ARRAY: Array = np.empty(0)


class Epilogue:
    """A function of the accumulator that an operation applies to its result: made by `trace`, and given to a plan as
    `plan.epilogue_visitor`. It belongs to no operation and to no size."""

    def __init__(self, graph: Graph, examples: dict[str, Any], element_compute: Optional[DataType]) -> None:
        self._graph = graph
        self._compute = element_compute
        self._accumulators = graph.accumulators()
        self._types: dict[str, DataType] = {}
        self._numbers: set[str] = set()
        arrays: dict[str, Typed] = {}
        for name in (*graph.inputs(), *(result.name for result in graph.results)):
            self._add_example(name, examples, arrays)
        self._example_arrays = arrays
        self._example_domain = self._example_of_accumulator(examples)
        self._check_reductions()
        # By the output space and what lies how in it.
        self._bindings: dict[Any, Binding] = {}
        # What is wrong with the shapes is said here and not in the first run.
        self.bind_examples()

    def __repr__(self) -> str:
        return f"<cutl.epilogue.Epilogue {self.name}({', '.join(self._graph.arguments)}) -> {', '.join(self.results)}>"

    @property
    def name(self) -> str:
        """Name of the function."""
        return self._graph.name

    @property
    def accumulators(self) -> tuple[str, ...]:
        """The arguments that are accumulators."""
        return self._accumulators

    @property
    def arguments(self) -> tuple[str, ...]:
        """The other arguments, in order."""
        return self._graph.inputs()

    @property
    def results(self) -> tuple[str, ...]:
        """What the function returns, in order."""
        return tuple(result.name for result in self._graph.results)

    @property
    def defaults(self) -> dict[str, float]:
        """Numbers that arguments have if none are given."""
        return dict(self._graph.defaults)

    def dtype(self, name: str) -> Optional[DataType]:
        """The element type that an argument or a result is to have; none for a number."""
        return self._types.get(name)

    def bind(self, domain: Domain, arrays: dict[str, Typed], accumulator: DataType) -> Binding:
        """What an operation of an output space does for these arrays, with accumulators of a type."""
        number = self._compute or (DataType.f64 if accumulator is DataType.f64 else DataType.f32)
        lies = tuple((name, array.shape, array.strides, dtype) for name, (array, dtype) in arrays.items())
        key = (domain, number, lies)
        binding = self._bindings.get(key)
        if binding is None:
            binding = Binder(self._graph, domain, arrays, self._compute, number).bind()
            if len(self._bindings) >= _MAX_BINDINGS:
                self._bindings.clear()
            # Arrays are not kept alive.
            self._bindings[key] = binding.of({name: (_NO_ARRAY, dtype) for name, (_, dtype) in arrays.items()})
            return binding
        return binding.of(arrays)

    def bind_examples(self, accumulator: DataType = DataType.f32) -> tuple[Domain, Binding]:
        """The same for what it was traced with."""
        return self._example_domain, self.bind(self._example_domain, self._example_arrays, accumulator)

    def reference(self, **arguments: Any) -> dict[str, Any]:
        """The results by name, computed by NumPy or PyTorch in the types that the arguments have."""
        from . import _reference

        return _reference.evaluate(self._graph, {**self._graph.defaults, **arguments})

    def visualize(self, path: Union[None, str, "os.PathLike[str]"] = None) -> str:
        """A drawing of the graph as SVG, also written to a file if one is named."""
        from . import _drawing

        svg = _drawing.draw(self._graph, self._example_domain, self._example_arrays)
        if path is not None:
            Path(path).write_text(svg, encoding="utf-8")
        return svg

    def _repr_svg_(self) -> str:
        return self.visualize()

    def _add_example(self, name: str, examples: dict[str, Any], arrays: dict[str, Typed]) -> None:
        is_result = name in self.results
        location = next((r.location for r in self._graph.results if r.name == name), None)
        location = location or self._graph.arguments[name]
        if name not in examples:
            if name in self._graph.defaults:
                self._numbers.add(name)
                return
            kind = "result" if is_result else "argument"
            raise MissingExampleError(
                f"{name}: expected an example of the {kind}, an array, a cutl.Tensor"
                f"{'' if is_result else ' or a number'}, got none among {', '.join(examples) or 'none'}",
                location,
            )
        example = examples[name]
        if is_number(example):
            if is_result:
                raise MissingExampleError(
                    f"{name}: expected an array or a cutl.Tensor as the example, got {example!r}", location
                )
            self._numbers.add(name)
            return
        dtype, shape, strides = tensor.describe(name, example)
        if not dtype.is_storage or dtype.bits < 8:
            raise TraceTypeError(f"{name}: expected an element type of 8 or more bits, got {dtype.name}", location)
        self._types[name] = dtype
        arrays[name] = (cast(Array, tensor.Ghost(shape, strides, dtype)), dtype)

    def _example_of_accumulator(self, examples: dict[str, Any]) -> Domain:
        shapes = []
        for name in self._accumulators:
            location = self._graph.arguments[name]
            if name not in examples:
                raise MissingExampleError(f"{name}: expected an example of the accumulator, got none", location)
            if is_number(examples[name]):
                raise AccumulatorError(f"{name}: expected an array as the example, got {examples[name]!r}", location)
            _, shape, _ = tensor.describe(name, examples[name])
            if len(shape) < 2:
                raise AccumulatorError(
                    f"{name}: expected an example of two dimensions, and batch dimensions before them, got shape {shape}",
                    location,
                )
            shapes.append(shape)
        if len(set(shapes)) > 1:
            raise AccumulatorError(
                f"{', '.join(self._accumulators)}: expected examples of one shape, got {', '.join(map(str, shapes))}",
                self._graph.location,
            )
        return matrix_domain(shapes[0])

    def _check_reductions(self) -> None:
        for result in self._graph.results:
            dtype = self._types[result.name]
            if self._graph.reduction_of(result.node) and dtype.name not in _REDUCED:
                raise TraceTypeError(
                    f"{result.name}: expected one of {', '.join(_REDUCED)} as the element type of a reduction, got {dtype.name}",
                    result.location,
                )

    def check_dtype(self, place: str, name: str, dtype: DataType) -> None:
        """Refuses an array, which errors call `place`, of another element type than the example's."""
        expected = self._types.get(name)
        if expected is not None and dtype is not expected:
            raise DTypeError(
                f"{place}: expected element type {expected.name}, which the example in trace() has, got {dtype.name}"
            )

    def is_number(self, name: str) -> bool:
        """Whether the example of an argument is a number; an array of one element serves as well."""
        return name in self._numbers


def is_number(value: Any) -> bool:
    """Whether a value is a number and no array."""
    return is_number_type(type(value))


def matrix_domain(shape: tuple[int, ...]) -> Domain:
    """The output space of a matrix product with batch dimensions."""
    num_batch = len(shape) - 2
    letters = "".join(map(str, range(num_batch))) + "mn"
    return Domain(letters, shape, num_batch)


def trace(
    fn: Union[Callable[..., Any], str],
    examples: dict[str, Any],
    *,
    element_compute: Optional[DTypeLike] = None,
) -> Epilogue:
    """Turns a function of the accumulator into an epilogue.

    The function, or its text, is straight-line code: assignments of expressions to names that are new, and a return of
    names. Its arguments are `accum` (`accum0`, `accum1`, ... for an operation with several accumulators), and anything
    else by any name; a plan passes its own C and D as the argument C and the result D. Expressions are made of operators,
    functions of `cutl.epilogue`, functions of NumPy that mean the same, and numbers, also from outside of the function.
    Shapes broadcast as in NumPy.

    `examples` has an array, a `cutl.Tensor` or a number for every argument and every result: its element type and the way
    in which its shape broadcasts are those of the calls, its sizes need not be. Values are computed in f32, or f64 where
    the accumulator is or `element_compute` says so.
    """
    if not isinstance(examples, dict):
        raise ArgumentError(f"examples: expected a dict from names to arrays or numbers, got {examples!r}")
    compute = None
    if element_compute is not None:
        compute = as_data_type(element_compute, "element_compute")
        if compute not in (DataType.f32, DataType.f64):
            raise ArgumentError(f"element_compute: expected f32 or f64, got {compute.name}")
    # What reads Python is imported by those who trace.
    from ._source import TOO_DEEP, Source
    from ._tracer import Tracer

    tracer = Tracer(Source(fn))
    try:
        graph = tracer.trace()
    except RecursionError:
        # The caller has left less room than usual.
        raise UnsupportedSyntaxError(TOO_DEEP, tracer.graph.location) from None
    known = {*graph.arguments, *(result.name for result in graph.results)}
    for name in examples:
        if name not in known:
            raise ArgumentError(f"examples: expected names of {', '.join(sorted(known))}, got {name!r}")
    return Epilogue(graph, examples, compute)
