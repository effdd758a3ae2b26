"""`windtunnel check`: every error of every file, nothing run."""

from __future__ import annotations

import click

from windtunnel.cli.arguments import paths_argument
from windtunnel.cli.exit_codes import EXIT_PASS, EXIT_USAGE


@click.command(short_help="Report every error in scenario files.")
@paths_argument
def command(paths: tuple[str, ...]) -> int:
    """Report every error in scenario files as `file:line:col: error: …`.

    PATHS are files or folders; without any, the bundled scenarios. Nothing is run and no code is
    imported. Exit code 2 if there is an error.
    """
    from windtunnel.cli.texts import plural
    from windtunnel.scenario.selecting.selection import Request, select

    selection = select(Request(paths, allow_code=True))
    for problem in selection.problems:
        click.echo(str(problem))
    for note in selection.notes:
        click.echo(f"note: {note}", err=True)
    broken = {problem.file for problem in selection.problems}
    files = plural(len(selection.files), "file")
    if broken:
        errors = plural(len(selection.problems), "error")
        click.echo(f"{files}: {errors} in {len(broken)}", err=True)
        return EXIT_USAGE
    click.echo(f"{files}, {plural(len(selection.cells), 'cell')}: no errors", err=True)
    return EXIT_PASS
