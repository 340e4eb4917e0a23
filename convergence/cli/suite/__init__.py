"""``convcheck suite``: the RUN lines of lit's tests through the checks of the wrappers.

:mod:`.run_lines` reads the commands, :mod:`.questions` picks files and what is asked of each, :mod:`.perform`
answers for a file, :mod:`.campaign` for all of them, in processes, and goes on where it was cut off.
"""
