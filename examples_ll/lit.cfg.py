"""Run the examples with lit: `lit examples_ll`, in an environment that has lit and filecheck.

RUN lines say `convcheck` and `FileCheck`; here that is this checkout's command, run by the Python
that runs lit, and the filecheck of PyPI.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import lit.formats

config: Any = globals()["config"]  # lit runs this file with it
root = Path(__file__).resolve().parent.parent
python = f'"{sys.executable}"'

config.name = "convcheck examples"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".spvasm"]
config.test_source_root = str(root / "examples_ll")
config.test_exec_root = str(Path(tempfile.gettempdir()) / "convcheck-examples")  # nothing into the checkout
config.environment["PYTHONPATH"] = str(root)
config.substitutions += [
    (r"\bconvcheck\b", f"{python} -m convergence"),
    (r"\bFileCheck\b", f"{python} -m filecheck"),
]
