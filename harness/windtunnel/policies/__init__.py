"""Pure decisions: no clock, no input or output, no asyncio; `now` is an argument in nanoseconds.

The same objects decide in the simulated world, in the real one and in planning engines.
"""
