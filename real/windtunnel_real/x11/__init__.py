"""X11: one connection to a display and what is asked over it: windows, keyboard, clipboard."""
