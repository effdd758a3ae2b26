"""The bridge: what drives a chat application on a desktop, from its routes to the display."""
