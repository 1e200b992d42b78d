"""The stages of lowering that can be looked at, by name."""

from __future__ import annotations

from typing import Literal

from . import _compiler, _cutl
from .errors import ArgumentError, Diagnostic

Stage = Literal["raw", "targeted", "configured", "tiled", "staged", "nvvm", "llvm", "ptx", "linalg"]
# Forms that are no text.
_BINARY = ("cubin", "bundle")

DEFAULT_CHIP = "sm_90a"


def check_chip(chip: str) -> str:
    """The name of a chip that there is."""
    if chip not in _cutl.chips():
        raise ArgumentError(f"chip: expected one of {', '.join(_cutl.chips())}, got {chip!r}")
    return chip


def show(module: _cutl.Module, stage: str, chip: str, device: str, programmatic_launch: bool = True) -> str:
    """A module at a stage of the lowering for a device, which stays as it is."""
    stages = [name for name in dict.fromkeys(_cutl.stages()) if name not in _BINARY]
    if stage not in stages:
        raise ArgumentError(f"stage: expected one of {', '.join(stages)}, got {stage!r}")
    if device not in ("", "cpu", "cuda"):
        raise ArgumentError(f"device: expected 'cpu' or 'cuda', got {device!r}")
    options = _compiler.gpu_options(check_chip(chip), programmatic_launch) + (f" device={device}" if device else "")
    return _compiler.emit(module, stage, options)[0].decode()


def explain(module: _cutl.Module, chip: str) -> str:
    """Why the compiler chooses what it chooses for a module."""
    return remarks(_compiler.emit(module, "configured", f"chip={check_chip(chip)}")[1])


def remarks(diagnostics: tuple[Diagnostic, ...]) -> str:
    """The remarks among the diagnostics, a line each."""
    return "\n".join(d.message for d in diagnostics if d.severity == "remark")
