"""Handwritten digits: a two-layer classifier trained with NumPy, its layers compiled from `digits.mlir`.

Runs on a GPU where there is one, else on the CPU. Writes the IR of every stage, down to PTX, to the folder given as
argument; that needs no GPU.
"""

import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import cutl

HIDDEN = 48


def train(images: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, ...]:
    """Weights and biases of two layers, by gradient descent on the cross entropy."""
    rng = np.random.default_rng(1)
    w1 = rng.standard_normal((HIDDEN, 64)) * np.sqrt(2 / 64)
    w2 = rng.standard_normal((10, HIDDEN)) * np.sqrt(2 / HIDDEN)
    b1, b2 = np.zeros(HIDDEN), np.zeros(10)
    wanted = np.eye(10)[labels]
    for step in range(600):
        hidden = np.maximum(images @ w1.T + b1, 0)
        scores = hidden @ w2.T + b2
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
        slope = (exponentials / exponentials.sum(axis=1, keepdims=True) - wanted) / len(images)
        hidden_slope = (slope @ w2) * (hidden > 0)
        rate = 0.5 if step < 400 else 0.1
        w2 -= rate * slope.T @ hidden
        b2 -= rate * slope.sum(axis=0)
        w1 -= rate * hidden_slope.T @ images
        b1 -= rate * hidden_slope.sum(axis=0)
    return w1.astype(np.float16), b1.astype(np.float32), w2.astype(np.float16), b2.astype(np.float32)


def classify_with_numpy(images: np.ndarray, w1: np.ndarray, b1: np.ndarray, w2: np.ndarray, b2: np.ndarray) -> np.ndarray:
    """The scores in float64, with the hidden layer rounded to f16 as the compiled function does."""
    wide = [x.astype(np.float64) for x in (images, w1, b1, w2, b2)]
    hidden = np.maximum(wide[0] @ wide[1].T + wide[2], 0).astype(np.float16).astype(np.float64)
    return hidden @ wide[3].T + wide[4]


def main() -> None:
    stages = Path(sys.argv[1] if len(sys.argv) > 1 else "digits-ir")
    digits = load_digits()
    images = (digits.data / 16).astype(np.float16)
    trained, tested = slice(0, 1200), slice(1200, None)
    weights = train(images[trained].astype(np.float64), digits.target[trained])

    program = cutl.load(Path(__file__).with_suffix(".mlir"))
    scores = np.empty((len(images[tested]), 10), np.float32)
    start = time.perf_counter()
    device = program.run("classify", images[tested], *weights, scores)
    first = time.perf_counter() - start
    start = time.perf_counter()
    program.run("classify", images[tested], *weights, scores)
    again = time.perf_counter() - start

    predicted = scores.argmax(axis=1)
    expected = classify_with_numpy(images[tested], *weights).argmax(axis=1)
    accuracy = (predicted == digits.target[tested]).mean()
    same = int((predicted == expected).sum())
    print(f"device: {device}")
    print(f"{len(scores)} test digits: {first:.3f} s with compilation, {1e3 * again:.3f} ms again")
    print(f"{same} of {len(scores)} classified as NumPy classifies them; {100 * accuracy:.1f} % are right")
    assert same == len(scores), "a digit is classified differently than by NumPy"
    # One image alone goes through the same code: the batch is a size, not a type.
    single = np.empty((1, 10), np.float32)
    program.run("classify", images[1200:1201], *weights, single)
    assert single.argmax() == predicted[0]

    print("chosen for sm_90a:")
    for line in program.explain(chip="sm_90a").splitlines():
        print(f"  {line}")
    stages.mkdir(parents=True, exist_ok=True)
    for stage in ("raw", "targeted", "configured", "tiled", "staged", "nvvm"):
        (stages / f"{stage}.mlir").write_text(program.ir(stage))
    (stages / "kernels.ll").write_text(program.ir("llvm"))
    (stages / "kernels.ptx").write_text(program.ir("ptx"))
    program.bundle(stages / "digits.cutlb")
    for stage in ("linalg", "llvm"):
        (stages / f"cpu-{stage}.mlir").write_text(program.ir(stage, device="cpu"))
    names = sorted(path.name for path in stages.iterdir())
    print(f"every stage, for sm_90a and for the CPU: {stages}/{{{','.join(names)}}}")


if __name__ == "__main__":
    main()
