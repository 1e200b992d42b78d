"""Dimensions of arrays as products of factors, by which it is known what lies along what.

A dimension of the output space is a factor, and so is every dimension of an auxiliary array until it meets one of the
output space. Reshaping splits factors, broadcasting equates them.
"""

from __future__ import annotations

import math
from typing import Optional


class Conflict(Exception):
    """Dimensions that would have to be split or merged in a way that strides cannot express."""


class Factor:
    """A part of a dimension. It may have been found to be another one, or have been split."""

    __slots__ = ("_parts", "_same", "letter", "size")

    def __init__(self, size: int, letter: str = "") -> None:
        self.size = size
        # The dimension of the output space that it is, or is a part of.
        self.letter = letter
        self._same: Optional[Factor] = None
        self._parts: tuple[Factor, ...] = ()

    def parts(self) -> list[Factor]:
        """What it is made of, the slowest first."""
        factor = self
        while factor._same is not None:
            factor = factor._same
        if not factor._parts:
            return [factor]
        return [part for whole in factor._parts for part in whole.parts()]

    def split(self, first: int) -> tuple[Factor, Factor]:
        self._parts = Factor(first, self.letter), Factor(self.size // first, self.letter)
        return self._parts[0], self._parts[1]

    def equate(self, other: Factor) -> None:
        """Both are unsplit and of one size."""
        if self.letter and other.letter:
            raise Conflict
        if self.letter:
            other._same = self
        else:
            self._same = other


# A dimension; none of size one has factors, but for those of the output space.
Axis = list[Factor]


def new_axes(shape: tuple[int, ...]) -> list[Axis]:
    """The dimensions of an array of which nothing is known."""
    return [[Factor(size)] if size != 1 else [] for size in shape]


def parts_of(axis: Axis) -> list[Factor]:
    return [part for factor in axis for part in factor.parts()]


def size_of(axis: Axis) -> int:
    return math.prod(factor.size for factor in axis)


def shape_of(axes: list[Axis]) -> tuple[int, ...]:
    return tuple(map(size_of, axes))


def _ones(axis: Axis) -> Axis:
    """Dimensions of the output space that happen to have size one."""
    return [part for part in parts_of(axis) if part.size == 1]


def _merge(left: Axis, right: Axis) -> Axis:
    """One dimension out of two of the same size."""
    rest, others = ([part for part in parts_of(axis) if part.size != 1] for axis in (left, right))
    while rest and others:
        a, b = rest[0], others[0]
        if a is not b and a.size == b.size:
            a.equate(b)
        elif a.size > b.size > 0 and a.size % b.size == 0:
            a.split(b.size)
        elif b.size > a.size > 0 and b.size % a.size == 0:
            b.split(a.size)
        elif a is not b:
            raise Conflict
        if a.parts() == b.parts():
            del rest[0], others[0]
        else:
            rest[0:1], others[0:1] = a.parts(), b.parts()
    known = parts_of(left)
    return known + [one for one in _ones(right) if one not in known]


def broadcast(left: list[Axis], right: list[Axis]) -> Optional[list[Axis]]:
    """The dimensions of what two arrays give together, by NumPy's rules; none if their shapes do not fit."""
    rank = max(len(left), len(right))
    both = zip([[]] * (rank - len(left)) + left, [[]] * (rank - len(right)) + right)
    result: list[Axis] = []
    for a, b in both:
        if size_of(a) == size_of(b):
            result.append(_merge(a, b))
        elif size_of(a) == 1:
            result.append(b + _ones(a))
        elif size_of(b) == 1:
            result.append(a + _ones(b))
        else:
            return None
    return result


def reshape(axes: list[Axis], shape: tuple[int, ...]) -> list[Axis]:
    """Dimensions of these sizes, whose product is that of the ones before."""
    left = [part for axis in axes for part in parts_of(axis)]
    result: list[Axis] = []
    for size in shape:
        axis: Axis = []
        open_size = size
        while left and (open_size != 1 or left[0].size == 1):
            part = left[0]
            if part.size == 1:
                # Belongs nowhere in particular.
                axis.append(left.pop(0))
            elif part.size == open_size:
                axis.append(left.pop(0))
                open_size = 1
            elif part.size and open_size % part.size == 0:
                axis.append(left.pop(0))
                open_size //= part.size
            elif open_size and part.size % open_size == 0:
                left[0:1] = part.split(open_size)
            else:
                raise Conflict
        result.append(axis)
    if left:
        if not result:
            raise Conflict
        result[-1] += left
    return result
