#!/usr/bin/env bash
# Installs what is missing, builds the package, and runs the main job on real input.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh

echo "== Building and installing the Python package (minutes the first time, seconds afterwards)"
.venv/bin/pip install --quiet --no-deps --no-build-isolation .

echo "== D = relu(A·B + bias) on NumPy arrays"
.venv/bin/python examples/python/linear.py

echo "== A gated layer with three results, from a Python function"
.venv/bin/python examples/python/epilogue.py

echo "== Handwritten digits: two layers compiled from examples/python/digits.mlir"
.venv/bin/python examples/python/digits.py build-demo/digits-ir
