"""Figures of the CPU target: `python benchmarks/cpu.py`, with the installed package, on an otherwise idle machine.

Prints a Markdown table. Times are medians, both sides in turn in one process, one thread each.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

for variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

import cutl  # noqa: E402

ROUNDS = 25


def seconds(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main() -> None:
    rng = np.random.default_rng(0)
    rows = []

    imports = [seconds(lambda: subprocess.run([sys.executable, "-c", "import cutl"], check=True)) for _ in range(5)]
    rows.append(("`import cutl`, a whole process", f"{sorted(imports)[2]:.2f} s"))

    a, b, c = (rng.standard_normal((1024, 1024)).astype(np.float16) for _ in range(3))
    d = np.empty_like(a)
    plan = cutl.op.Gemm(element=np.float16, layout=cutl.LayoutType.RowMajor, device="cpu")
    rows.append(("f16 1024³, first run with compilation", f"{seconds(lambda: plan.run(a, b, c, d)):.2f} s"))
    again = sorted(seconds(lambda: plan.run(a, b, c, d)) for _ in range(ROUNDS))[ROUNDS // 2]
    rows.append(("f16 1024³ again", f"{1e3 * again:.1f} ms"))

    a, b = (rng.standard_normal((1024, 1024)).astype(np.float32) for _ in range(2))
    d = np.empty_like(a)
    plan = cutl.op.Gemm(device="cpu")
    plan.run(a, b, None, d)
    ours, numpys = [], []
    for _ in range(ROUNDS):
        ours.append(seconds(lambda: plan.run(a, b, None, d)))
        numpys.append(seconds(lambda: np.matmul(a, b, out=d)))
    own, peer = (sorted(times)[ROUNDS // 2] for times in (ours, numpys))
    rows.append(("f32 1024³, one thread", f"{1e3 * own:.1f} ms, NumPy {1e3 * peer:.1f} ms, ratio {peer / own:.2f}"))

    print("| what | figure |\n|---|---|")
    for what, figure in rows:
        print(f"| {what} | {figure} |")


if __name__ == "__main__":
    main()
