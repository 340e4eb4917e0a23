"""The front door's ``simulate``: a module on one machine, on some, or on all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import Unpack

from ...frozen import dataclass
from ...ir.cycles import Order
from ...ir.module import Module, needs_module
from ...semantics.machine.launch import LaunchOptions, engine_named, launch_spec
from ...semantics.machine.program import EngineKind
from ...semantics.machine.start import prepare_run
from ...shown import Shown
from .policies import NAMES
from .policies.outside import machine
from .policy import MachineOptions, Policy
from .reference import Reference
from .simulate import Simulated, simulate_machine


@dataclass(frozen=True, repr=False, slots=True)
class Simulations(Shown):
    """One launch of a module on several machines, in the order in which they were asked for.

    ``found["heart"]`` and ``found[0]`` give one machine's :class:`Simulated`; iterating gives all.
    """

    machines: tuple[Simulated, ...]
    module: Module = field(repr=False)
    function: str
    dfs: Order = Order.TEXT

    def __iter__(self) -> Iterator[Simulated]:
        return iter(self.machines)

    def __len__(self) -> int:
        return len(self.machines)

    def __getitem__(self, which: str | int) -> Simulated:
        """A machine by its policy's name or by its place. Raises KeyError or IndexError."""
        if isinstance(which, int):
            return self.machines[which]
        for simulated in self.machines:
            if simulated.policy == which:
                return simulated
        raise KeyError(which)


def simulate(
    module: Module,
    policy: str | type[Policy] | Sequence[str | type[Policy]] = "all",
    *,
    options: MachineOptions | None = None,
    engine: EngineKind = "auto",
    **launch: Unpack[LaunchOptions],
) -> Simulations:
    """Run a module on lock-step machines (semantics.md, *Lock-step machines*), a wave per subgroup.

    ``policy`` is a machine's name, ``FILE.py:CLASS``, a class made from
    :class:`convergence.sched.lockstep.policy.Policy`, several of these, or ``all``. ``launch`` takes what
    :func:`convergence.run` takes: function, threads, subgroup_size, arguments, inputs, paths,
    uncontrolled, dfs, operations. ``max_steps`` bounds the issue slots of each machine, ``timeout`` its
    seconds. ``engine`` is what runs the lanes of a mask: the ``"reference"``, ``"native"`` code, or
    ``"auto"``, native code once a run has proved long; the answer is the same. What becomes of each is a
    :class:`Simulated`: ``conforms`` is ``None`` where it did not end.

    Raises UsageError for an unknown machine or a launch that does not fit the program, NotModelled when a
    global variable's initial value has no model.
    """
    needs_module(module, "simulate")
    wanted = list(policy) if isinstance(policy, Iterable) and not isinstance(policy, str | type) else [policy]
    chosen: dict[str | type[Policy], None] = {}
    for kind in wanted:
        if isinstance(kind, str) and kind != "all":
            machine(kind)
        elif not (isinstance(kind, str) or (isinstance(kind, type) and issubclass(kind, Policy))):
            raise TypeError(f"a machine is a name or a class made from Policy, and not {kind!r}")
        chosen |= dict.fromkeys(NAMES if kind == "all" else (kind,))
    spec = replace(launch_spec(**launch), engine=engine_named(engine))
    program, prepared = prepare_run(module, spec)
    reference = Reference(program, prepared, spec.limits)
    machines = tuple(
        simulate_machine(program, prepared, kind, options, spec.limits, reference) for kind in chosen
    )
    return Simulations(machines, module, prepared.function, spec.dfs)
