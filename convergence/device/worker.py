"""A process in which a Vulkan device is driven, so that a crash of loader or driver ends only this process.

Run as a script. A request is JSON with ``ask``:

``list``   an answer has ``devices``: for each what it is, and what it can do
``run``    with ``device`` (a number), ``jobs`` and ``seconds`` for each; an answer has ``jobs``, in order

A job has ``module`` (base64), ``entry``, ``groups`` (workgroups along x, y and z), ``repeat``,
``subgroup_size`` (asked of the device, or null), ``constants`` (base64: what is pushed) and ``bindings``:
each ``set``, ``binding``, ``uniform`` and ``data`` (base64). Its answer has ``results``, the distinct
contents of all buffers with how often each was seen, in the order in which they were first seen; or
``error`` and the ``stage`` at which it came.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from typing import Any

from convergence.workers.serving import NoDeviceError, serve_devices

ARENA = 1 << 20  # bytes of memory for buffers at first
WAIT = 1_000_000_000  # nanoseconds in a second

OPERATIONS = (
    "basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle-relative", "clustered", "quad",
    "partitioned-nv", "rotate", "rotate-clustered",
)  # fmt: skip
"""Subgroup operations, by their bit (Vulkan specification, VkSubgroupFeatureFlagBits)."""
KINDS = ("other", "integrated", "discrete", "virtual", "cpu")


class _Vulkan:
    """An instance, and one device that is opened once."""

    def __init__(self) -> None:
        try:
            import vulkan as vk
        except ImportError:
            raise NoDeviceError("binding") from None
        except OSError as error:  # the loader's library is not there
            raise NoDeviceError(f"loader: {error}") from None
        self.vk = vk
        application = vk.VkApplicationInfo(
            pApplicationName="convcheck", applicationVersion=1, pEngineName="convcheck", engineVersion=1,
            apiVersion=vk.VK_MAKE_VERSION(1, 3, 0),
        )  # fmt: skip
        try:
            self.instance = vk.vkCreateInstance(vk.VkInstanceCreateInfo(pApplicationInfo=application), None)
            self.physical = list(vk.vkEnumeratePhysicalDevices(self.instance))
        except vk.VkError as error:
            raise NoDeviceError("driver: " + type(error).__name__) from None
        except TypeError as error:  # the binding's word where the loader has no driver
            raise NoDeviceError(f"driver: {error}") from None
        self._open: dict[int, _Open] = {}

    def open(self, number: int) -> _Open:
        if number not in self._open:
            self._open[number] = _Open(self.vk, self.instance, self.physical[number])
        return self._open[number]

    def facts(self, number: int) -> dict[str, Any]:
        """What a device is, and what it can do."""
        vk, physical = self.vk, self.physical[number]
        subgroup = vk.VkPhysicalDeviceSubgroupProperties()
        control = vk.VkPhysicalDeviceSubgroupSizeControlProperties(pNext=subgroup)
        driver = vk.VkPhysicalDeviceDriverProperties(pNext=control)
        core = vk.vkGetPhysicalDeviceProperties(physical)
        named = core.apiVersion >= vk.VK_MAKE_VERSION(1, 2, 0)
        sized = core.apiVersion >= vk.VK_MAKE_VERSION(1, 3, 0)
        chain = driver if sized else subgroup
        if core.apiVersion >= vk.VK_MAKE_VERSION(1, 1, 0):
            properties = vk.VkPhysicalDeviceProperties2(pNext=chain)
            vk.vkGetPhysicalDeviceProperties2(physical, properties)
        extensions = vk.vkEnumerateDeviceExtensionProperties(physical, None)
        bits = subgroup.supportedOperations
        return {
            "number": number,
            "name": core.deviceName,
            "kind": KINDS[core.deviceType] if core.deviceType < len(KINDS) else "other",
            "api": _version(core.apiVersion),
            "driver": _text(vk, driver.driverName) if named and sized else "",
            "driver_info": _text(vk, driver.driverInfo) if named and sized else "",
            "driver_version": core.driverVersion,
            "subgroup_size": subgroup.subgroupSize,
            "least_subgroup_size": control.minSubgroupSize if sized else subgroup.subgroupSize,
            "most_subgroup_size": control.maxSubgroupSize if sized else subgroup.subgroupSize,
            "compute": bool(subgroup.supportedStages & 0x20),
            "operations": [name for bit, name in enumerate(OPERATIONS) if bits >> bit & 1],
            "extensions": sorted(extension.extensionName for extension in extensions),
            "workgroup": [core.limits.maxComputeWorkGroupSize[n] for n in range(3)],
            "invocations": core.limits.maxComputeWorkGroupInvocations,
            "push_constants": core.limits.maxPushConstantsSize,
            "features": sorted(self._features(number, {e.extensionName for e in extensions})),
        }

    def _features(self, number: int, extensions: set[str]) -> set[str]:
        """The names of the features that a device has, and of what it says of floating-point numbers."""
        vk, physical = self.vk, self.physical[number]
        features, chain = features_of(vk, physical, extensions)
        names = set(_switched_on(vk, features.features))
        for part in chain:
            names.update(_switched_on(vk, part))
        core = vk.vkGetPhysicalDeviceProperties(physical)
        if core.apiVersion >= vk.VK_MAKE_VERSION(1, 2, 0):
            floats = vk.VkPhysicalDeviceVulkan12Properties()
            vk.vkGetPhysicalDeviceProperties2(physical, vk.VkPhysicalDeviceProperties2(pNext=floats))
            names.update(name for name in _switched_on(vk, floats) if "Float" in name)
        return names


def _version(number: int) -> str:
    return f"{number >> 22 & 0x7F}.{number >> 12 & 0x3FF}.{number & 0xFFF}"


def _text(vk: Any, field: Any) -> str:
    return field if isinstance(field, str) else vk.ffi.string(field).decode("utf-8", "replace")


FEATURES = {
    "VK_KHR_shader_subgroup_uniform_control_flow":
        "VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR",
    "VK_KHR_shader_maximal_reconvergence": "VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR",
    "VK_KHR_shader_subgroup_rotate": "VkPhysicalDeviceShaderSubgroupRotateFeaturesKHR",
    "VK_EXT_shader_atomic_float": "VkPhysicalDeviceShaderAtomicFloatFeaturesEXT",
    "VK_EXT_shader_atomic_float2": "VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT",
    "VK_KHR_workgroup_memory_explicit_layout": "VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR",
    "VK_KHR_shader_clock": "VkPhysicalDeviceShaderClockFeaturesKHR",
    "VK_KHR_shader_float_controls2": "VkPhysicalDeviceShaderFloatControls2FeaturesKHR",
    "VK_KHR_shader_expect_assume": "VkPhysicalDeviceShaderExpectAssumeFeaturesKHR",
    "VK_EXT_shader_subgroup_ballot": None,
    "VK_EXT_shader_subgroup_vote": None,
}  # fmt: skip
"""The extensions that are switched on where a device has them, and the structure of their features; the
others are of no use to a compute shader, or part of Vulkan 1.3."""


def features_of(vk: Any, physical: Any, extensions: set[str]) -> tuple[Any, list[Any]]:
    """All features that a device has, to be switched on, and the structures that are chained to them: they
    are pointed to, not held."""
    version = vk.vkGetPhysicalDeviceProperties(physical).apiVersion
    kinds = [kind for name, kind in FEATURES.items() if name in extensions and kind is not None]
    if version >= vk.VK_MAKE_VERSION(1, 2, 0):
        kinds += ["VkPhysicalDeviceVulkan11Features", "VkPhysicalDeviceVulkan12Features"]
    if version >= vk.VK_MAKE_VERSION(1, 3, 0):
        kinds.append("VkPhysicalDeviceVulkan13Features")
    chain: list[Any] = []
    for kind in kinds:
        if hasattr(vk, kind):  # older bindings lack the newer ones
            chain.append(getattr(vk, kind)(pNext=chain[-1] if chain else None))
    features = vk.VkPhysicalDeviceFeatures2(pNext=chain[-1] if chain else None)
    if version >= vk.VK_MAKE_VERSION(1, 1, 0):
        vk.vkGetPhysicalDeviceFeatures2(physical, features)
    else:
        features.features = vk.vkGetPhysicalDeviceFeatures(physical)
    return features, chain


def _switched_on(vk: Any, structure: Any) -> Iterator[str]:
    """The fields of a structure that are VK_TRUE."""
    kind = vk.ffi.typeof(structure)
    for name, field in (kind.item if kind.kind == "pointer" else kind).fields:
        if field.type.cname == "uint32_t" and getattr(structure, name) == 1:
            yield name


class _Open:
    """A device with a queue for compute, memory for buffers, and one command buffer."""

    def __init__(self, vk: Any, instance: Any, physical: Any) -> None:
        self.vk, self.physical = vk, physical
        families = vk.vkGetPhysicalDeviceQueueFamilyProperties(physical)
        self.family = next(n for n, f in enumerate(families) if f.queueFlags & vk.VK_QUEUE_COMPUTE_BIT)
        there = {e.extensionName for e in vk.vkEnumerateDeviceExtensionProperties(physical, None)}
        queue = vk.VkDeviceQueueCreateInfo(queueFamilyIndex=self.family, queueCount=1, pQueuePriorities=[1.0])
        self.extensions = [name for name in FEATURES if name in there]
        features, self.kept = features_of(vk, physical, there)
        self.sized = any("subgroupSizeControl" in _switched_on(vk, part) for part in self.kept)
        features.features.robustBufferAccess = 1
        self.device = vk.vkCreateDevice(
            physical,
            vk.VkDeviceCreateInfo(
                pNext=features, queueCreateInfoCount=1, pQueueCreateInfos=[queue],
                enabledExtensionCount=len(self.extensions), ppEnabledExtensionNames=self.extensions,
            ),
            None,
        )  # fmt: skip
        self.queue = vk.vkGetDeviceQueue(self.device, self.family, 0)
        pool = vk.vkCreateCommandPool(
            self.device,
            vk.VkCommandPoolCreateInfo(
                flags=vk.VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, queueFamilyIndex=self.family
            ),
            None,
        )
        self.commands = vk.vkAllocateCommandBuffers(
            self.device,
            vk.VkCommandBufferAllocateInfo(
                commandPool=pool, level=vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount=1
            ),
        )[0]
        self.fence = vk.vkCreateFence(self.device, vk.VkFenceCreateInfo(), None)
        limits = vk.vkGetPhysicalDeviceProperties(physical).limits
        self.alignment = max(
            limits.minStorageBufferOffsetAlignment, limits.minUniformBufferOffsetAlignment, 16
        )
        self.memory_types = vk.vkGetPhysicalDeviceMemoryProperties(physical)
        self.room = 0
        self.memory: Any = None
        self.buffer: Any = None
        self.mapped: Any = None
        self.layouts: dict[tuple[tuple[tuple[int, int, bool], ...], int], tuple[list[Any], Any]] = {}

    # -- memory

    def arena(self, size: int) -> None:
        """At least so many bytes that both sides see, as one buffer."""
        if size <= self.room:
            return
        vk = self.vk
        if self.room:
            vk.vkUnmapMemory(self.device, self.memory)
            vk.vkDestroyBuffer(self.device, self.buffer, None)
            vk.vkFreeMemory(self.device, self.memory, None)
        self.room = max(ARENA, 1 << (size - 1).bit_length())
        usage = vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | vk.VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT
        self.buffer = vk.vkCreateBuffer(
            self.device,
            vk.VkBufferCreateInfo(size=self.room, usage=usage, sharingMode=vk.VK_SHARING_MODE_EXCLUSIVE),
            None,
        )
        needs = vk.vkGetBufferMemoryRequirements(self.device, self.buffer)
        both = vk.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | vk.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
        kinds = self.memory_types
        index = next(
            n for n in range(kinds.memoryTypeCount)
            if needs.memoryTypeBits >> n & 1 and kinds.memoryTypes[n].propertyFlags & both == both
        )  # fmt: skip
        self.memory = vk.vkAllocateMemory(
            self.device, vk.VkMemoryAllocateInfo(allocationSize=needs.size, memoryTypeIndex=index), None
        )
        vk.vkBindBufferMemory(self.device, self.buffer, self.memory, 0)
        self.mapped = vk.vkMapMemory(self.device, self.memory, 0, self.room, 0)

    # -- one job

    def job(self, job: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The distinct results of a job's runs; or at which ``stage`` Vulkan said what."""
        objects: list[tuple[Any, Any]] = []
        reached = "module"
        try:
            for stage in self._stages(job, seconds, objects):
                reached = stage
        except (self.vk.VkError, self.vk.VkException) as error:
            return {"error": type(error).__name__, "stage": reached}
        finally:
            for destroy, handle in reversed(objects):
                destroy(self.device, handle, None)
        return {"results": [{"count": n, "buffers": list(map(_packed, d))} for d, n in self.counts.items()]}

    def _stages(self, job: dict[str, Any], seconds: float, objects: list[tuple[Any, Any]]) -> Iterator[str]:
        """Each stage of a job, named before it begins; what is made is noted, to be destroyed."""
        vk = self.vk
        yield "module"
        code = base64.b64decode(job["module"])
        module = vk.vkCreateShaderModule(
            self.device, vk.VkShaderModuleCreateInfo(codeSize=len(code), pCode=code), None
        )
        objects.append((vk.vkDestroyShaderModule, module))
        yield "pipeline"
        shape = tuple((b["set"], b["binding"], b["uniform"]) for b in job["bindings"])
        constants = base64.b64decode(job["constants"])
        sets, layout = self._layout(shape, len(constants))
        wanted, more = job["subgroup_size"], None
        if wanted is not None and self.sized:
            more = vk.VkPipelineShaderStageRequiredSubgroupSizeCreateInfo(requiredSubgroupSize=wanted)
        shader = vk.VkPipelineShaderStageCreateInfo(  # held: it is copied, and what it points to is not
            pNext=more, stage=vk.VK_SHADER_STAGE_COMPUTE_BIT, module=module, pName=job["entry"]
        )
        info = vk.VkComputePipelineCreateInfo(stage=shader, layout=layout)
        pipeline = vk.vkCreateComputePipelines(self.device, None, 1, [info], None)[0]
        objects.append((vk.vkDestroyPipeline, pipeline))
        yield "buffers"
        data = [base64.b64decode(b["data"]) for b in job["bindings"]]
        places, end = [], 0
        for part in data:
            places.append(end)
            end += -(-max(len(part), 4) // self.alignment) * self.alignment
        self.arena(max(end, 4))
        bound = self._descriptors(sets, job["bindings"], places, data, objects)
        yield "commands"
        self._record(pipeline, layout, bound, job["groups"], constants)
        self.counts: dict[tuple[bytes, ...], int] = {}
        yield "dispatch"
        for _ in range(job["repeat"]):
            for place, part in zip(places, data, strict=True):
                self.mapped[place : place + len(part)] = part
            vk.vkResetFences(self.device, 1, [self.fence])
            submit = vk.VkSubmitInfo(commandBufferCount=1, pCommandBuffers=[self.commands])
            vk.vkQueueSubmit(self.queue, 1, [submit], self.fence)
            vk.vkWaitForFences(self.device, 1, [self.fence], True, int(seconds * WAIT))
            contents = tuple(
                bytes(self.mapped[place : place + len(part)])
                for place, part in zip(places, data, strict=True)
            )
            self.counts[contents] = self.counts.get(contents, 0) + 1

    def _layout(self, shape: tuple[tuple[int, int, bool], ...], pushed: int) -> tuple[list[Any], Any]:
        """Descriptor sets' layouts and the pipeline's, made once for each shape and bytes that are pushed."""
        if (shape, pushed) not in self.layouts:
            vk = self.vk
            sets = []
            for number in range(max((s for s, _, _ in shape), default=-1) + 1):
                here = [
                    vk.VkDescriptorSetLayoutBinding(
                        binding=binding, descriptorType=self._type(uniform), descriptorCount=1,
                        stageFlags=vk.VK_SHADER_STAGE_COMPUTE_BIT,
                    )
                    for s, binding, uniform in shape if s == number
                ]  # fmt: skip
                layout_info = vk.VkDescriptorSetLayoutCreateInfo(bindingCount=len(here), pBindings=here)
                sets.append(vk.vkCreateDescriptorSetLayout(self.device, layout_info, None))
            stage = vk.VK_SHADER_STAGE_COMPUTE_BIT
            ranges = [vk.VkPushConstantRange(stageFlags=stage, offset=0, size=pushed)] if pushed else []
            info = vk.VkPipelineLayoutCreateInfo(
                setLayoutCount=len(sets), pSetLayouts=sets, pushConstantRangeCount=len(ranges),
                pPushConstantRanges=ranges,
            )  # fmt: skip
            self.layouts[shape, pushed] = sets, vk.vkCreatePipelineLayout(self.device, info, None)
        return self.layouts[shape, pushed]

    def _type(self, uniform: bool) -> int:
        vk = self.vk
        kind: int = vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER if uniform else vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
        return kind

    def _descriptors(
        self,
        layouts: list[Any],
        bindings: list[Any],
        places: list[int],
        data: list[bytes],
        objects: list[Any],
    ) -> list[Any]:
        """Descriptor sets that point into the arena."""
        vk = self.vk
        if not layouts:
            return []
        sizes = [
            vk.VkDescriptorPoolSize(type=self._type(uniform), descriptorCount=len(bindings))
            for uniform in (False, True)
        ]
        pool = vk.vkCreateDescriptorPool(
            self.device,
            vk.VkDescriptorPoolCreateInfo(maxSets=len(layouts), poolSizeCount=2, pPoolSizes=sizes),
            None,
        )
        objects.append((vk.vkDestroyDescriptorPool, pool))
        allocation = vk.VkDescriptorSetAllocateInfo(
            descriptorPool=pool, descriptorSetCount=len(layouts), pSetLayouts=layouts
        )
        sets = list(vk.vkAllocateDescriptorSets(self.device, allocation))
        writes = []
        for binding, place, part in zip(bindings, places, data, strict=True):
            info = vk.VkDescriptorBufferInfo(buffer=self.buffer, offset=place, range=max(len(part), 4))
            writes.append(
                vk.VkWriteDescriptorSet(
                    dstSet=sets[binding["set"]], dstBinding=binding["binding"], descriptorCount=1,
                    descriptorType=self._type(binding["uniform"]), pBufferInfo=[info],
                )
            )  # fmt: skip
        if writes:
            vk.vkUpdateDescriptorSets(self.device, len(writes), writes, 0, None)
        return sets

    def _record(
        self, pipeline: Any, layout: Any, sets: list[Any], groups: list[int], constants: bytes
    ) -> None:
        vk, commands = self.vk, self.commands
        vk.vkResetCommandBuffer(commands, 0)
        vk.vkBeginCommandBuffer(commands, vk.VkCommandBufferBeginInfo())
        vk.vkCmdBindPipeline(commands, vk.VK_PIPELINE_BIND_POINT_COMPUTE, pipeline)
        if sets:
            vk.vkCmdBindDescriptorSets(
                commands, vk.VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, len(sets), sets, 0, None
            )
        if constants:
            data = vk.ffi.from_buffer(constants)
            stage = vk.VK_SHADER_STAGE_COMPUTE_BIT
            vk.vkCmdPushConstants(commands, layout, stage, 0, len(constants), data)
        vk.vkCmdDispatch(commands, *groups)
        barrier = vk.VkMemoryBarrier(
            srcAccessMask=vk.VK_ACCESS_SHADER_WRITE_BIT, dstAccessMask=vk.VK_ACCESS_HOST_READ_BIT
        )
        vk.vkCmdPipelineBarrier(
            commands, vk.VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, vk.VK_PIPELINE_STAGE_HOST_BIT, 0,
            1, [barrier], 0, None, 0, None,
        )  # fmt: skip
        vk.vkEndCommandBuffer(commands)


def _packed(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def answer(vulkan: _Vulkan, request: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request."""
    if request["ask"] == "list":
        return {"devices": [vulkan.facts(number) for number in range(len(vulkan.physical))]}
    device = vulkan.open(request["device"])
    results = []
    for job in request["jobs"]:
        results.append(device.job(job, request["seconds"]))
        if results[-1].get("error") in ("VkTimeout", "VkErrorDeviceLost"):
            break  # nothing more is to be had of it
    return {"jobs": results}


def main() -> None:
    os.environ.setdefault("MESA_SHADER_CACHE_DISABLE", "true")  # each module is met as if for the first time
    serve_devices(_Vulkan, answer)


if __name__ == "__main__":
    main()
