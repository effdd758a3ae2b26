"""Expanding: from a scenario to its cells, every reference replaced and every value typed."""
