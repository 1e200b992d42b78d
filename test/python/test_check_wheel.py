"""scripts/check_wheel.py on wheels made to be wrong."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Optional

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_wheel.py"
GOOD_NAME = "cutl-0.1.0-cp312-abi3-manylinux_2_34_x86_64.whl"
GOOD_SOURCE = """
#include <stdlib.h>
__attribute__((visibility("default"))) void *PyInit__cutl(void) { return malloc(1); }
__attribute__((visibility("default"))) int cutlApiVersion(void) { return 1; }
"""

compiler = shutil.which("clang-22") or shutil.which("cc")
pytestmark = pytest.mark.skipif(
    compiler is None or shutil.which("readelf") is None, reason="needs a C compiler and readelf"
)


def check(
    folder: Path,
    source: str = GOOD_SOURCE,
    flags: tuple[str, ...] = ("-s",),
    name: str = GOOD_NAME,
    extra: Optional[dict[str, bytes]] = None,
    leave_out: str = "",
) -> tuple[int, str]:
    (folder / "module.c").write_text(source)
    library = folder / "module.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-fvisibility=hidden", "-o", library, folder / "module.c", *flags], check=True
    )
    files = {
        "cutl/__init__.py": b"",
        "cutl/py.typed": b"",
        "cutl/_cutl.abi3.so": library.read_bytes(),
        "cutl-0.1.0.dist-info/RECORD": b"",
        **(extra or {}),
    }
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, data in files.items():
            if path != leave_out:
                archive.writestr(path, data)
    run = subprocess.run([sys.executable, SCRIPT, folder / name], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def test_good(tmp_path: Path) -> None:
    status, text = check(tmp_path)
    assert (status, "portable" in text) == (0, True), text


@pytest.mark.parametrize(
    "arguments,message",
    [
        ({"source": GOOD_SOURCE + "int cutlX(void) { return arc4random(); }\n"
                    '__attribute__((visibility("default"))) int cutlY(void) { return cutlX(); }'},
         "newer than GLIBC_2.34, got GLIBC_2.36"),
        ({"flags": ("-s", "-Wl,--no-as-needed", "-lz")}, "to be needed, got libz.so.1"),
        ({"source": GOOD_SOURCE + '__attribute__((visibility("default"))) int leak;'}, "only, got leak"),
        ({"source": GOOD_SOURCE + 'extern int other(void);\n'
                    '__attribute__((visibility("default"))) int cutlX(void) { return other(); }'},
         "undefined symbol other"),
        ({"source": "void nothing(void) {}"}, "expected the C API and the module's entry to be exported"),
        ({"flags": ()}, "expected a stripped binary, got section .symtab"),
        ({"flags": ("-s", "-Wl,-rpath,/opt")}, "expected no run path"),
        ({"extra": {"cutl/core.mlir": b""}}, "unexpected file cutl/core.mlir"),
        ({"extra": {"cutl/tests/deep.py": b""}}, "unexpected file cutl/tests/deep.py"),
        ({"leave_out": "cutl/py.typed"}, "expected a file cutl/py.typed, got none"),
        ({"leave_out": "cutl/_cutl.abi3.so"}, "expected a file cutl/_cutl.*.so, got none"),
        ({"name": "cutl-0.1.0-cp312-abi3-linux_x86_64.whl"}, "expected the tag cp312-abi3 or cp311-cp311 with"),
        ({"name": GOOD_NAME.replace("_34_", "_28_")}, "with manylinux_2_34_x86_64"),
        ({"extra": {"cutl/big.py": bytes(41 * 2**20)}}, "expected less than 41943040 bytes"),
    ],
)
def test_bad(tmp_path: Path, arguments: dict, message: str) -> None:
    status, text = check(tmp_path, **arguments)
    assert status == 1 and message in text, text
