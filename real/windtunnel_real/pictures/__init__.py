"""The pictures: captured frames, what is found in them, and the files they are kept in."""
