"""The inputs that a comparison tries."""
