"""The dispatcher: takes tasks in, has instances run them, and tells of their end."""
