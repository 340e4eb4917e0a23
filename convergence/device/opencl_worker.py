"""A process in which an OpenCL device is driven, so that a crash of its driver ends only this process.

Run as a script. Requests and answers are those of :mod:`.worker`, but for a job: ``module`` is the source of
the kernels (base64), ``entry`` the kernel's name, ``groups`` and ``local`` say how many workgroups there are
and how many work-items each has, and ``bindings`` are the arguments in order, each with its ``kind``:
``buffer`` and ``value`` with ``data`` (base64), ``local`` with a ``size``. Results have what the buffers
hold.
"""

from __future__ import annotations

import base64
import os
import re
from typing import Any

from convergence.workers.serving import NoDeviceError, serve_devices

KINDS = {2: "cpu", 4: "gpu", 8: "accelerator"}
"""What a device is (OpenCL, CL_DEVICE_TYPE)."""
LONGEST = 300
"""Characters of a driver's own words."""


class _OpenCL:
    """The devices of all platforms, and what was opened of them."""

    def __init__(self) -> None:
        try:
            import pyopencl as cl
        except ImportError:
            raise NoDeviceError("binding") from None
        self.cl = cl
        try:
            self.physical = [
                (platform, device) for platform in cl.get_platforms() for device in platform.get_devices()
            ]
        except cl.Error as error:
            raise NoDeviceError(f"driver: {_word(error)}") from None
        self._open: dict[int, tuple[Any, Any]] = {}

    def facts(self, number: int) -> dict[str, Any]:
        """What a device is, and what it can do."""
        platform, device = self.physical[number]
        most = int(device.max_work_group_size)
        return {
            "number": number,
            "interface": "opencl",
            "name": device.name.strip(),
            "kind": KINDS.get(device.type & ~1, "other"),
            "api": device.version.removeprefix("OpenCL ").split()[0],
            "driver": platform.name.strip(),
            "driver_info": f"{platform.name.strip()}, {device.driver_version.strip()}",
            "driver_version": 0,
            "subgroup_size": 0,
            "least_subgroup_size": 0,
            "most_subgroup_size": 0,
            "compute": True,
            "operations": [],
            "extensions": sorted(device.extensions.split()),
            "workgroup": [int(n) for n in device.max_work_item_sizes[:3]],
            "invocations": most,
        }

    def open(self, number: int) -> tuple[Any, Any]:
        """A device's context and a queue, in order."""
        if number not in self._open:
            context = self.cl.Context([self.physical[number][1]])
            self._open[number] = context, self.cl.CommandQueue(context)
        return self._open[number]

    def job(self, number: int, job: dict[str, Any]) -> dict[str, Any]:
        """The distinct results of a job's runs; or at which ``stage`` OpenCL said what."""
        cl = self.cl
        stage = "module"
        try:
            context, queue = self.open(number)
            source = base64.b64decode(job["module"]).decode("utf-8", "replace")
            program = cl.Program(context, source).build(options=job["options"], cache_dir=False)
            stage = "pipeline"
            kernel = cl.Kernel(program, job["entry"])
            stage = "buffers"
            flags = cl.mem_flags.READ_WRITE
            data = [base64.b64decode(b["data"]) for b in job["bindings"] if b["kind"] == "buffer"]
            buffers = [cl.Buffer(context, flags, size=max(len(part), 4)) for part in data]
            left = iter(buffers)
            for place, binding in enumerate(job["bindings"]):
                match binding["kind"]:
                    case "buffer":
                        kernel.set_arg(place, next(left))
                    case "local":
                        kernel.set_arg(place, cl.LocalMemory(binding["size"]))
                    case _:
                        kernel.set_arg(place, base64.b64decode(binding["data"]))
            stage = "dispatch"
            counts: dict[tuple[bytes, ...], int] = {}
            size = [n * m for n, m in zip(job["groups"], job["local"], strict=True)]
            for _ in range(job["repeat"]):
                for buffer, part in zip(buffers, data, strict=True):
                    cl.enqueue_copy(queue, buffer, part)
                cl.enqueue_nd_range_kernel(queue, kernel, size, job["local"]).wait()
                contents = []
                for buffer, part in zip(buffers, data, strict=True):
                    room = bytearray(len(part))
                    cl.enqueue_copy(queue, room, buffer)
                    contents.append(bytes(room))
                queue.finish()
                counts[tuple(contents)] = counts.get(tuple(contents), 0) + 1
        except cl.Error as error:
            return {"error": _word(error), "stage": stage}
        return {"results": [{"count": n, "buffers": list(map(_packed, d))} for d, n in counts.items()]}


def _packed(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _word(error: Any) -> str:
    """A driver's word: the first line that says what is wrong, without the name of the driver's own file."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    line_of_error = next(
        (line for line in lines if "error:" in line), lines[0] if lines else type(error).__name__
    )
    return re.sub(r"^(?:error: )?\S+\.cl:(?=\d)", "line ", line_of_error)[:LONGEST]


def answer(opencl: _OpenCL, request: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request."""
    if request["ask"] == "list":
        return {"devices": [opencl.facts(number) for number in range(len(opencl.physical))]}
    return {"jobs": [opencl.job(request["device"], job) for job in request["jobs"]]}


def main() -> None:
    os.environ.setdefault("POCL_KERNEL_CACHE", "0")  # each kernel is met as if for the first time
    os.environ["PYOPENCL_COMPILER_OUTPUT"] = "0"
    serve_devices(_OpenCL, answer)


if __name__ == "__main__":
    main()
