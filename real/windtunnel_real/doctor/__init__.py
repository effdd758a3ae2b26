"""The doctor: what of this machine would spoil a run on a real display, and what mends it."""
