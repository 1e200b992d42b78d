#!/usr/bin/env bash
# Installs what building and testing need, if it is missing: Debian packages (through sudo unless run by root) and,
# in .venv, the Python packages of scripts/requirements.txt.
#
# PYTHON: the interpreter that .venv is made for, python3 by default.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  # The compiler we build on and with. The rest of the first line is what its CMake files look for.
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools libzstd-dev zlib1g-dev libxml2-dev
  clang-22 lld-22 binutils cmake ninja-build ccache
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
