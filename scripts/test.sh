#!/usr/bin/env bash
# Installs what is missing, builds what is out of date, and runs every test there is. The last line is
# `N passed, N failed`; the exit status is 0 when none failed. Reports are left in build/test-results.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

results=build/test-results
passed=0 failed=0 skipped=0
failed_steps=()

finish() {
  ((${#failed_steps[@]} == 0)) || echo "test: failed: ${failed_steps[*]}"
  echo "test: took $SECONDS s"
  echo "$passed passed, $failed failed$( ((skipped == 0)) || echo ", $skipped skipped")"
  exit $((failed != 0))
}

# Passed, failed and skipped tests of a JUnit report.
count() {
  .venv/bin/python - "$1" <<'PYTHON'
import sys, xml.etree.ElementTree as ElementTree
totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0, "disabled": 0}
for suite in ElementTree.parse(sys.argv[1]).iter("testsuite"):
    for key in totals:
        totals[key] += int(suite.get(key, 0))
failed = totals["failures"] + totals["errors"]
skipped = totals["skipped"] + totals["disabled"]
print(totals["tests"] - failed - skipped, failed, skipped)
PYTHON
}

# step NAME COMMAND...: runs it and counts the tests in the report NAME.xml that it leaves, or one test if it leaves none.
step() {
  local name=$1 start=$SECONDS status=0 p=0 f=0 s=0 report=$results/$1.xml
  shift
  echo "test: $name"
  "$@" || status=$?
  if [[ -s $report ]]; then
    read -r p f s < <(count "$report")
    # A suite that ran nothing has not passed.
    ((p + f > 0)) || status=1
  elif ((status == 0)); then
    p=1
  fi
  if ((status != 0 && f == 0)); then f=1; fi
  ((passed += p, failed += f, skipped += s))
  ((f == 0)) || failed_steps+=("$name")
  echo "test: $name: $p passed, $f failed, $s skipped, $((SECONDS - start)) s"
}

run_lit() { "$lit" -s --xunit-xml-output="$results/$1.xml" build/test; }
run_ctest() { ctest --test-dir build --output-on-failure --output-junit "$PWD/$results/$1.xml" "${@:2}"; }
run_pytest() { .venv/bin/pytest -q --junitxml="$results/$1.xml" "${@:2}"; }

build_wheel() {
  rm -rf dist
  .venv/bin/pip wheel . --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist
}
check_wheel() { .venv/bin/python scripts/check_wheel.py dist/*.whl; }
install_wheel() {
  .venv/bin/pip install --quiet --disable-pip-version-check --no-deps --force-reinstall dist/*.whl
}

for script in setup build; do
  if ! scripts/$script.sh; then
    failed=1 failed_steps=("$script")
    finish
  fi
done
rm -rf "$results"
mkdir -p "$results"
export CUTL_PYTHON=$PWD/.venv/bin/python
# setup.sh puts ptxas there if there is no other.
export PATH=$PATH:$PWD/.venv/bin
lit=$(sed -n 's/^CUTL_LIT:FILEPATH=//p' build/CMakeCache.txt)

step unit run_ctest unit --exclude-regex '^(lit|embed-example)$'
step lit run_lit lit
CUTL_VERIFY_ROUNDTRIP=1 step lit-roundtrip run_lit lit-roundtrip
step embed run_ctest embed --tests-regex '^embed-example$'

step build-wheel build_wheel
if compgen -G 'dist/*.whl' >/dev/null; then
  step check-wheel check_wheel
  step install-wheel install_wheel
  step pytest run_pytest pytest
  # The same for a processor without AVX and half-precision conversions.
  step pytest-x86-64-v2 run_pytest pytest-x86-64-v2 --cpu=x86-64-v2
fi
finish
