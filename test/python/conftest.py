"""What the tests share: element types, arrays of any strides, the float64 reference with its error bound, and a driver."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

import ml_dtypes
import numpy as np
import pytest
from fake_device import FakeDriver, FakeTorch, build_driver, install_torch

import cutl
from cutl import _compiler, _gpu

BF16 = np.dtype(ml_dtypes.bfloat16)
F16 = np.dtype(np.float16)
F32 = np.dtype(np.float32)
F64 = np.dtype(np.float64)
E4M3 = np.dtype(ml_dtypes.float8_e4m3fn)
E5M2 = np.dtype(ml_dtypes.float8_e5m2)
S8 = np.dtype(np.int8)
U8 = np.dtype(np.uint8)
S32 = np.dtype(np.int32)

# Factor of the accumulation term in the bound below, for sums in order of k with f32 accumulators.
ACCUMULATION_FACTOR = 2.0
EPSILON = 2.0**-24

# Largest slope of each activation, and how many f32 roundings (of the value, and of 1 beside it) its formula takes.
SLOPES = {"gelu": 1.13, "gelu_tanh": 1.13, "silu": 1.1, "hardswish": 1.5}
ROUNDINGS = 8


@dataclass
class Usage:
    """How much of the bound, beside the last rounding, the runs of a session used."""

    worst: float = 0.0
    count: int = 0


USAGE = Usage()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cpu", metavar="NAME", help="compile for this processor, such as x86-64-v2, not for the host")


def pytest_configure(config: pytest.Config) -> None:
    cpu = config.getoption("--cpu")
    if cpu:
        _compiler.compile_cpu = lambda module: _compiler._call(lambda _: module.compile_cpu(f"cpu={cpu}"))[0]


def pytest_report_header(config: pytest.Config) -> str:
    return f"cutl {cutl.__version__} from {cutl.__path__[0]}, compiling for {config.getoption('--cpu') or 'host'}"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if USAGE.count:
        terminalreporter.write_line(
            f"largest share of the error bound used, beside the last rounding: {USAGE.worst:.3f} over {USAGE.count} results"
            f" (accumulation factor {ACCUMULATION_FACTOR})"
        )


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240229)


def half_ulp(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Half the distance of neighbours of `dtype` at |x|."""
    info = ml_dtypes.finfo(dtype)
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.floor(np.log2(np.abs(x)))
    lowest = math.log2(float(info.smallest_normal))
    exponent = np.where(np.isfinite(exponent), np.maximum(exponent, lowest), lowest)
    return 0.5 * 2.0 ** (exponent - info.nmant)


def reference(
    a: np.ndarray,
    b: np.ndarray,
    c: Optional[np.ndarray] = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    bias: Optional[np.ndarray] = None,
    activation: cutl.epilogue.Activation = cutl.epilogue.identity,
) -> tuple[np.ndarray, np.ndarray]:
    """D in float64 without its last rounding, and a bound on the error of a computation in f32."""
    a64, b64 = a.astype(np.float64), b.astype(np.float64)
    # The scales are f32 numbers.
    alpha, beta = float(np.float32(alpha)), float(np.float32(beta))
    k = a.shape[-1]
    value = alpha * (a64 @ b64)
    magnitude = np.abs(alpha) * (np.abs(a64) @ np.abs(b64))
    error = (ACCUMULATION_FACTOR * math.sqrt(k) + 1) * EPSILON * magnitude
    if c is not None and beta != 0.0:
        term = beta * c.astype(np.float64)
        value = value + term
        error = error + EPSILON * (np.abs(term) + np.abs(value))
    if bias is not None:
        value = value + bias.astype(np.float64)
        error = error + EPSILON * np.abs(value)
    if activation.name == "identity":
        return value, error
    result = activation(value)
    slope = max(1.0, SLOPES.get(activation.name, 1.0), abs(activation.argument))
    return result, slope * error + ROUNDINGS * EPSILON * (np.abs(result) + np.minimum(np.abs(value), 1.0))


def assert_close(d: np.ndarray, expected: np.ndarray, error: np.ndarray) -> None:
    assert d.shape == expected.shape
    got = d.astype(np.float64)
    largest = float(ml_dtypes.finfo(d.dtype).max)
    # What rounds to infinity may be one ulp on either side of the limit.
    both_infinite = np.isinf(got) & (np.sign(got) == np.sign(expected)) & (np.abs(expected) + error >= largest)
    rounding = half_ulp(np.abs(expected) + error, d.dtype)
    difference = np.where(both_infinite, 0.0, np.abs(got - expected))
    assert np.all(np.isfinite(difference)), "expected finite results"
    excess = np.maximum(difference - rounding, 0.0)
    share = np.divide(excess, error, out=np.where(excess > 0.0, np.inf, 0.0), where=error > 0.0)
    if share.size:
        USAGE.worst = max(USAGE.worst, float(share.max()))
        USAGE.count += share.size
        worst = np.unravel_index(int(share.argmax()), share.shape)
        assert share.max() <= 1.0, (
            f"{share.max():.2f} times the bound at {worst}: expected {expected[worst]}, got {got[worst]}"
        )


def strided(
    shape: tuple[int, ...], dtype: np.dtype, order: tuple[int, ...], steps: tuple[int, ...], fill: float
) -> tuple[np.ndarray, np.ndarray]:
    """A view of that shape whose dimensions lie in memory in that order, with steps of either sign, inside a larger
    array that is filled with one value. Returns the view and the larger array."""
    outer = [0] * len(shape)
    for position, dim in enumerate(order):
        outer[position] = shape[dim] * abs(steps[dim]) + 2
    base = np.full(outer, fill, dtype=dtype)
    index = []
    for dim in order:
        start, count, step = 1, shape[dim], steps[dim]
        whole = slice(start, start + count * abs(step), abs(step))
        index.append(whole)
    view = base[tuple(index)]
    view = view[tuple(slice(None, None, -1 if steps[dim] < 0 else 1) for dim in order)]
    inverse = [0] * len(shape)
    for position, dim in enumerate(order):
        inverse[dim] = position
    view = view.transpose(inverse)
    assert view.shape == shape and np.shares_memory(view, base) == (view.size > 0)
    return view, base


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_driver(tmp_path_factory.mktemp("cuda"))


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package as at its start, on a machine without a driver."""
    monkeypatch.setattr(_gpu, "_state", _gpu._State())
    monkeypatch.setattr(_gpu, "_warned", set())
    monkeypatch.setenv(_gpu.DRIVER_VARIABLE, "/nowhere/libcuda.so.1")


@pytest.fixture
def driver(no_gpu: None, library: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDriver]:
    monkeypatch.setenv(_gpu.DRIVER_VARIABLE, str(library))
    driver = FakeDriver(library)
    yield driver
    assert driver.get("current") == 0, "the thread's context is as it was"


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> FakeTorch:
    return install_torch(monkeypatch)
