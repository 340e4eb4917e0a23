"""What executes, for tests that say a launch by keywords; below the front door it is a LaunchSpec."""

from __future__ import annotations

from typing import Any

from convergence.ir.module import Module
from convergence.sched.engines import enumerate
from convergence.sched.enumeration import Enumeration
from convergence.semantics.machine.launch import Launch, launch_spec
from convergence.semantics.machine.program import EnvironmentKind, Program
from convergence.semantics.machine.run import prepare_run


def explore(module: Module, **launch: Any) -> Enumeration:
    """By the operational engine."""
    return enumerate(module, engine="operational", **launch)


def enumerate_axiomatic(module: Module, **launch: Any) -> Enumeration:
    """By the axiomatic engine."""
    return enumerate(module, engine="axiomatic", **launch)


def prepare(
    module: Module, prune: bool = True, environment: EnvironmentKind = "direct", **launch: Any
) -> tuple[Program, Launch]:
    """The program and the launch."""
    return prepare_run(module, launch_spec(**launch), prune, environment)
