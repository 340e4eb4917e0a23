"""A process that checks dumps beside a build, run as a script with the folder of results, its number, and
``nice`` for the lowest priority."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

from convergence.cli.wrappers.pending import serve

STACK = 1 << 28  # bytes; text nests deeply


def main() -> None:
    with suppress(OSError):  # whoever started it may be interrupted, or end
        os.setsid()
    os.chdir("/")
    if "nice" in sys.argv[3:]:
        with suppress(OSError, AttributeError):
            os.nice(19)
    threading.stack_size(STACK)
    work = threading.Thread(target=serve, args=(Path(sys.argv[1]), int(sys.argv[2])))
    work.start()
    work.join()


if __name__ == "__main__":
    main()
