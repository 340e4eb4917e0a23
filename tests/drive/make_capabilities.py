"""Makes ``convergence/drive/binding.txt`` of Vulkan's registry: ``make_capabilities.py vk.xml``.

The registry is Khronos' machine-readable specification (Vulkan-Headers, ``registry/vk.xml``). What is kept
are facts only: names of capabilities, and of what in a device offers them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

TABLE = Path(__file__).parents[2] / "convergence" / "drive" / "capabilities.txt"
_HEAD = """\
# SPIR-V's capabilities in Vulkan, each with what offers it, any of which is enough: a version of Vulkan, an
# extension (VK_...), a subgroup operation (subgroup:...), a feature or property of the device. Made by
# tests/drive/make_capabilities.py of Vulkan's registry (Vulkan-Headers).
"""


def _offer(enable: ElementTree.Element) -> str:
    words = enable.attrib
    if "version" in words:
        return words["version"].removeprefix("VK_VERSION_").replace("_", ".")
    if "extension" in words:
        return words["extension"]
    if "feature" in words:
        return words["feature"]
    if words["member"] == "subgroupSupportedOperations":
        name = words["value"].removeprefix("VK_SUBGROUP_FEATURE_").replace("_BIT", "")
        return "subgroup:" + name.lower().replace("_", "-")
    return words["member"]


def lines(registry: Path) -> Iterator[str]:
    yield _HEAD.rstrip("\n")
    for capability in ElementTree.parse(registry).getroot().iter("spirvcapability"):
        offers = list(dict.fromkeys(map(_offer, capability.findall("enable"))))
        if "name" in capability.attrib and offers:
            yield " ".join([capability.attrib["name"], *offers])


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: make_capabilities.py vk.xml (Vulkan-Headers, registry/vk.xml)")
    TABLE.write_text("\n".join(lines(Path(sys.argv[1]))) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
