"""Decisions of an internal-first task router: of its backend and of its dispatcher."""
