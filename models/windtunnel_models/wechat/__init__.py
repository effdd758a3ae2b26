"""WeChat: the simulated application as a state machine, its screen and its database."""
