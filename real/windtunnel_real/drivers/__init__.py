"""The drivers: three ways to move the pointer and press keys, with one interface."""
