"""The version and the address, in one place: packaging reads it, ``--version`` and SARIF print it."""

__version__ = "0.1.0"
HOMEPAGE = "https://pypi.org/project/convcheck/"
"""Where the project is found: SARIF's ``informationUri``, and the metadata's."""
