"""``convcheck suite``: the RUN lines of lit's tests through the checks of the wrappers.

:mod:`.run_lines` reads the commands, :mod:`.perform` picks files and what is asked of each, and
answers for a file, :mod:`.campaign` for all of them, in processes, and goes on where it was cut off.
"""
