"""What the processes have in common in which devices are driven."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from convergence.workers.serving import Answer, serve

STACK = 1 << 27  # bytes; drivers compile on the thread that asks

Devices = TypeVar("Devices")


class NoDeviceError(Exception):
    """There is no binding, no loader, or no device."""


def serve_devices(
    connect: Callable[[], Devices], answer: Callable[[Devices, dict[str, Any]], dict[str, Any]]
) -> None:
    """Answer requests about the devices that ``connect`` finds; where it raises NoDeviceError, each is told
    that there are none, and why."""

    def prepare() -> Answer:
        try:
            devices = connect()
        except NoDeviceError as error:
            problem = {"unavailable": str(error)}
            return lambda request: problem
        return lambda request: answer(devices, json.loads(request))

    serve(prepare, STACK, says=b"+", memory=None)
