"""The source: the text of a scenario file as nodes with positions, and problems told at them."""
