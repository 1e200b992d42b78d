"""Measures how long one GEMM takes from .mlir to PTX, a whole process of cutl-compile; ptxas is reported separately.

    python test/check_compile_time.py --tools build/bin

Fails if the fastest of some runs takes longer than --limit seconds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from check_ptxas import CHIP, find_ptxas

# The largest tile, all of whose accumulators pass through an exact GELU.
SOURCE = """
func.func @gemm(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %bias: memref<?xf32>, %d: memref<?x?xbf16>) {
  cutl.gemm ins(%a : (m, k), %b : (n, k)) aux(%bias : (n)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 256, 64], stages = 4, kernel = cooperative>) {
  ^bb0(%acc: f32, %x: f32):
    %s = arith.addf %acc, %x : f32
    %g = cutl.gelu %s : f32
    %o = arith.truncf %g : f32 to bf16
    cutl.yield %o : bf16
  } : (memref<?x?xbf16>, memref<?x?xbf16>, memref<?xf32>, memref<?x?xbf16>) -> ()
  return
}
"""


def measure(command: list[object], runs: int) -> list[tuple[float, float]]:
    """Seconds that passed and seconds of processor time, of each run."""
    seconds = []
    for _ in range(runs):
        before, start = os.times(), time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after, end = os.times(), time.monotonic()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        seconds.append((end - start, used))
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True, help="folder of cutl-compile")
    parser.add_argument("--runs", type=int, default=5)
    # Several times what it takes, since machines differ and other tests run beside this one.
    parser.add_argument("--limit", type=float, default=1.4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = Path(folder, "gemm.mlir"), Path(folder, "gemm.ptx")
        source.write_text(SOURCE)
        cutl = measure(
            [options.tools / "cutl-compile", f"--chip={CHIP}", "--emit=ptx", source, "-o", ptx], options.runs
        )
        ptxas = measure([find_ptxas(), f"-arch={CHIP}", ptx, "-o", os.devnull], options.runs)
    for name, seconds in ("cutl-compile", cutl), ("ptxas", ptxas):
        passed, used = zip(*seconds)
        print(
            f"{name}: {min(passed):.2f} s at best, {statistics.median(passed):.2f} s median of {len(seconds)};"
            f" processor time {min(used):.2f} s at best, {statistics.median(used):.2f} s median"
        )
    best = min(passed for passed, _ in cutl)
    if best > options.limit:
        print(f"expected cutl-compile to take at most {options.limit} s, got {best:.2f} s")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
