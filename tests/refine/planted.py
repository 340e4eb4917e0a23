"""Reads ``planted.txt``: transforms that are right, and the same with a fault in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from convergence.frozen import dataclass

MODULE = """\
@g = global i32 0
@a = global [8 x i32] zeroinitializer
@tile = addrspace(3) global [64 x i32] poison
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.anchor()
declare token @llvm.experimental.convergence.loop()
declare i32 @subgroupAdd(i32) convergent
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare i32 @llvm.amdgcn.writelane.i32(i32, i32, i32)
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier() convergent
declare i32 @event(i32)
declare i32 @pure(i32) memory(none) willreturn nounwind
declare i32 @reads(ptr) memory(argmem: read) willreturn nounwind
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.usub.sat.i32(i32, i32)
declare float @llvm.fabs.f32(float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.maximum.f32(float, float)
declare float @llvm.fma.f32(float, float, float)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""
"""What bodies may mention."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A transform: ``name`` says of which pass it might be, and what goes wrong. ``launch``: what the
    comparison is given, where it is not the usual."""

    name: str
    signature: str
    launch: dict[str, int]
    source: str
    same: str
    fault: str

    def text(self, target: str) -> str:
        """A module with both sides as ``@src`` and ``@tgt``."""
        result, _, parameters = self.signature.partition(" ")
        result = "amdgpu_kernel void" if result == "amdgpu_kernel" else result
        sides = "".join(
            f"define {result} @{name}{parameters} {{\n{body}\n}}\n"
            for name, body in (("src", self.source), ("tgt", target))
        )
        used = set(re.findall(r"@[\w.]+", sides))
        lines = [line for line in MODULE.splitlines() if used.intersection(re.findall(r"@[\w.]+", line))]
        return "\n".join((*lines, sides))


def planted() -> Iterator[Planted]:
    """All of them."""
    text = Path(__file__).with_name("planted.txt").read_text()
    for entry in text.split("\n=== ")[1:]:
        head, *bodies = re.split(r"\n--- \w+\n", entry)
        name, signature, *launch = head.splitlines()
        words = "".join(launch).removeprefix("launch: ").split()
        values = {key: int(value) for key, value in (word.split("=") for word in words)}
        source, same, fault = (body.strip() for body in bodies)
        yield Planted(name, signature, values, source, same, fault)
