"""Intrinsics that are no part of what a program computes: calls of them are no events (semantics.md, §6).

LLVM gives most of them side effects, so that its passes leave them where they are. What they say is for
passes, code generators, debuggers or profilers. A marker that is ``convergent`` stays a convergent operation:
the static rules hold for it and an alignment has it, but nothing is seen of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Purpose(Enum):
    """Whom a marker is for."""

    DEBUGGER = "for debuggers"
    OPTIMISER = "says to passes what they may assume or must not move"
    PROFILER = "counts or traces for a profiler, in memory that is not the program's"
    STRUCTURE = "names the structure of control flow, or a type, for a code generator"
    SCHEDULER = "tells the scheduler which instructions may cross it"
    TIME = "takes time, or says how much others get"
    OWN_ACCESSES = "waits until the own accesses are done, or looks after a cache: they are done at once here"
    PREFETCH = "fetches what is read later"
    REGISTERS = "says how many registers a wave has"
    EXCEPTIONS = "marks a region for exceptions of the operating system"


MARKERS: Mapping[str, Purpose] = {
    name: purpose
    for purpose, names in {
        Purpose.DEBUGGER: (
            "llvm.dbg.value", "llvm.dbg.declare", "llvm.dbg.assign", "llvm.dbg.label", "llvm.debugtrap",
            "llvm.codeview.annotation", "llvm.fake.use",
            "llvm.spv.assign.name", "llvm.spv.value.md",
        ),
        Purpose.OPTIMISER: (
            "llvm.donothing", "llvm.sideeffect", "llvm.experimental.noalias.scope.decl", "llvm.invariant.end",
            "llvm.var.annotation", "llvm.reloc.none", "llvm.objc.clang.arc.noop.use",
            "llvm.objc.arc.annotation.bottomup.bbend", "llvm.objc.arc.annotation.bottomup.bbstart",
            "llvm.objc.arc.annotation.topdown.bbend", "llvm.objc.arc.annotation.topdown.bbstart",
        ),
        Purpose.PROFILER: (
            "llvm.pseudoprobe", "llvm.pcmarker", "llvm.instrprof.increment", "llvm.instrprof.cover",
            "llvm.instrprof.callsite", "llvm.instrprof.timestamp", "llvm.instrprof.value.profile",
            "llvm.instrprof.mcdc.parameters", "llvm.instrprof.mcdc.tvbitmap.update",
            "llvm.xray.customevent", "llvm.xray.typedevent",
            "llvm.amdgcn.s.incperflevel", "llvm.amdgcn.s.decperflevel",
            "llvm.amdgcn.s.ttracedata", "llvm.amdgcn.s.ttracedata.imm", "llvm.nvvm.pm.event.mask",
        ),
        Purpose.STRUCTURE: (
            "llvm.spv.selection.merge", "llvm.spv.loop.merge", "llvm.spv.assign.type",
            "llvm.spv.assign.ptr.type", "llvm.spv.assign.decoration",
            "llvm.spv.assign.aliasing.decoration", "llvm.spv.assign.fpmaxerror.decoration",
            "llvm.spv.unref.global", "llvm.spv.init.global", "llvm.spv.unreachable",
        ),
        Purpose.SCHEDULER: (
            "llvm.amdgcn.sched.barrier", "llvm.amdgcn.sched.group.barrier", "llvm.amdgcn.iglp.opt",
        ),
        Purpose.TIME: (
            "llvm.amdgcn.s.nop", "llvm.amdgcn.s.sleep", "llvm.amdgcn.s.sleep.var",
            "llvm.amdgcn.s.monitor.sleep", "llvm.amdgcn.s.setprio", "llvm.amdgcn.s.setprio.inc.wg",
            "llvm.nvvm.nanosleep",
        ),
        Purpose.OWN_ACCESSES: (
            "llvm.amdgcn.s.waitcnt", "llvm.amdgcn.s.wait.bvhcnt", "llvm.amdgcn.s.wait.dscnt",
            "llvm.amdgcn.s.wait.expcnt", "llvm.amdgcn.s.wait.kmcnt", "llvm.amdgcn.s.wait.loadcnt",
            "llvm.amdgcn.s.wait.samplecnt", "llvm.amdgcn.s.wait.storecnt",
            "llvm.amdgcn.s.dcache.inv", "llvm.amdgcn.s.dcache.inv.vol", "llvm.amdgcn.s.dcache.wb",
            "llvm.amdgcn.s.dcache.wb.vol", "llvm.amdgcn.buffer.wbinvl1", "llvm.amdgcn.buffer.wbinvl1.sc",
            "llvm.amdgcn.buffer.wbinvl1.vol",
        ),
        Purpose.PREFETCH: (
            "llvm.prefetch", "llvm.amdgcn.s.prefetch.data", "llvm.amdgcn.s.buffer.prefetch.data",
            "llvm.amdgcn.flat.prefetch", "llvm.amdgcn.global.prefetch",
            "llvm.nvvm.prefetch.L1", "llvm.nvvm.prefetch.L2", "llvm.nvvm.prefetch.global.L1",
            "llvm.nvvm.prefetch.global.L2", "llvm.nvvm.prefetch.global.L2.evict.last",
            "llvm.nvvm.prefetch.global.L2.evict.normal", "llvm.nvvm.prefetch.local.L1",
            "llvm.nvvm.prefetch.local.L2", "llvm.nvvm.prefetch.tensormap", "llvm.nvvm.prefetchu.L1",
            "llvm.nvvm.cp.async.bulk.prefetch", "llvm.nvvm.applypriority.L2.evict.normal",
            "llvm.nvvm.applypriority.global.L2.evict.normal",
        ),
        Purpose.REGISTERS: (
            "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32", "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32",
        ),
        Purpose.EXCEPTIONS: (
            "llvm.seh.scope.begin", "llvm.seh.scope.end", "llvm.seh.try.begin", "llvm.seh.try.end",
            "llvm.eh.sjlj.callsite",
        ),
    }.items()
    for name in names
}  # fmt: skip
"""By name, without the suffix of types."""
