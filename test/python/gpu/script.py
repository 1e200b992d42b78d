"""Runs the tests of a file without pytest."""

from __future__ import annotations

import faulthandler
import traceback
from typing import Any, Optional


def main(names: dict[str, Any], seconds: Optional[int] = None) -> int:
    """Runs what `names`, the globals of a file, has of tests, each for so long at most; whether any failed."""
    failed = 0
    tests = [value for name, value in names.items() if name.startswith("test_") and callable(value)]
    for test in tests:
        if seconds is not None:
            faulthandler.dump_traceback_later(seconds, exit=True)
        try:
            test()
            print(f"passed {test.__name__}", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED {test.__name__}")
            traceback.print_exc()
        finally:
            faulthandler.cancel_dump_traceback_later()
    print(f"{len(tests) - failed} passed, {failed} failed")
    return failed > 0
