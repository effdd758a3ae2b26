"""Services: asyncio objects made of policies and ports, the same in every world.

They import no world, no SimPy and no display library; time comes from the running loop.
"""
