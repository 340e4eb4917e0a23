"""``litmus``: conditions by model."""
