"""One protocol for bit-vectors, truth values and IEEE numbers; its domains: Python integers, z3 terms."""
