"""Decisions of a UI action scheduler and of the bridge around it."""
