"""The flows: what an action does on the display, command by command, and what runs it."""
