"""Reports: what a run says to people and to other tools, made from traces and result lines only.

May import ``windtunnel``; nothing from ``windtunnel_models`` or ``windtunnel_real``, so that a
report can be made again later, on another machine, from what a run wrote down.
"""
