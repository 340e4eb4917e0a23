"""Alignments: which dynamic instances were executed together, their columns, their picture."""
