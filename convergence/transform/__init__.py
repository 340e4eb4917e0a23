"""Transforms of modules, from value to value: inferring tokens, and inlining with tokens."""
