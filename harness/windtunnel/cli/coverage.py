"""`windtunnel coverage`: the options; what it does is in `covering`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

import click

from windtunnel.cli.arguments import selecting

if TYPE_CHECKING:
    from windtunnel.scenario.selecting.selection import Request


@click.command(short_help="Show which scenarios and tests cover each requirement.")
@selecting
@click.option(
    "--tests",
    multiple=True,
    type=click.Path(exists=True),
    metavar="FOLDER",
    help="Look for `@pytest.mark.spec` below it (default: tests, where there is one).",
)
@click.option(
    "--results",
    type=click.File(encoding="utf-8"),
    metavar="FILE",
    help="Take the verdicts from what `windtunnel run --json FILE` wrote; nothing is run.",
)
@click.option(
    "--catalogue",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Requirements of yours (YAML, id: text) in the place of the bundled ones.",
)
@click.option("--require-all", is_flag=True, help="Exit with 1 if a requirement is not covered.")
@click.option("--json", metavar="FILE", help="Write a line for each requirement (NDJSON).")
def command(
    request: Request,
    *,
    tests: tuple[str, ...],
    results: TextIO | None,
    catalogue: tuple[str, ...],
    require_all: bool,
    json: str | None,
) -> int:
    """Show each requirement, the scenarios of PATHS and the tests that name it, and the verdict.

    The scenarios (files or folders; without any, the bundled ones) are run, unless --results has
    their verdicts. Covered is what a test names that is not skipped, or a scenario of which a cell
    passed or failed; `open` is what fails as it is known to. An id that no catalogue has is a
    mistake (exit code 2), in `covers` as in a test's marker.
    """
    from windtunnel.cli.covering import Options, cover

    return cover(request, Options(tests, results, catalogue, require_all, json))
