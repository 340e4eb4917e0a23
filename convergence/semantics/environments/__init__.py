"""How a thread meets the world: memory, exchanges, labels and branches, by kind of run."""
