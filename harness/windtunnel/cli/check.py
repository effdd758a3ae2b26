"""`windtunnel check`: every error of every file, nothing run."""

from __future__ import annotations

import click

from windtunnel.cli.arguments import paths_argument


@click.command(short_help="Report every error in scenario files.")
@paths_argument
def command(paths: tuple[str, ...]) -> int:
    """Report every error in scenario files as `file:line:col: error: …`.

    PATHS are files or folders; without any, the bundled scenarios. Nothing is run and no code is
    imported. Exit code 2 if there is an error.
    """
    from windtunnel.scenario.selecting.selection import Request, select

    selection = select(Request(paths, allow_code=True))
    for problem in selection.problems:
        click.echo(str(problem))
    for note in selection.notes:
        click.echo(f"note: {note}", err=True)
    broken = {problem.file for problem in selection.problems}
    files = f"{len(selection.files)} file{'s' if len(selection.files) != 1 else ''}"
    if broken:
        errors = len(selection.problems)
        click.echo(
            f"{files}: {errors} error{'s' if errors != 1 else ''} in {len(broken)}", err=True
        )
        return 2
    click.echo(f"{files}, {len(selection.cells)} cells: no errors", err=True)
    return 0
