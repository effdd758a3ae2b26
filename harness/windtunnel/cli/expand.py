"""`windtunnel expand`: the cells that a run would play, without playing them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from windtunnel.cli.arguments import selecting
from windtunnel.cli.exit_codes import EXIT_NOTHING, EXIT_PASS, EXIT_USAGE

if TYPE_CHECKING:
    from windtunnel.scenario.cells import Cell
    from windtunnel.scenario.selecting.selection import Request


@click.command(short_help="Show the cells without running them.")
@selecting
@click.option("--json", "as_json", is_flag=True, help="One JSON object per cell and line.")
def command(request: Request, *, as_json: bool) -> int:
    """Show the cells that `windtunnel run` would play with the same arguments."""
    import json

    from windtunnel.cli.cell_json import cell_json
    from windtunnel.cli.summaries import short_form
    from windtunnel.scenario.selecting.selection import select

    selection = select(request)
    for problem in selection.problems:
        click.echo(str(problem), err=True)
    for cell in selection.cells:
        if as_json:
            click.echo(json.dumps(cell_json(cell), default=str))
        else:
            scheduler = f", {cell.scheduler}" if cell.scheduler else ""
            click.echo(
                f"{short_form(cell.file)}:{cell.line}: {cell.name}"
                f"  ({cell.world}, {cell.policy}{scheduler}, seed {cell.seed}{_further(cell)})"
            )
    if selection.problems:
        return EXIT_USAGE
    return EXIT_PASS if selection.cells else EXIT_NOTHING


def _further(cell: Cell) -> str:
    """Return what else tells how a cell is played, where it is out of the ordinary."""
    said = {
        cell.status: cell.status != "active",
        f"{len(cell.faults)} fault{'s' * (len(cell.faults) != 1)}": bool(cell.faults),
        f"ties {cell.ties.order}": cell.ties.order != "fifo",
        f"{cell.explore} orders": bool(cell.explore),
        f"{cell.repeats.pass_at_least} of {cell.repeats.repeat} plays": cell.repeats.repeat > 1,
        f"requires {', '.join(cell.requires)}": bool(cell.requires),
    }
    return "".join(f", {text}" for text, shown in said.items() if shown)
