"""The GPUs as the rest of the package sees them: opened once per process, errors of `cutl.errors`."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import NoReturn, Optional

from . import _cutl
from .errors import (
    ArgumentError,
    CutlError,
    DeviceError,
    DeviceMemoryError,
    DeviceWarning,
    DriverError,
    InternalError,
    LayoutError,
)

# Another library than libcuda.so.1 to call the driver through.
DRIVER_VARIABLE = "CUTL_CUDA_DRIVER"

# CutlRuntimeStatus, as far as it tells what kind of error it is.
INVALID_ARGUMENT, _INVALID_ENTRY = 1, 2
_NO_DRIVER, _DRIVER_TOO_OLD, _SYMBOL_MISSING, _NO_DEVICE = 4, 5, 6, 7
_WRONG_CONTEXT, _GUARD_FAILED, _WORKSPACE_TOO_SMALL, _OUT_OF_MEMORY = 9, 11, 12, 14

_lock = threading.RLock()


@dataclass
class Gpu:
    """A device that is in use until the process ends."""

    ordinal: int
    name: str
    chip: str
    device: _cutl.Device
    _stream: Optional[int] = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"cuda:{self.ordinal} ({self.name}, {self.chip})"

    @property
    def stream(self) -> int:
        """The stream of work on memory that is the package's own."""
        with _lock:
            if self._stream is None:
                with errors():
                    self._stream = self.device.create_stream()
            return self._stream


@dataclass
class _State:
    """What is known of the driver: nothing, a runtime, or why there is none."""

    runtime: Optional[_cutl.Runtime] = None
    failure: Optional[tuple[int, str]] = None
    gpus: dict[int, Gpu] = field(default_factory=dict)


_state = _State()


def _forget() -> None:
    """A driver does not work in a process that was forked from one that uses it."""
    global _state
    _kept.append(_state)
    _state = _State()
    _lock.release()


# States of before a fork, whose handles must not be closed here.
_kept: list[_State] = []
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_forget)


def translate(error: _cutl.DeviceError) -> CutlError:
    """The error of the package that says what a call into the runtime said, and what to do."""
    status, text = error.args
    if status in (_NO_DRIVER, _NO_DEVICE):
        return DriverError(text if "CPU" in text else f"{text}; or pass device='cpu'")
    if status in (_DRIVER_TOO_OLD, _SYMBOL_MISSING):
        return DriverError(f"{text}; update NVIDIA's driver, or pass device='cpu'")
    if status == _OUT_OF_MEMORY:
        return DeviceMemoryError(f"{text}; free memory of the device, or pass device='cpu'")
    if status == _WRONG_CONTEXT:
        return DeviceError(f"stream: {text}; pass a stream of the device that the operands are on")
    if status == _GUARD_FAILED:
        return LayoutError(text)
    if status == INVALID_ARGUMENT:
        return ArgumentError(text)
    if status in (_INVALID_ENTRY, _WORKSPACE_TOO_SMALL):
        return InternalError(text)
    return DeviceError(text)


@contextmanager
def errors() -> Iterator[None]:
    """Turns errors of the runtime into those of the package."""
    try:
        yield
    except _cutl.DeviceError as error:
        raise translate(error) from None


def _open() -> Optional[_cutl.Runtime]:
    """The runtime; without one the state says why."""
    with _lock:
        if _state.runtime is None and _state.failure is None:
            try:
                _state.runtime = _cutl.Runtime(os.environ.get(DRIVER_VARIABLE))
            except _cutl.DeviceError as error:
                _state.failure = error.args
        return _state.runtime


def _fail() -> NoReturn:
    assert _state.failure is not None
    raise translate(_cutl.DeviceError(*_state.failure))


def get(ordinal: int = 0) -> Gpu:
    """A device by number."""
    with _lock:
        found = _state.gpus.get(ordinal)
        if found is not None:
            return found
        runtime = _open()
        if runtime is None:
            _fail()
        with errors():
            name, chip, _, _ = runtime.describe(ordinal)
            gpu = Gpu(ordinal, name, chip, runtime.open(ordinal))
        _state.gpus[ordinal] = gpu
        return gpu


def find() -> Optional[Gpu]:
    """The first device, or none where there is no driver or no device. Warns once of any other fault."""
    if _open() is None:
        status, text = _state.failure or (_NO_DRIVER, "")
        if status not in (_NO_DRIVER, _NO_DEVICE):
            warn(f"running on the CPU: {text}")
        return None
    try:
        return get()
    except DeviceError as error:
        warn(f"running on the CPU: {error}")
        return None


_warned: set[str] = set()


def warn(text: str) -> None:
    """Warns of a device that is not the expected one, once for each reason, where the package was called."""
    if text in _warned:
        return
    _warned.add(text)
    frame: Optional[FrameType] = sys._getframe()
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "cutl":
        frame, level = frame.f_back, level + 1
    warnings.warn(text, DeviceWarning, stacklevel=level)
