"""``allows``: whether an alignment or a state is legal."""
