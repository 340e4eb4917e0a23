"""What a register holds: bits with poison, composites, values to come; constants, layout, display."""
