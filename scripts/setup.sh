#!/usr/bin/env bash
# Installs what building and testing need, if it is missing: Debian packages (through sudo unless run by root) and,
# in .venv, the Python packages of scripts/requirements.txt and, unless CUTL_PTXAS or PATH has one, ptxas.
#
# PYTHON: the interpreter that .venv is made for, python3 by default.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  # The compiler we build on and with. The rest of the first line is what its CMake files look for.
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools libzstd-dev zlib1g-dev libxml2-dev
  clang-22 libclang-rt-22-dev lld-22 binutils cmake ninja-build ccache
  libgtest-dev
  # The format of bundle files; headers alone are used.
  libflatbuffers-dev flatbuffers-compiler
  python3 python3-dev python3-venv
)
missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) || status=none
  [[ $status == installed ]] || missing+=("$package")
done
if ((${#missing[@]})); then
  echo "setup: installing ${missing[*]}"
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  apt_get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  "${apt_get[@]}" update || echo "setup: some package lists could not be fetched; going on with the others" >&2
  "${apt_get[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
fi

python=${PYTHON:-python3}
version=$("$python" -c 'import platform; print(platform.python_version())')
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "setup: expected Python 3.11 or later, got $version from $python" >&2
  exit 1
fi
# What .venv was made from is written into it last, so that one left half done is made again.
wanted="$version
$(cat scripts/requirements.txt)"
if [[ $(cat .venv/made-from 2>/dev/null) != "$wanted" ]] || ! .venv/bin/python -c '' 2>/dev/null; then
  echo "setup: making .venv for Python $version"
  "$python" -m venv --clear .venv
  .venv/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements.txt
  echo "$wanted" >.venv/made-from
fi

# ptxas has to know sm_90a and PTX 8.0; that of every release of this package does.
ptxas=$(command -v "${CUTL_PTXAS:-ptxas}" || true)
if [[ -z $ptxas && -n ${CUTL_PTXAS:-} ]]; then
  echo "setup: expected CUTL_PTXAS to be a program, got $CUTL_PTXAS" >&2
  exit 1
fi
if [[ -z $ptxas && ! -x .venv/bin/ptxas ]]; then
  echo "setup: installing ptxas into .venv"
  .venv/bin/pip install --quiet --disable-pip-version-check --no-deps 'nvidia-cuda-nvcc>=13' ||
    echo "setup: nvidia-cuda-nvcc could not be installed" >&2
  # Wheels have it in a folder that no PATH names.
  ptxas=$(.venv/bin/python - <<'PYTHON'
import importlib.metadata as metadata
try:
    print(next((f.locate() for f in metadata.files("nvidia-cuda-nvcc") or [] if f.name == "ptxas"), ""))
except metadata.PackageNotFoundError:
    pass
PYTHON
  )
  if [[ -z $ptxas ]]; then
    echo "setup: expected ptxas on PATH, in CUTL_PTXAS or in the package nvidia-cuda-nvcc, got none" >&2
    exit 1
  fi
  chmod +x "$ptxas"
  ln -sf "$ptxas" .venv/bin/ptxas
fi
