"""The extension module: the C interface as Python objects. Use the classes of `cutl` instead."""

class Error(RuntimeError):
    """A call failed; `args` are the status and the text."""

    args: tuple[int, str]

_Operand = tuple[int, str, bool]
_Array = tuple[int, int, tuple[int, ...], tuple[int, ...]]
_Number = tuple[float | int, int]

def api_version() -> int: ...
def data_types() -> list[tuple[int, str, str, int, bool, bool, bool]]:
    """Enumerator, name, NumPy name, bits, and whether it can be stored, is an integer, is a CPU operand."""

def default_accumulator(a: int, b: int, /) -> int: ...
def chips() -> list[str]: ...

class Executable:
    def invoke(self, function: str, arguments: list[_Array | _Number]) -> None: ...
    def writes(self, function: str, argument: int) -> bool: ...

class Module:
    def clone(self) -> Module: ...
    def run_pipeline(self, pipeline: str) -> None: ...
    def compile_cpu(self, options: str) -> Executable: ...
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
        c: _Operand | None,
        bias: _Operand | None,
        d: _Operand,
        accumulator: int,
        math: int,
        has_alpha: bool,
        has_beta: bool,
        activation: int,
        activation_argument: float,
    ) -> Module: ...
    def diagnostics(self) -> list[tuple[int, str, str]]: ...
