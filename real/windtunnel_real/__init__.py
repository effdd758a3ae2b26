"""The real world: X server, input, capture, windows and processes of a display that exists.

The same scenarios, checks and reports that run against the simulated world run against this one.
May import ``windtunnel``; nothing from ``windtunnel_models`` or ``windtunnel_reports``. It is the
only package that imports Xlib or starts display programs.
"""
