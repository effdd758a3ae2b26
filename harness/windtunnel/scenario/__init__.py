"""Scenarios: files, the cells that they stand for, and the runs of these cells."""
