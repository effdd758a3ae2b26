"""WeChat: the application as a state machine, the same behind the simulated and a real window."""
