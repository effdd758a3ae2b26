"""Playing: one cell in a world, its verdict, and the worker processes that cells are played in."""
