"""The machine: its desktop, its processes, and what goes wrong with them on purpose."""
