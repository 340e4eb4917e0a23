"""The lock-step machines: waves of lanes under one program counter, and how each machine groups them.

semantics.md, §7. A :class:`~.policy.Policy` decides what a wave runs next; the executor runs it.
"""
