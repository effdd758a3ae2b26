"""The machine: the real display, the stand-in and the processes behind the ports."""
