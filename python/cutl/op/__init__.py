"""Operations that are planned once and run many times."""

from .gemm import Gemm, RankedConfig

__all__ = ["Gemm", "RankedConfig"]
