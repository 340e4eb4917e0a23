"""``python -m convergence`` is ``convcheck``."""

from .cli.main import main

main()
