"""Processes for what may end itself, as LLVM does: :mod:`.process` asks, :mod:`.serving` answers; and for
work in many parts: :mod:`.scheduler`."""
