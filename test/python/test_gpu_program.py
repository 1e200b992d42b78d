"""Modules on a GPU, on a driver that stands in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import F16, F32
from fake_device import FakeDriver, FakeTorch, Tensor

import cutl
from cutl import _gpu, errors


#
# Programs
#

LAYERS = (Path(__file__).parent / "layers.mlir").read_text()


def test_program_on_arrays(driver: FakeDriver) -> None:
    program = cutl.Program(LAYERS)
    x, w1, w2 = (np.ones(s, F16) for s in ((5, 64), (48, 64), (16, 48)))
    out = np.full((5, 16), 7, F32)
    launches, copies = driver.get("launches"), driver.get("copiesOut")
    for _ in range(2):
        assert program.run("layers", x, w1, w2, out) == "cuda"
        # It may be read too, so it goes there and comes back.
        assert (out == 7).all()
    assert driver.get("launches") == launches + 4, "two products a run"
    assert driver.get("copiesOut") == copies + 2, "what is written alone comes back"
    assert program.run("layers", x, w1, w2, out, device="cpu") == "cpu"
    assert (out == 64 * 48).all()
    with pytest.raises(errors.ArgumentError, match="expected 4 arguments for 'layers', got 3"):
        program.run("layers", x, w1, w2, device="cuda")
    with pytest.raises(errors.ArgumentError, match="argument 3: expected an array"):
        program.run("layers", x, w1, w2, np.float32(1), device="cuda")
    with pytest.raises(errors.ArgumentError, match="expected .* got"):
        program.run("layers", x, w1, np.ones((16, 40), F16), out, device="cuda")
    with pytest.raises(errors.AliasError, match="^argument 3: expected to share no memory with argument 0"):
        memory = np.zeros(5 * 64 * 4, np.uint8)
        program.run(
            "layers",
            memory[: 5 * 64 * 2].view(F16).reshape(5, 64),
            w1,
            w2,
            memory[: 5 * 64].view(F32).reshape(5, 16),
            device="cuda",
        )
    with pytest.raises(errors.DeviceError, match="cannot run 'other': expected the name of a function"):
        program.run("other", x, device="cuda")


def test_program_on_tensors(driver: FakeDriver, torch: FakeTorch) -> None:
    program = cutl.Program(LAYERS)
    arguments = [torch.tensor(s) for s in ((5, 64), (48, 64), (16, 48))] + [torch.tensor((5, 16), torch.float32)]
    launches = driver.get("launches")
    assert program.run("layers", *arguments) == "cuda"
    assert driver.get("launches") == launches + 2
    assert len(torch.allocated) == 1 and torch.allocated[0] >= 5 * 48 * 2, "a workspace for the hidden layer"
    own = _gpu.get(0).device.create_stream()
    torch.cuda = type("cuda", (), {"ExternalStream": staticmethod(lambda stream, device: stream)})
    recorded = []
    Tensor.record_stream = lambda self, stream: recorded.append(stream)
    program.run("layers", *arguments, stream=own)
    assert driver.get("stream") == own and recorded == [own]
    del Tensor.record_stream
    with pytest.raises(errors.DeviceError, match="expected all arrays in one place"):
        program.run("layers", np.ones((5, 64), F16), *arguments[1:])
    with pytest.raises(errors.DeviceError, match="^argument 0: expected a NumPy array since device is 'cpu'"):
        program.run("layers", *arguments, device="cpu")


def test_program_with_work_for_the_host(driver: FakeDriver) -> None:
    text = """
func.func @host(%x: memref<8x8xf16>, %d: memref<8x8xf16>) {
  cutl.gemm ins(%x : (m, k), %x : (n, k)) outs(%d : (m, n)) {
  ^bb0(%acc: f32):
    %o = arith.truncf %acc : f32 to f16
    cutl.yield %o : f16
  } : (memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf16>) -> ()
  memref.copy %d, %x : memref<8x8xf16> to memref<8x8xf16>
  return
}
"""
    program = cutl.Program(text)
    x, d = np.ones((8, 8), F16), np.zeros((8, 8), F16)
    with pytest.raises(
        errors.DeviceError, match="to do nothing on a GPU but the products of one launch, got 'memref.copy'"
    ):
        program.run("host", x, d, device="cuda")
    with pytest.warns(errors.DeviceWarning, match="running on the CPU since cuda:0 .* cannot run 'host'"):
        assert program.run("host", x, d) == "cpu"
    assert (x == 8).all()
