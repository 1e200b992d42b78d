"""The extension module: the C interface as Python objects. Use the classes of `cutl` instead."""

from collections.abc import Callable
from typing import Any

class Error(RuntimeError):
    """A call failed; `args` are the status and the text."""

    args: tuple[int, str]

class DeviceError(RuntimeError):
    """A call into the runtime failed; `args` are the CutlRuntimeStatus and the text."""

    args: tuple[int, str]

_Operand = tuple[int, str, bool, int]
_Array = tuple[int, int, tuple[int, ...], tuple[int, ...]]
_Number = tuple[float | int, int]
_EpilogueInput = tuple[str, _Operand, bool]
_EpilogueNode = tuple[str, list[int], list[float], int, str]
_EpilogueOutput = tuple[str, _Operand, int, int]
_Epilogue = tuple[list[_EpilogueInput], list[_EpilogueNode], list[_EpilogueOutput], int]

def api_version() -> int: ...
def data_types() -> list[tuple[int, str, str, int, bool, bool, bool]]:
    """Enumerator, name, NumPy name, bits, and whether it can be stored, is an integer, is a CPU operand."""

def default_accumulator(a: int, b: int, /) -> int: ...
def chips() -> list[str]: ...
def stages() -> list[str]: ...
def epilogue_ops() -> list[tuple[str, int, int]]:
    """Name, number of operands and of constants of each op that an epilogue's nodes can be."""

class Executable:
    def invoke(self, function: str, arguments: list[_Array | _Number]) -> None: ...
    def writes(self, function: str, argument: int) -> bool: ...

class Module:
    def clone(self) -> Module: ...
    def run_pipeline(self, pipeline: str) -> None: ...
    def compile_cpu(self, options: str) -> Executable: ...
    def emit(self, stage: str, options: str) -> bytes: ...
    def config(self) -> tuple[str, str]: ...
    def list_configs(self, options: str) -> list[tuple[str, float]]: ...
    def find_call(self, function: str, options: str) -> tuple[str, list[int], int]: ...
    def bytecode(self) -> bytes: ...

class Context:
    def __init__(self) -> None: ...
    def parse(self, text: bytes, name: str) -> Module: ...
    def gemm(
        self,
        *,
        name: str,
        memref_form: bool,
        extents: tuple[int, int, int],
        batch: list[int],
        a: _Operand,
        b: _Operand,
        more_b: list[_Operand],
        split: int,
        c: _Operand | None,
        bias: _Operand | None,
        d: _Operand | None,
        epilogue: _Epilogue | None,
        accumulator: int,
        math: int,
        has_alpha: bool,
        has_beta: bool,
        activation: int,
        activation_argument: float,
        config: str,
        schedule: str,
        deterministic: bool,
        batch_invariant: bool,
        sm_budget: int,
        saturate: bool,
        promote: int,
        unaligned_a: bool,
        unaligned_b: bool,
    ) -> Module: ...
    def check_decisions(self, config: str, schedule: str) -> None: ...
    def diagnostics(self) -> list[tuple[int, str, str]]: ...

_Sizes = tuple[int, ...]
_DeviceOperand = tuple[int, int, _Sizes, _Sizes]
_Scalar = tuple[float | int, int]

class Runtime:
    def __init__(self, driver: str | None) -> None: ...
    @property
    def device_count(self) -> int: ...
    def describe(self, ordinal: int) -> tuple[str, str, int, int]:
        """Name, chip, multiprocessors, version of the driver."""
    def open(self, ordinal: int) -> Device: ...

class Bundle:
    def entries(self) -> list[tuple[str, tuple[tuple[str, int, bool, _Sizes], ...], tuple[tuple[str, int], ...]]]:
        """Name, operands (name, type, whether written, sizes), and scalars (name, type) of each."""

def load_bundle(bytes: bytes) -> Bundle: ...
def read_dlpack(array: Any) -> tuple[int, int, int, _Sizes, _Sizes, int]:
    """Address, kind and bits of elements, shape, strides in elements, device."""

class Device:
    @property
    def ordinal(self) -> int: ...
    def create_stream(self) -> int: ...
    def synchronize(self, stream: int) -> None: ...
    def prepare(self, bundle: Bundle, entry: str) -> None: ...
    def workspace_bytes(
        self, bundle: Bundle, entry: str, operands: list[_DeviceOperand], scalars: list[_Scalar]
    ) -> int: ...
    def launch(
        self,
        bundle: Bundle,
        entry: str,
        operands: list[_DeviceOperand],
        scalars: list[_Scalar],
        workspace: int,
        workspace_bytes: int,
        stream: int,
    ) -> None: ...

class Buffer:
    def __init__(self, device: Device, bytes: int) -> None: ...
    @property
    def bytes(self) -> int: ...
    def data_ptr(self) -> int: ...
    def copy_in(self, source: int, bytes: int, stream: int) -> None: ...
    def copy_out(self, destination: int, bytes: int, stream: int) -> None: ...

class Prepared:
    def __init__(
        self,
        device: Device,
        bundle: Bundle,
        entry: str,
        operands: list[tuple[int, int, _Sizes, _Sizes]],
        scalars: list[tuple[int, int]],
        spans: list[tuple[int, int] | None],
        outputs: list[tuple[int, list[int]]],
    ) -> None: ...

class LaunchCache:
    def __init__(self, alpha: float, beta: float) -> None: ...
    def run(
        self, a: Any, b: Any, c: Any, d: Any, bias: Any, alpha: Any, beta: Any, stream: int | None
    ) -> Any: ...
    def add(
        self, a: Any, b: Any, c: Any, d: Any, bias: Any, alpha: float, beta: float, prepared: Prepared, result: Any
    ) -> bool: ...
    def run_visited(self, operands: list[Any], stream: int | None) -> Any: ...
    def add_visited(self, operands: list[Any], prepared: Prepared, result: Any) -> bool: ...
    def add_type(self, type: type) -> None: ...
    def set_host(self, current_stream: Callable[[int], int], allocate: Callable[[int, int, int], Any]) -> None: ...
    def __len__(self) -> int: ...
