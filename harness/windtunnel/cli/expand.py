"""`windtunnel expand`: the cells that a run would play, without playing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

    from windtunnel.scenario.selecting.selection import select

    selection = select(request)
    for problem in selection.problems:
        click.echo(str(problem), err=True)
    for cell in selection.cells:
        if as_json:
            click.echo(json.dumps(_as_json(cell), default=str))
        else:
            scheduler = f", {cell.scheduler}" if cell.scheduler else ""
            click.echo(
                f"{cell.file}:{cell.line}: {cell.name}"
                f"  ({cell.world}, {cell.policy}{scheduler}, seed {cell.seed})"
            )
    if selection.problems:
        return EXIT_USAGE
    return EXIT_PASS if selection.cells else EXIT_NOTHING


def _as_json(cell: Cell) -> dict[str, Any]:
    return {
        "v": 1,
        "scenario": cell.scenario,
        "file": cell.file,
        "line": cell.line,
        "name": cell.name,
        "cell": dict(cell.axes),
        "world": cell.world,
        "system": cell.system,
        "policy": cell.policy,
        "scheduler": cell.scheduler,
        "seed": cell.seed,
        "covers": list(cell.covers),
        "tags": list(cell.tags),
        "checks": [expectation.check for expectation in cell.expect],
    }
