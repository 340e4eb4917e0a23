"""``convcheck suite``: the RUN lines of lit's tests through the checks of the wrappers.

:mod:`.perform` reads the commands, picks files and what is asked of each, and answers for a file,
:mod:`.campaign` for all of them, in processes, and goes on where it was cut off.
"""
