"""Kernels as the driver compiles them beside those of ptxas: `python benchmarks/gpu/jit.py [SHAPE ...]`, with the installed
package, PyTorch and a ptxas on the path or in CUTL_PTXAS. Shapes are those of gemm.py, which also times them: in turn, from
CUDA graphs. The figure is the driver's time over ptxas's."""

from __future__ import annotations

import sys
from typing import Any
from unittest import mock

import gemm

from cutl import _compiler

SHAPES = (
    "8192x8192x8192", "4096x4096x4096", "8192x8192x1024", "8192x8192x8192:rr", "8192x8192x4096:rc:bf16:bias_relu"
)  # fmt: skip
ROUNDS = 25


def captured(case: gemm.Case, sets: list[gemm.Operands], launches: int, code: str) -> tuple[Any, Any]:
    """A graph of launches whose kernel is given to the driver as `code`, and what keeps it alive."""
    emit = _compiler.emit

    def emit_as(module: Any, stage: str, options: str) -> Any:
        return emit(module, stage, f"{options} format={code}" if stage == "bundle" else options)

    # The process would otherwise share the kernel that it has.
    with mock.patch.object(_compiler, "_kernels", {}), mock.patch.object(_compiler, "emit", emit_as):
        run = gemm.ours(case)
        return gemm.capture(run, sets, launches), (run, _compiler._kernels)


def main() -> None:
    print("| case | driver us | ptxas us | driver / ptxas |\n|---|---:|---:|---:|")
    for shape in sys.argv[1:] or SHAPES:
        case = gemm.parse(shape)
        sets = [gemm.Operands(case) for _ in range(2)]
        launches = 4 if case.flops > 5e11 else 8
        graphs, _kept = zip(*(captured(case, sets, launches, code) for code in ("ptx", "cubin")))
        driver, ptxas = gemm.in_turn(list(graphs), launches, ROUNDS)
        print(f"| {case} | {driver * 1e6:.1f} | {ptxas * 1e6:.1f} | {driver / ptxas:.4f} |", flush=True)


if __name__ == "__main__":
    main()
