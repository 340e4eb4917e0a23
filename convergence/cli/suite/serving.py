"""A process that performs tests, run as a script: one that hangs or ends itself takes no other with it.

A request is JSON with ``path``, ``name``, ``key``, ``plan`` and ``folder``, that of the results, to which the
lines go. The answer has ``commands``, how many were checked, or ``problem``.
"""

from __future__ import annotations

import json
from pathlib import Path
from traceback import format_exception_only
from typing import Any

from convergence.cli.suite.perform import NotTaken, SuiteFile, SuitePlan, perform
from convergence.cli.wrappers.store import FindingFolder
from convergence.workers.serving import Answer, serve

STACK = 1 << 28  # bytes; text nests deeply


def answer(request: bytes) -> dict[str, Any]:
    """One test."""
    data = json.loads(request)
    file = SuiteFile(Path(data["path"]), data["name"], data["key"])
    store = FindingFolder(Path(data["folder"]), {"task": file.key, "file": file.name})
    try:
        return {"commands": perform(file, SuitePlan.from_json(data["plan"]), store)}
    except NotTaken as problem:
        return {"problem": str(problem)}
    except Exception as error:  # a fault of ours must not cost a suite
        message = " ".join(format_exception_only(error)[-1].split())[:200]
        return {"problem": f"internal error of convcheck: {message}"}


def main() -> None:
    def prepare() -> Answer:
        return answer

    serve(prepare, STACK, says=b"+")


if __name__ == "__main__":
    main()
