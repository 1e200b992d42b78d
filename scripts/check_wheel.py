#!/usr/bin/env python3
"""Checks that wheels are self-contained and portable, as their manylinux tag promises.

Usage: check_wheel.py WHEEL...

Needs readelf. Exits 1 and lists every fault when a wheel
  * asks for a versioned symbol that its tag does not allow, or for a shared library outside the allowed few;
  * leaves a symbol undefined that neither those libraries nor the interpreter define;
  * exports a symbol that python/exports.map does not name;
  * carries a symbol table or debug information;
  * has 40 MiB or more, or holds a file that does not belong.
"""

import fnmatch
import os
import re
import subprocess
import sys
import tempfile
import zipfile

MAX_BYTES = 40 * 2**20
TAG = re.compile(r"-(cp312-abi3|cp311-cp311)-manylinux_2_(\d+)_x86_64\.whl$")
NEWEST_GLIBC_MINOR = 34
# Newest versions of the other libraries on a system with GLIBC 2.34 (GCC 11).
NEWEST = {"GLIBC": (2, NEWEST_GLIBC_MINOR), "GCC": (7, 0, 0)}
NEEDED = {
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "libpthread.so.0",
    "libgcc_s.so.1",
    "ld-linux-x86-64.so.2",
}
# Undefined symbols without a version: the interpreter's, and weak ones that may stay undefined.
INTERPRETER = re.compile(r"_?Py[A-Z_]")
EXPORTED = ("cutl[A-Z]*", "PyInit__cutl")
CONTENTS = (
    "cutl/*.py",
    "cutl/*.pyi",
    "cutl/epilogue/*.py",
    "cutl/op/*.py",
    "cutl/py.typed",
    "cutl/_cutl.*.so",
    "cutl-*.dist-info/METADATA",
    "cutl-*.dist-info/RECORD",
    "cutl-*.dist-info/WHEEL",
    "cutl-*.dist-info/entry_points.txt",
    "cutl-*.dist-info/licenses/*",
)
REQUIRED = ("cutl/__init__.py", "cutl/py.typed", "cutl/_cutl.*.so")


def readelf(option: str, path: str) -> str:
    return subprocess.run(
        ["readelf", "-W", option, path], check=True, capture_output=True, text=True
    ).stdout


def matches(name: str, pattern: str) -> bool:
    """fnmatch of a path, in which a star stays within one folder."""
    return name.count("/") == pattern.count("/") and fnmatch.fnmatchcase(name, pattern)


def version_tuple(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def check_versions(path: str) -> list[str]:
    faults = []
    needs = readelf("--version-info", path).partition("Version needs section")[2]
    for name in sorted(set(re.findall(r"Name: (\S+)", needs))):
        library, _, version = name.rpartition("_")
        newest = NEWEST.get(library)
        if newest is None or not re.fullmatch(r"[\d.]+", version):
            faults.append(f"expected symbol versions of {' and '.join(NEWEST)} only, got {name}")
        elif version_tuple(version) > newest:
            limit = ".".join(map(str, newest))
            faults.append(f"expected no symbol newer than {library}_{limit}, got {name}")
    if "GLIBC" not in needs:
        faults.append("expected the version section to name GLIBC, got none")
    return faults


def check_needed(path: str) -> list[str]:
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("--dynamic", path))
    faults = [
        f"expected only {', '.join(sorted(NEEDED))} to be needed, got {library}"
        for library in libraries
        if library not in NEEDED
    ]
    if re.search(r"\((RPATH|RUNPATH)\)", readelf("--dynamic", path)):
        faults.append("expected no run path")
    return faults


def check_symbols(path: str) -> list[str]:
    faults = []
    exported = 0
    for line in readelf("--dyn-syms", path).splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[0].rstrip(":").isdigit():
            continue
        binding, section, name = fields[4], fields[6], fields[7]
        if section == "UND":
            versioned = "@" in name
            if binding == "GLOBAL" and not versioned and not INTERPRETER.match(name):
                faults.append(f"undefined symbol {name}")
        elif binding != "LOCAL":
            exported += 1
            if not any(fnmatch.fnmatchcase(name, pattern) for pattern in EXPORTED):
                faults.append(f"expected exports {' and '.join(EXPORTED)} only, got {name}")
    if exported < 2:
        faults.append("expected the C API and the module's entry to be exported, got neither")
    return faults


def check_stripped(path: str) -> list[str]:
    sections = re.findall(r"\.symtab\b|\.debug_\w+", readelf("--sections", path))
    return [f"expected a stripped binary, got section {name}" for name in sorted(set(sections))]


def check_wheel(wheel: str) -> list[str]:
    faults = []
    tag = TAG.search(os.path.basename(wheel))
    if not tag or int(tag.group(2)) != NEWEST_GLIBC_MINOR:
        faults.append(
            f"expected the tag cp312-abi3 or cp311-cp311 with manylinux_2_{NEWEST_GLIBC_MINOR}_x86_64"
        )
    size = os.path.getsize(wheel)
    if size >= MAX_BYTES:
        faults.append(f"expected less than {MAX_BYTES} bytes, got {size}")

    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        names = archive.namelist()
        for name in names:
            if not any(matches(name, pattern) for pattern in CONTENTS):
                faults.append(f"unexpected file {name}")
        for pattern in REQUIRED:
            if not fnmatch.filter(names, pattern):
                faults.append(f"expected a file {pattern}, got none")
        for name in fnmatch.filter(names, "*.so"):
            path = archive.extract(name, folder)
            for check in (check_versions, check_needed, check_symbols, check_stripped):
                faults += [f"{name}: {fault}" for fault in check(path)]
            if not faults:
                print(f"{os.path.basename(wheel)}: {size / 2**20:.1f} MiB, {os.path.basename(name)} "
                      f"{os.path.getsize(path) / 2**20:.1f} MiB, portable")
    return faults


def main(wheels: list[str]) -> int:
    if not wheels or any(wheel.startswith("-") for wheel in wheels):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    status = 0
    for wheel in wheels:
        for fault in check_wheel(wheel):
            print(f"{os.path.basename(wheel)}: {fault}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
