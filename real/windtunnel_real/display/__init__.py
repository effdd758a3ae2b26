"""The display: an X server of our own, or one that is there, and how it is reached."""
