#!/usr/bin/env bash
# Configures and builds the libraries, the tools and the tests into build/, and prints how long it took.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

kind=again
[[ -f build/build.ninja ]] || kind=cold
start=$SECONDS
mkdir -p build
# Which objects came out of ccache is written here, to tell a cold build from a remembered one.
export CCACHE_STATSLOG=$PWD/build/ccache-stats.log
rm -f "$CCACHE_STATSLOG"

echo "build: configuring"
if ! cmake --preset dev >build/configure.log 2>&1; then
  cat build/configure.log
  exit 1
fi
ninja -C build
echo "build: $kind, $((SECONDS - start)) s"
if [[ -s $CCACHE_STATSLOG ]]; then
  ccache --show-log-stats | sed -n 's/^ *Hits: */build: objects from ccache: /p' | head -n 1
fi
