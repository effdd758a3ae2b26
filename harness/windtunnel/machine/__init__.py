"""The machine: what the simulated and a real one with a desktop have in common."""
