"""The command line: the group of commands, each imported only when it is called.

Imports click and nothing else, so that `windtunnel --help` starts fast: what a command needs is
imported in its body.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

import click

COMMANDS: Final[Mapping[str, str]] = {
    "run": "Run scenarios and judge them.",
    "check": "Report every error in scenario files.",
    "expand": "Show the cells without running them.",
    "list": "List scenarios and what they cover.",
    "coverage": "Show which scenarios and tests cover each requirement.",
    "doctor": "Say whether the real world can run here.",
    "schema": "Print the JSON Schema of scenario files.",
    "kinds": "Print the table of trace events.",
    "completion": "Print the completion script of a shell.",
}
"""Name of each command, which is its module's too → its summary."""


class LazyGroup(click.Group):
    """A group whose commands lie in modules of their names, and whose errors are ours to tell."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"windtunnel.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the summaries from the table, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - whatever the command returns
        """Run the command; a closed pipe is told by us, before click exits with 1 for it."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            from windtunnel.cli.failures import ClosedStreamError

            raise ClosedStreamError from error

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:  # noqa: ANN401 - click's signature
        """Run, tell any error in one way, and exit with the code of DESIGN §6."""
        from windtunnel.cli.failures import exit_code_of

        kwargs["standalone_mode"] = False
        sys.exit(exit_code_of(lambda: super(LazyGroup, self).main(*args, **kwargs)))


def _show_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's signature
    if wanted:
        from windtunnel import __version__

        click.echo(f"windtunnel {__version__}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Print the version and exit.",
)
def cli() -> None:
    """Run schedulers and routers in a wind tunnel: one scenario, a simulated and a real world.

    `windtunnel run` alone plays the bundled scenarios.

    Exit codes: 0 pass, 1 fail, 2 usage or scenario file, 3 unknown or vacuous, 4 no such world
    here, 5 nothing selected or all skipped, 70 internal error, 130 interrupted, 141 output closed
    by its reader.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line with these arguments (default: the process's own), and exit."""
    cli.main(args=arguments, prog_name="windtunnel")
