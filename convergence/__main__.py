"""``python -m convergence`` is ``convcheck``."""

try:
    from .cli import main
except KeyboardInterrupt:  # nothing has begun
    raise SystemExit(3) from None

main()
