"""The version, in one place: packaging reads it, ``--version`` and SARIF print it."""

__version__ = "0.1.0"
