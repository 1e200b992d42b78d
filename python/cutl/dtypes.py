"""Element types, derived from the compiler's data-type table."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any, Union

import numpy as np

from . import _cutl
from .errors import ArgumentError, DTypeError

__all__ = ["DataType", "DTypeLike", "as_data_type"]


class _Table(type):
    """Makes the records of the table attributes of `DataType`, and the class iterable over them."""

    _records: dict[str, DataType]

    def __getattr__(cls, name: str) -> DataType:
        try:
            return cls._records[name]
        except KeyError:
            raise AttributeError(
                f"expected one of the data types {', '.join(cls._records)}, got {name!r}"
            ) from None

    def __getitem__(cls, name: str) -> DataType:
        return cls._records[name]

    def __contains__(cls, name: object) -> bool:
        return name in cls._records

    def __iter__(cls) -> Iterator[DataType]:
        return iter(cls._records.values())

    def __len__(cls) -> int:
        return len(cls._records)

    def __dir__(cls) -> list[str]:
        return [*super().__dir__(), *cls._records]


class DataType(metaclass=_Table):
    """An element type: `DataType.f16`, `DataType.bf16`, `DataType.e4m3`, ... Iterate over the class for all."""

    __slots__ = ("_code", "_numpy_name", "bits", "is_cpu_operand", "is_integer", "is_storage", "name")

    def __init__(
        self,
        code: int,
        name: str,
        numpy_name: str,
        bits: int,
        is_storage: bool,
        is_integer: bool,
        is_cpu_operand: bool,
    ) -> None:
        self._code = code
        self._numpy_name = numpy_name
        self.name = name
        self.bits = bits
        self.is_storage = is_storage
        self.is_integer = is_integer
        self.is_cpu_operand = is_cpu_operand

    def __repr__(self) -> str:
        return f"DataType.{self.name}"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (_lookup, (self.name,))

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy dtype; types beyond NumPy's own need the package ml_dtypes."""
        if not self._numpy_name:
            raise DTypeError(f"expected an element type that NumPy arrays can hold, got {self.name}")
        module, _, attribute = self._numpy_name.rpartition(".")
        if not module:
            return np.dtype(attribute)
        try:
            dtype: np.dtype[Any] = np.dtype(getattr(importlib.import_module(module), attribute))
        except (ImportError, AttributeError):
            raise DTypeError(
                f"element type {self.name} needs {self._numpy_name}: install the package {module}"
            ) from None
        return dtype


def _lookup(name: str) -> DataType:
    return DataType[name]


DTypeLike = Union[DataType, str, np.dtype, type]

DataType._records = {record[1]: DataType(*record) for record in _cutl.data_types()}
# NumPy spells the dtypes of ml_dtypes by their last name.
_by_numpy_name = {t._numpy_name.rpartition(".")[2]: t for t in DataType if t._numpy_name}


def is_number_type(kind: Any) -> bool:
    """Whether a type is one of numbers: of Python, of NumPy, or of ml_dtypes, which NumPy does not know as such."""
    if not isinstance(kind, type):
        return False
    is_narrow = issubclass(kind, np.generic) and kind.__module__ == "ml_dtypes"
    return is_narrow or issubclass(kind, (int, float, np.integer, np.floating))


def from_numpy(dtype: np.dtype[Any], operand: str) -> DataType:
    """The element type of an array."""
    data_type = _by_numpy_name.get(dtype.name)
    if data_type is None:
        raise DTypeError(f"{operand}: expected one of the element types {', '.join(_by_numpy_name)}, got {dtype}")
    if not dtype.isnative:
        raise DTypeError(f"{operand}: expected elements in native byte order, got {dtype.str}")
    return data_type


def as_data_type(value: DTypeLike, what: str) -> DataType:
    """A `DataType` from one, from its name ("bf16"), or from anything that NumPy takes as a dtype."""
    if isinstance(value, DataType):
        return value
    if isinstance(value, str) and value in DataType:
        return DataType[value]
    if isinstance(value, str) and value in _by_numpy_name:
        return _by_numpy_name[value]
    try:
        dtype = np.dtype(value)
    except TypeError:
        names = ", ".join(t.name for t in DataType)
        raise ArgumentError(f"{what}: expected a data type ({names}) or a NumPy dtype, got {value!r}") from None
    return from_numpy(dtype, what)
