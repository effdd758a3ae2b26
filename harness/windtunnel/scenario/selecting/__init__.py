"""Selecting: from paths and expressions to the cells that are to be played."""
