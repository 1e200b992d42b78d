"""Checks that every constraint of an op is enforced and tested.

Usage: check_constraints.py <op> <description.td> <verifier.cpp>[,<verifier.cpp>...] <test.mlir>...

The description numbers its constraints `* C1: …` without a gap. Each number has
to be named in a comment of a verifier, and each needs a test function called
`<op>_c<number>_…` with an expected error; no other number may appear.
"""

import re
import sys
from pathlib import Path


def check(op, description, verifier, tests):
    """Yields what is missing, as text."""
    declared = [int(n) for n in re.findall(r"^\s*\* C(\d+):", description, re.MULTILINE)]
    if not declared:
        yield "the description has no constraints"
    if declared != list(range(1, len(declared) + 1)):
        yield f"the description numbers its constraints {declared}"

    comments = " ".join(re.findall(r"//.*", verifier))
    enforced = {int(n) for n in re.findall(r"\bC(\d+)\b", comments)}
    # A test is a piece of a file between two split markers.
    tested = set()
    for piece in re.split(r"^// -----$", tests, flags=re.MULTILINE):
        names = re.findall(rf"@{op}_c(\d+)_\w+", piece)
        if "expected-error" in piece:
            tested.update(int(n) for n in names)
        for n in names:
            if int(n) not in declared:
                yield f"a test names C{n}, which the description does not have"

    for n in declared:
        if n not in enforced:
            yield f"C{n} has no code: no comment of the verifier names it"
        if n not in tested:
            yield f"C{n} has no test: no function @{op}_c{n}_… expects an error"
    for n in sorted(enforced - set(declared)):
        yield f"the verifier names C{n}, which the description does not have"


def main():
    op, description, verifier, *tests = sys.argv[1:]

    def read(path):
        return Path(path).read_text(encoding="utf-8")

    texts = "\n// -----\n".join(read(test) for test in tests)
    # The banner of a file proves nothing.
    files = [read(path) for path in verifier.split(",")]
    code = "\n".join(text[text.find("#include") :] for text in files)
    problems = list(check(op, read(description), code, texts))
    for problem in problems:
        print(f"{op}: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
