"""The wire: what the parties of a router say to one another, and where they are reached."""
