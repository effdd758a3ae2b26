"""The watchers: loops in the background that look, and act on what they see."""
