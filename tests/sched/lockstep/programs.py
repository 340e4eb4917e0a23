"""Programs of the known answers, and running them on machines."""

from __future__ import annotations

from typing import Any

from convergence.ir.module import Module
from convergence.parser import parse
from convergence.sched.lockstep.policy import MachineOptions
from convergence.sched.lockstep.simulate import Simulated, simulate_machine
from convergence.semantics.machine.launch import launch_spec
from convergence.semantics.machine.run import prepare_run

DECLARED = """
declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
"""


def on(policy: str, module: Module, options: MachineOptions | None = None, **launch: Any) -> Simulated:
    """A module on one machine."""
    spec = launch_spec(**launch)
    program, launched = prepare_run(module, spec)
    return simulate_machine(program, launched, policy, options, spec.limits)


def groups(found: Simulated, operation: str) -> list[list[int]]:
    """The threads that executed an operation together, in order of time."""
    assert found.machine is not None
    program = found.machine.program
    return [sorted(m.happened) for m in found.machine.issue_slots if program.name(m.site) == operation]


def rfc(order: str = "A B C D", tokens: str = "none") -> Module:
    """The RFC's loop: A; B to B or C; C to B or D, its blocks in this order in the text.

    ``tokens``: ``none``, ``natural``, or ``nested`` with the header O.
    """
    use = {"none": "", "natural": "natural", "nested": "inner"}[tokens]
    bundle = f' [ "convergencectrl"(token %{use}) ]' if use else ""
    control = "call token @llvm.experimental.convergence"

    def heart(name: str, token: str) -> str:
        return f'  %{name} = {control}.loop() [ "convergencectrl"(token %{token}) ]\n'

    header = "O" if tokens == "nested" else "B"
    blocks = {
        "A": (f"  %t = {control}.entry()\n" if use else "") + f"  br label %{header}\n",
        "O": heart("outer", "t") + "  br label %B\n",
        "B": {"none": "", "natural": heart("natural", "t"), "nested": heart("inner", "outer")}[tokens]
        + f"  %sum.b = call i32 @subgroupAdd(i32 %x){bundle}\n  br i1 %cc1, label %B, label %C\n",
        "C": f"  br i1 %cc2, label %{header}, label %D\n",
        "D": "  ret void\n",
    }
    body = "".join(f"{name}:\n{blocks[name]}" for name in order.split())
    return parse(f"define void @f(i32 %x, i1 %cc1, i1 %cc2) convergent {{\n{body}}}\n{DECLARED}")


PATHS = {
    "none": (tuple("ABBCD"), tuple("ABCBCD")),
    "natural": (tuple("ABBCD"), tuple("ABCBCD")),
    "nested": (tuple("AOBBCD"), tuple("AOBCOBCD")),
}


def run_rfc(policy: str, order: str, tokens: str, options: MachineOptions | None = None) -> Simulated:
    """The RFC's program on its two paths, with operands 1 and 10."""
    return on(policy, rfc(order, tokens), options, arguments={"x": [1, 10]}, paths=PATHS[tokens])
