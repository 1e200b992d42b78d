"""The stages of lowering that can be looked at, by name."""

from __future__ import annotations

from typing import Literal

from . import _compiler, _cutl
from .errors import ArgumentError, Diagnostic

Stage = Literal["raw", "targeted", "configured", "linalg", "llvm"]

# What takes a module as written to each stage.
_PIPELINES = {
    "raw": "",
    "targeted": "cutl-attach-target{{chip={chip}}}",
    "configured": "cutl-configure{{chip={chip}}}",
    "linalg": "convert-cutl-to-linalg",
    "llvm": "cutl-to-cpu",
}


def lower(module: _cutl.Module, stage: str, chip: str) -> tuple[Diagnostic, ...]:
    """Takes a module, in place, to a stage and returns what the passes reported."""
    if stage not in _PIPELINES:
        raise ArgumentError(f"stage: expected one of {', '.join(_PIPELINES)}, got {stage!r}")
    if chip not in _cutl.chips():
        raise ArgumentError(f"chip: expected one of {', '.join(_cutl.chips())}, got {chip!r}")
    pipeline = _PIPELINES[stage].format(chip=chip)
    return _compiler.run_pipeline(module, pipeline) if pipeline else ()


def remarks(diagnostics: tuple[Diagnostic, ...]) -> str:
    """The remarks among the diagnostics, a line each."""
    return "\n".join(d.message for d in diagnostics if d.severity == "remark")
