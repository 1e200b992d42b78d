"""What cutl raises and warns of.

Every error is a `CutlError` and also the built-in exception that fits it. Messages name the operand, the rule,
and both values.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "AccumulatorError",
    "AliasError",
    "ArgumentError",
    "CompileError",
    "ConfigError",
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
    "MissingExampleError",
    "MissingOperandError",
    "ReadOnlyError",
    "RedefinitionError",
    "ReductionError",
    "ResultError",
    "ShapeError",
    "SourceLocation",
    "TraceError",
    "TraceLayoutError",
    "TraceShapeError",
    "TraceTypeError",
    "UndefinedNameError",
    "UnknownFunctionError",
    "UnsupportedSyntaxError",
    "UnusedArgumentError",
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


class ConfigError(ArgumentError):
    """A configuration is no text of one, or cannot run; `diagnostics` holds what the compiler said."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class InternalError(CutlError, RuntimeError):
    """A fault of cutl itself."""


@dataclass(frozen=True)
class SourceLocation:
    """A place in a function that is traced. Lines and columns are counted from one; a line of zero is unknown."""

    filename: str = "<unknown>"
    line: int = 0
    column: int = 0
    text: str = ""
    """The source line."""
    width: int = 1
    """How many columns are meant."""

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}:{self.column}"

    def describe(self, message: str) -> str:
        """The message with the place before it and the line, with a caret, after it."""
        if not self.line:
            return message
        stripped = self.text.lstrip()
        indent = self.column - 1 - (len(self.text) - len(stripped))
        marks = "^" * max(1, min(self.width, len(stripped) - indent))
        return f"{self}: {message}\n    {stripped.rstrip()}\n    {' ' * max(indent, 0)}{marks}"


class TraceError(CutlError, ValueError):
    """A function cannot be traced as an epilogue. The message shows where in the function, and so does `location`."""

    def __init__(self, message: str, location: SourceLocation = SourceLocation()) -> None:
        super().__init__(location.describe(message))
        self.message = message
        self.location = location


class AccumulatorError(TraceError):
    """The accumulator is no argument, or its example is no matrix."""


class MissingExampleError(TraceError):
    """An argument or a result has no example to tell its shape and type."""


class UnsupportedSyntaxError(TraceError):
    """The function is not straight-line code over numbers and arrays."""


class RedefinitionError(UnsupportedSyntaxError):
    """A name is given a value twice."""


class UndefinedNameError(TraceError, NameError):
    """A name has no value."""


class UnknownFunctionError(TraceError, LookupError):
    """What is called is no function of `cutl.epilogue` nor one of NumPy that is the same."""


class ResultError(TraceError):
    """What the function returns is not one or more names of computed values."""


class UnusedArgumentError(TraceError):
    """No result depends on an argument."""


class ReductionError(TraceError):
    """A reduction over these dimensions, to this shape or in this place is none that an epilogue can do."""


class TraceShapeError(TraceError, ShapeError):
    """Shapes do not broadcast, or a result has another shape than its value."""


class TraceLayoutError(TraceError, LayoutError):
    """A permutation or reshaping cannot be done by strides."""


class TraceTypeError(TraceError, DTypeError):
    """A value has a type that an op does not take."""


class CutlWarning(UserWarning):
    """Base class of all warnings of cutl."""


class DeviceWarning(CutlWarning):
    """A plan runs on another device than could be expected."""
