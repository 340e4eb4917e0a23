"""What a launch is given, as keywords: the same for everything that executes a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from ..ir.cycles import Order
from .convergence import Uncontrolled
from .exchanges import Prepare
from .given import Given


class LaunchOptions(TypedDict, total=False):
    """The keywords of :func:`convergence.run` that say what is launched, and how; told there."""

    function: str | None
    threads: int | None
    subgroup_size: int | None
    arguments: Mapping[str, object] | None
    inputs: Mapping[str, Sequence[Sequence[Given]]] | None
    paths: Sequence[Sequence[str]] | None
    uncontrolled: Uncontrolled
    dfs: Order
    operations: Mapping[str, Prepare] | None
    verified: bool
