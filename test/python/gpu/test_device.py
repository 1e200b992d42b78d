"""Streams, graphs, modules, devices and errors on a GPU. Without pytest: `python test/python/gpu/test_device.py`."""

from __future__ import annotations

import re
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

try:
    import pytest
except ImportError:
    pytest = None

try:
    import torch
except ImportError:
    torch = None

if torch is None or not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
    if pytest is None:
        sys.exit("needs PyTorch and a GPU of compute capability 9.0")
    pytest.skip("needs PyTorch and a GPU of compute capability 9.0", allow_module_level=True)

import cutl  # noqa: E402
from cutl import errors  # noqa: E402


def tensors(m: int, n: int, k: int, seed: int = 0, dtype: Any = torch.float16) -> tuple[Any, ...]:
    generator = torch.Generator("cuda").manual_seed(seed)
    a, b = (torch.randn(s, generator=generator, device="cuda").to(dtype) for s in ((m, k), (k, n)))
    return a, b, torch.full((m, n), float("nan"), dtype=dtype, device="cuda")


def close(d: Any, a: Any, b: Any, tolerance: float = 2e-3) -> bool:
    reference = a.double() @ b.double()
    return bool(((d.double() - reference).norm() / reference.norm()).item() < tolerance)


def expect(error: type, pattern: str, call: Any) -> None:
    try:
        call()
    except error as caught:
        assert re.search(pattern, str(caught)), f"expected {pattern!r}, got {caught}"
    else:
        raise AssertionError(f"expected {error.__name__}")


def test_auto_follows_the_tensors() -> None:
    a, b, d = tensors(256, 384, 512)
    plan = cutl.op.Gemm()
    assert plan.run(a, b, None, d) is d
    assert plan.device == "cuda" and close(d, a, b)
    assert ".visible .entry" in plan.ptx and "wgmma" in plan.ptx
    assert plan.config.startswith("#cutl.tile_config<")


def test_numpy_arrays_are_copied() -> None:
    rng = np.random.default_rng(0)
    for m, n, k in ((100, 70, 50), (1, 1, 1), (33, 129, 7), (0, 4, 4), (4, 4, 0)):
        a, b = rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((k, n)).astype(np.float16)
        whole = np.full((m + 2, n + 3), 7.0, np.float16)
        d = whole[1 : m + 1, 1 : n + 1]
        plan = cutl.op.Gemm(device="cuda")
        assert plan.run(a, np.asfortranarray(b), None, d) is d
        assert plan.device == "cuda"
        assert np.allclose(d, a.astype(np.float64) @ b.astype(np.float64), atol=0.05)
        whole[1 : m + 1, 1 : n + 1] = 7.0
        assert (whole == 7.0).all(), "memory around D was written"


def test_auto_takes_numpy_arrays_to_the_gpu() -> None:
    a = np.ones((64, 64), np.float16)
    d = np.empty_like(a)
    plan = cutl.op.Gemm()
    plan.run(a, a, None, d)
    assert plan.device == "cuda" and (d == 64).all()


def test_graph_capture_and_replay() -> None:
    a, b, d = tensors(512, 512, 256)
    plan = cutl.op.Gemm()
    plan.run(a, b, None, d)
    for first in (True, False):
        # The second plan's kernel is new to the context when it is captured.
        captured = plan if first else cutl.op.Gemm()
        if not first:
            captured.activation = "silu"
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            captured.run(a, b, None, d)
        for seed in range(3):
            a.copy_(tensors(512, 512, 256, seed)[0])
            d.fill_(float("nan"))
            graph.replay()
            torch.cuda.synchronize()
            expected = a.double() @ b.double()
            expected = expected if first else torch.nn.functional.silu(expected)
            assert ((d.double() - expected).norm() / expected.norm()).item() < 2e-3


def test_two_streams_at_once() -> None:
    plan = cutl.op.Gemm()
    sets = [tensors(1024, 768, 512, seed) for seed in range(2)]
    streams = [torch.cuda.Stream() for _ in sets]
    torch.cuda.synchronize()
    for _ in range(20):
        for stream, (a, b, d) in zip(streams, sets):
            with torch.cuda.stream(stream):
                plan.run(a, b, None, d)
    a, b, d = sets[0]
    plan.run(a, b, None, d, stream=streams[1])
    plan.run(a, b, None, d, stream=streams[1].cuda_stream)
    torch.cuda.synchronize()
    assert all(close(d, a, b) for a, b, d in sets)


def test_a_chain_keeps_its_order() -> None:
    """Kernels start up before those ahead have ended, yet read and overwrite only what is finished."""

    def add_and_reduce(accum: Any, C: Any) -> Any:  # noqa: N803
        D = accum + C  # noqa: N806
        row_max = cutl.epilogue.amax(D, dim=1)
        return D, row_max

    generator = torch.Generator("cuda").manual_seed(0)
    size, steps = 1000, 48
    start = torch.randn((2 * size, size), generator=generator, device="cuda").half()
    weights = [torch.randn((size, size), generator=generator, device="cuda").half() / 30 for _ in range(3)]
    x, y = torch.empty_like(start), torch.empty_like(start)
    row_max = torch.empty(2 * size, device="cuda")
    plain, adding = cutl.op.Gemm(), cutl.op.Gemm()
    examples = {"accum": x, "C": x, "D": x, "row_max": row_max}
    adding.epilogue_visitor = cutl.epilogue.trace(add_and_reduce, examples)

    def chain(wait: bool) -> None:
        x.copy_(start)
        for step in range(steps):
            if step % 3 == 2:
                # In place, with a second kernel for the reduction.
                adding.run(x, weights[2], y, y, visitor_args={"row_max": row_max})
            else:
                plain.run(x, weights[step % 3], None, y)
            if step % 4 == 3:
                # Another's kernel in between, and a small product that leaves most of the GPU free.
                y.mul_(0.5)
                plain.run(y[:8], weights[0], None, x[:8])
                y[:8].copy_(x[:8])
            if wait:
                torch.cuda.synchronize()
            x.copy_(y) if step % 5 == 4 else plain.run(y, weights[1], None, x)
            if wait:
                torch.cuda.synchronize()

    y.zero_()
    chain(wait=True)
    expected = [t.clone() for t in (x, y, row_max)]
    assert all(bool(torch.isfinite(t).all()) and bool(t.abs().max() > 0) for t in expected)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        chain(wait=False)
    for run in [lambda: chain(wait=False)] * 3 + [graph.replay] * 5:
        for t in (x, y, row_max):
            t.fill_(float("nan"))
        y.zero_()
        run()
        torch.cuda.synchronize()
        assert all(torch.equal(t, e) for t, e in zip((x, y, row_max), expected))


def test_two_modules_in_one_process() -> None:
    a, b, d = tensors(300, 200, 128)
    other = torch.empty_like(d)
    first, second = cutl.op.Gemm(), cutl.op.Gemm()
    second.activation = "relu"
    for _ in range(3):
        first.run(a, b, None, d)
        second.run(a, b, None, other)
    assert close(d, a, b) and torch.equal(other, torch.relu(d))


def test_sizes_share_a_kernel() -> None:
    from cutl import _compiler

    config = "#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = pingpong>"
    plan = cutl.op.Gemm(config=config)
    plan.run(*_abd(tensors(128, 128, 64)))
    before = _compiler.gpu_kernels()
    for size in (8, 136, 520):
        a, b, d = tensors(size, size, size)
        plan.run(a, b, None, d)
        assert close(d, a, b)
    assert _compiler.gpu_kernels() == before


LAYERS = (Path(__file__).parent.parent / "layers.mlir").read_text()


def test_program() -> None:
    """Two layers in one launch, the hidden one in the workspace."""
    program = cutl.Program(LAYERS)
    for count in (1, 5, 300):
        x, w1, w2 = (torch.randn(s, device="cuda").half() for s in ((count, 64), (48, 64), (16, 48)))
        out = torch.full((count, 16), float("nan"), device="cuda")
        assert program.run("layers", x, w1, w2, out) == "cuda"
        expected = torch.relu(x.double() @ w1.double().t()).half().double() @ w2.double().t()
        assert ((out.double() - expected).norm() / expected.norm()).item() < 1e-3
        arrays = [t.cpu().numpy() for t in (x, w1, w2, out)]
        arrays[3][:] = np.nan
        assert program.run("layers", *arrays) == "cuda"
        assert np.array_equal(arrays[3], out.cpu().numpy())


def test_batches() -> None:
    a, b = (torch.randn(s, device="cuda").bfloat16() for s in ((3, 200, 136), (136, 72)))
    d = torch.full((3, 200, 72), float("nan"), device="cuda", dtype=torch.bfloat16)
    cutl.op.Gemm().run(a, b, None, d)
    assert close(d, a, b, 1e-2)
    each = torch.randn((3, 136, 72), device="cuda").bfloat16()
    cutl.op.Gemm().run(a, each, None, d)
    assert close(d, a, each, 1e-2)


class OnlyInterface:
    """A tensor of a library that is not PyTorch."""

    def __init__(self, tensor: Any) -> None:
        self.__cuda_array_interface__ = tensor.__cuda_array_interface__


class OnlyDlpack:
    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def __dlpack_device__(self) -> Any:
        return self._tensor.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        return self._tensor.__dlpack__(**options)


def test_other_libraries() -> None:
    for wrap in (OnlyInterface, OnlyDlpack):
        a, b, d = tensors(136, 72, 200)
        torch.cuda.synchronize()
        for _ in range(2):
            cutl.op.Gemm().run(wrap(a), wrap(b), None, wrap(d))
        torch.cuda.synchronize()
        assert close(d, a, b)


def _abd(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    a, b, d = operands
    return a, b, None, d


def test_overlap() -> None:
    buffer = torch.randn((64, 256), device="cuda").half()
    a, b, d = buffer[:, :64], torch.eye(64, device="cuda").half(), buffer[:, 128:192]
    plan = cutl.op.Gemm()
    for _ in range(2):
        plan.run(a, b, None, d)
        assert torch.equal(a, d), "interleaved rows share no memory"
        expect(
            errors.AliasError, r"^D: expected to share no memory with A", lambda: plan.run(a, b, None, buffer[:, 32:96])
        )


def test_errors() -> None:
    a, b, d = tensors(64, 64, 64)
    plan = cutl.op.Gemm()
    plan.run(a, b, None, d)
    expect(
        errors.DeviceError, r"^B: expected a CUDA tensor .* got a tensor on cpu", lambda: plan.run(a, b.cpu(), None, d)
    )
    expect(
        errors.DeviceError,
        r"^B: expected all operands in one place",
        lambda: plan.run(a, np.ones((64, 64), np.float16), None, d),
    )
    expect(errors.CutlError, r"f64|float64", lambda: plan.run(a.double(), b.double(), None, d.double()))
    expect(
        errors.DTypeError,
        r"^A: expected one of .* got torch.complex64",
        lambda: plan.run(a.to(torch.complex64), b, None, d),
    )
    shifted = torch.randn(64 * 64 + 1, device="cuda").half()[1:].view(64, 64)
    expect(errors.LayoutError, r"address of 'A' to be a multiple of 16 bytes", lambda: plan.run(shifted, b, None, d))
    narrow = torch.randn((64, 65), device="cuda").half()[:, :64]
    expect(
        errors.LayoutError,
        r"stride of dimension 0 of 'A' to be a multiple of 16 bytes",
        lambda: plan.run(narrow, b, None, d),
    )
    expect(errors.DeviceError, r"device is 'cpu'", lambda: cutl.op.Gemm(device="cpu").run(a, b, None, d))
    expect(errors.ArgumentError, r"^stream: ", lambda: plan.run(a, b, None, d, stream="x"))
    if torch.cuda.device_count() > 1:
        far = b.to("cuda:1")
        expect(errors.DeviceError, r"A on cuda:0 and B on cuda:1", lambda: plan.run(a, far, None, d))
        other = torch.cuda.Stream(device="cuda:1")
        expect(errors.DeviceError, r"^stream: ", lambda: plan.run(a, b, None, d, stream=other))
        a, b, d = (x.to("cuda:1") for x in (a, b, d))
        plan.run(a, b, None, d)
        assert close(d, a, b)


def main() -> int:
    failed = 0
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    for test in tests:
        try:
            test()
        except Exception:
            failed += 1
            print(f"FAILED {test.__name__}")
            traceback.print_exc()
    print(f"{len(tests) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
