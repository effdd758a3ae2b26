"""The dispatch: the endpoint table, and the way of each call to the display."""
