"""OpenCL kernels on a real implementation, as ``python -m tests.differential.opencl JOBS RESULTS``.

A process of its own, as an implementation brings an LLVM along. Both files are pickles: a list of jobs, and
for each job its buffers in the end, or what went wrong. By ctypes: nothing but an OpenCL loader is needed.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Job:
    """A launch: ``arguments`` in the kernel's order are buffers, numbers, or bytes of local memory."""

    source: str
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    arguments: tuple[Array | np.generic | int, ...]


class NoOpenCL(Exception):
    """There is no OpenCL here; says what is missing."""


def results(jobs: Sequence[Job], folder: Path) -> tuple[str, list[list[Array] | str]]:
    """The platform's name, and of each job its buffers in the end, or why it did not run.

    :raises NoOpenCL: if there is no loader, no platform or no device
    """
    (asked := folder / "jobs").write_bytes(pickle.dumps(list(jobs)))
    ran = subprocess.run(
        [sys.executable, "-m", "tests.differential.opencl", asked, answer := folder / "results"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if ran.returncode == 77:
        raise NoOpenCL(ran.stderr.strip())
    assert ran.returncode == 0, ran.stderr
    platform, answers = pickle.loads(answer.read_bytes())
    return platform, answers


# -- in the other process

GPU_OR_ANY = 0xFFFFFFFF
BUILD_LOG = 0x1183
PLATFORM_VERSION = 0x0901
READ_WRITE, COPY = 1, 32
Handle = ctypes.c_void_p


class Device:
    """The first device of the first platform, its context and its queue."""

    def __init__(self) -> None:
        name = ctypes.util.find_library("OpenCL")
        if name is None:
            raise NoOpenCL("no OpenCL loader")
        self.cl: Any = ctypes.CDLL(name)
        for creates in ("Context", "CommandQueue", "ProgramWithSource", "Buffer"):
            getattr(self.cl, f"clCreate{creates}").restype = Handle
        platform, self.device = Handle(), Handle()
        if self.cl.clGetPlatformIDs(1, ctypes.byref(platform), None):
            raise NoOpenCL("no OpenCL platform")
        if self.cl.clGetDeviceIDs(platform, ctypes.c_uint64(GPU_OR_ANY), 1, ctypes.byref(self.device), None):
            raise NoOpenCL("no OpenCL device")
        version = ctypes.create_string_buffer(500)
        self.cl.clGetPlatformInfo(platform, PLATFORM_VERSION, ctypes.c_size_t(500), version, None)
        self.platform = version.value.decode()
        self.context = Handle(self.cl.clCreateContext(None, 1, ctypes.byref(self.device), None, None, None))
        self.queue = Handle(self.cl.clCreateCommandQueue(self.context, self.device, ctypes.c_uint64(0), None))

    def run(self, job: Job) -> list[Array] | str:
        """The job's buffers in the end, or the compiler's words."""
        text = ctypes.c_char_p(job.source.encode())
        program = Handle(self.cl.clCreateProgramWithSource(self.context, 1, ctypes.byref(text), None, None))
        if self.cl.clBuildProgram(program, 1, ctypes.byref(self.device), b"-cl-std=CL3.0", None, None):
            log = ctypes.create_string_buffer(10_000)
            size = ctypes.c_size_t(10_000)
            self.cl.clGetProgramBuildInfo(program, self.device, BUILD_LOG, size, log, None)
            return log.value.decode()
        kernel = Handle()
        _check(self.cl.clCreateKernelsInProgram(program, 1, ctypes.byref(kernel), None))
        buffers: list[tuple[Handle, Array]] = []
        for place, argument in enumerate(job.arguments):
            if isinstance(argument, np.ndarray):
                data = argument.copy()
                size = ctypes.c_size_t(data.nbytes)
                flags = ctypes.c_uint64(READ_WRITE | COPY)
                pointer = data.ctypes.data_as(ctypes.c_void_p)
                buffer = Handle(self.cl.clCreateBuffer(self.context, flags, size, pointer, None))
                buffers.append((buffer, data))
                _check(self.cl.clSetKernelArg(kernel, place, ctypes.c_size_t(8), ctypes.byref(buffer)))
            elif isinstance(argument, int):
                _check(self.cl.clSetKernelArg(kernel, place, ctypes.c_size_t(argument), None))
            else:
                raw = argument.tobytes()
                _check(self.cl.clSetKernelArg(kernel, place, ctypes.c_size_t(len(raw)), raw))
        sizes = ctypes.c_size_t * len(job.global_size)
        whole, local = sizes(*job.global_size), sizes(*job.local_size)
        _check(
            self.cl.clEnqueueNDRangeKernel(
                self.queue, kernel, len(job.global_size), None, whole, local, 0, None, None
            )
        )
        for buffer, data in buffers:
            size = ctypes.c_size_t(data.nbytes)
            pointer = data.ctypes.data_as(ctypes.c_void_p)
            _check(
                self.cl.clEnqueueReadBuffer(
                    self.queue, buffer, 1, ctypes.c_size_t(0), size, pointer, 0, None, None
                )
            )
        return [data for _, data in buffers]


def _check(code: int) -> None:
    if code:
        raise RuntimeError(f"OpenCL error {code}")


def main(asked: str, answer: str) -> None:
    try:
        device = Device()
    except NoOpenCL as missing:
        print(missing, file=sys.stderr)
        sys.exit(77)
    done = [device.run(job) for job in pickle.loads(Path(asked).read_bytes())]
    Path(answer).write_bytes(pickle.dumps((device.platform, done)))


if __name__ == "__main__":
    from tests.differential import opencl  # so that a job's class has one name on both sides

    opencl.main(*sys.argv[1:])
