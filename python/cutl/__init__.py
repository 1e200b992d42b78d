"""GEMM with fused epilogues, compiled by an MLIR dialect.

    import numpy as np, cutl

    plan = cutl.op.Gemm(element=np.float16, layout=cutl.LayoutType.RowMajor)
    plan.run(A, B, C, D)
"""

from . import _cutl, epilogue, errors, op
from .dtypes import DataType
from .layouts import LayoutType
from .math_operation import MathOperation
from .program import Program, load
from .tensor import Tensor

__all__ = ["DataType", "LayoutType", "MathOperation", "Program", "Tensor", "chips", "epilogue", "errors", "load", "op"]

__version__: str


def chips() -> tuple[str, ...]:
    """The GPUs that code can be compiled for, by name."""
    return tuple(_cutl.chips())


def __getattr__(name: str) -> str:
    # Reading the package's metadata takes as long as all the rest of the import.
    if name == "__version__":
        from importlib.metadata import version

        return version("cutl")
    raise AttributeError(f"module 'cutl' has no attribute {name!r}")
