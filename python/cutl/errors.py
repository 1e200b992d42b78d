"""What cutl raises and warns of.

Every error is a `CutlError` and also the built-in exception that fits it. Messages name the operand, the rule,
and both values.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "AliasError",
    "ArgumentError",
    "CompileError",
    "CutlError",
    "CutlWarning",
    "Diagnostic",
    "DTypeError",
    "DeviceError",
    "DeviceMemoryError",
    "DeviceWarning",
    "DriverError",
    "InternalError",
    "LayoutError",
    "MissingOperandError",
    "ReadOnlyError",
    "ShapeError",
]


class CutlError(Exception):
    """Base class of all errors of cutl."""


class ArgumentError(CutlError, ValueError):
    """An argument that is no array has a value that is not allowed."""


class MissingOperandError(CutlError, TypeError):
    """An operand was given neither to the plan nor to the call."""


class DTypeError(CutlError, TypeError):
    """An operand has an element type that the plan or the target does not take, or is no array."""


class ShapeError(CutlError, ValueError):
    """The shapes of the operands do not fit together."""


class LayoutError(CutlError, ValueError):
    """An operand's strides or alignment cannot be addressed."""


class AliasError(CutlError, ValueError):
    """The output overlaps itself or an operand that is still read."""


class ReadOnlyError(CutlError, ValueError):
    """The output cannot be written."""


class DeviceError(CutlError, RuntimeError):
    """The device asked for cannot run the plan."""


class DriverError(DeviceError):
    """There is no GPU to run on: no driver, one that is too old, or no device."""


class DeviceMemoryError(DeviceError, MemoryError):
    """The GPU has not enough free memory."""


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler."""

    severity: str
    message: str
    location: str = ""

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        return f"{where}{self.severity}: {self.message}"


class CompileError(CutlError, RuntimeError):
    """The compiler rejected a problem or failed; `diagnostics` holds all that it said."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class InternalError(CutlError, RuntimeError):
    """A fault of cutl itself."""


class CutlWarning(UserWarning):
    """Base class of all warnings of cutl."""


class DeviceWarning(CutlWarning):
    """A plan runs on another device than could be expected."""
