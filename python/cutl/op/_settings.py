"""What a plan is told of the way it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Optional

from .. import _compiler, _gpu
from .._specs import SPLITS
from ..epilogue import Activation, Epilogue, identity
from ..errors import ArgumentError, CompileError, ConfigError
from ._demands import Demands
from ._problem import number

Device = Literal["auto", "cpu", "cuda"]
_DEVICES = ("auto", "cpu", "cuda")
# More than any attribute has, and less than what nests too deep for a parser.
_LONGEST_TEXT = 1000


@dataclass(frozen=True)
class Settings:
    """As `Gemm` documents them; raises if one of them is nothing of the kind."""

    device: Device
    split: str
    demands: Demands
    alpha: float
    beta: float
    activation: Activation = identity
    visitor: Optional[Epilogue] = None
    # As `check_text` lets pass; empty where the compiler chooses.
    config: str = ""
    schedule: str = ""

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise ArgumentError(f"split: expected 'halves', 'interleaved' or '', got {self.split!r}")
        check_device(self.device)
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, number(name, getattr(self, name)))

    def check_split(self) -> None:
        """Raises if there are no accumulators that B could be split for. A visitor may still be set after `split`."""
        if self.split and self.visitor is None:
            raise ArgumentError(f"split: expected '', got {self.split!r}, since the plan has no epilogue_visitor")


def check_text(name: str, text: str) -> str:
    """The text of a configuration or a schedule, by its name among the settings, or none."""
    if not isinstance(text, str):
        kind = {"config": "a #cutl.tile_config", "schedule": "a schedule, as '#cutl.stream_k'"}[name]
        raise ConfigError(f"{name}: expected the text of {kind}, or '', got {text!r}")
    text = text.strip()
    if len(text) > _LONGEST_TEXT:
        raise ConfigError(f"{name}: expected at most {_LONGEST_TEXT} characters, got {len(text)}")
    odd = [c for c in text if c == "\0" or "\ud800" <= c <= "\udfff"]
    if odd:
        raise ConfigError(f"{name}: expected characters of text, got {odd[0]!r}")
    if text:
        try:
            _compiler.check_decisions(**{name: text})
        except CompileError as error:
            raise ConfigError(f"{name}: {error}", error.diagnostics) from None
    return text


def check_device(device: str) -> None:
    if device not in _DEVICES:
        raise ArgumentError(f"device: expected 'auto', 'cpu' or 'cuda', got {device!r}")


def find_device(device: str) -> str:
    """Where NumPy arrays go that are given to a plan for a device."""
    if device == "auto":
        return "cpu" if _gpu.find() is None else "cuda"
    return device
