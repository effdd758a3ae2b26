"""`windtunnel list`: scenarios, what they cover, and how many cells they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from windtunnel.cli.arguments import paths_argument
from windtunnel.cli.exit_codes import EXIT_PASS, EXIT_USAGE

if TYPE_CHECKING:
    from windtunnel.scenario.selecting.files import ScenarioFile


@click.command(short_help="List scenarios and what they cover.")
@paths_argument
def command(paths: tuple[str, ...]) -> int:
    """List the scenarios of PATHS (files or folders); without any, the bundled ones."""
    import sys

    from rich import box
    from rich.table import Table

    from windtunnel.cli.texts import console_for, plain, plural, print_table
    from windtunnel.errors import Problem, ScenarioError
    from windtunnel.scenario.selecting.files import find_scenarios

    found = find_scenarios(paths)
    console = console_for(sys.stdout)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for name in ("scenario", "system", "covers"):
        table.add_column(name, overflow="fold")
    table.add_column("cells", justify="right", no_wrap=True)
    table.add_column("summary", overflow="fold")
    problems: list[Problem] = []
    for file in found.files:
        try:
            table.add_row(*map(plain, _row(file)))
        except ScenarioError as error:
            problems.extend(error.problems)
    if table.row_count:
        print_table(console, table)
        console.print(plural(table.row_count, "scenario"))
    for line in [*problems, *(f"note: {note}" for note in found.notes)]:
        click.echo(str(line), err=True)
    return EXIT_USAGE if problems else EXIT_PASS


def _row(file: ScenarioFile) -> tuple[str, ...]:
    from windtunnel.scenario.expanding.cell_setup import Overrides
    from windtunnel.scenario.expanding.expansion import expand
    from windtunnel.scenario.reading.loading import load_scenario

    scenario = load_scenario(file.path, display_name=file.display, root=file.root)
    cells = expand(scenario, Overrides(allow_code=True))
    covers = ", ".join(scenario.covers)
    return (scenario.name, scenario.system.name, covers, str(len(cells)), scenario.summary)
