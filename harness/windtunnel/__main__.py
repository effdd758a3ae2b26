"""`python -m windtunnel`: the command line."""

from windtunnel.cli import main

main()
