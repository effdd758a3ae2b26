"""`windtunnel completion`: the script that makes a shell complete our commands."""

from __future__ import annotations

import click


@click.command(short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the script that makes SHELL complete commands, options and paths.

    \b
    bash   windtunnel completion bash > ~/.windtunnel-complete
           echo '. ~/.windtunnel-complete' >> ~/.bashrc
    zsh    windtunnel completion zsh > ~/.windtunnel-complete
           echo '. ~/.windtunnel-complete' >> ~/.zshrc
    fish   windtunnel completion fish > ~/.config/fish/completions/windtunnel.fish
    """  # noqa: D301 - click's mark, not a backslash
    from click.shell_completion import get_completion_class

    from windtunnel.cli import cli

    complete = get_completion_class(shell)
    if complete is None:  # pragma: no cover - the choice above names those that click has
        raise click.UsageError(f"click does not know the shell {shell!r}")
    click.echo(complete(cli, {}, "windtunnel", "_WINDTUNNEL_COMPLETE").source())
