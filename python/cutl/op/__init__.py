"""Operations that are planned once and run many times."""

from .gemm import Gemm

__all__ = ["Gemm"]
