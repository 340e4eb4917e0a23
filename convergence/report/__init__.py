"""Renderers: pure functions from values to text. Nothing here prints, runs or decides."""
