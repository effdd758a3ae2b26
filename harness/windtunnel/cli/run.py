"""`windtunnel run`: the options of a run; what it does is in `running`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import click

from windtunnel.cli.arguments import selecting
from windtunnel.cli.sections import SectionedCommand

if TYPE_CHECKING:
    from windtunnel.scenario.selecting.selection import Request
    from windtunnel.world import Keep, TieOrder

_MOST_EXPLORED = 10_000  # as a file may say
_SECTIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "Which cells": ("expression", "world", "policy", "scheduler", "allow_code", "seed"),
        "How they are played": (
            "jobs",
            "maxfail",
            "ties",
            "tie_seed",
            "explore",
            "verify_determinism",
        ),
        "On a real display (cells of the world `real`)": (
            "display",
            "driver",
            "window_manager",
            "frames",
            "frames_dir",
        ),
        "What is written": ("json", "junit", "trace", "tables"),
    }
)


@click.command(cls=SectionedCommand, sections=_SECTIONS, short_help="Run scenarios and judge them.")
@selecting
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes (default: the processors that may be used; 1 with --display).",
)
@click.option(
    "--ties",
    type=click.Choice(["fifo", "lifo", "seeded"]),
    help="Who goes first of what is ready at one instant, where a file does not say it itself.",
)
@click.option(
    "--tie-seed",
    type=click.IntRange(0, 2**63 - 1),
    metavar="N",
    help="Seed of --ties seeded; with --explore, of the first order.",
)
@click.option(
    "--explore",
    type=click.IntRange(1, _MOST_EXPLORED),
    metavar="N",
    help="Play each cell in N orders of what is ready at one instant, by a seed each.",
)
@click.option(
    "--display",
    metavar=":N",
    help="Play on this display, which is there, one cell at a time; else each cell has its own.",
)
@click.option(
    "--driver", metavar="NAME", help="What moves the pointer and presses the keys (xtest)."
)
@click.option(
    "--window-manager",
    metavar="NAME",
    help="The window manager on the display of a cell (default: none).",
)
@click.option(
    "--frames",
    type=click.Choice(["none", "failed", "all"]),
    help="Of which runs the pictures before and after each step are kept (failed).",
)
@click.option(
    "--frames-dir",
    metavar="DIR",
    help="Where they are kept, a folder for each run (windtunnel-frames).",
)
@click.option("--json", metavar="FILE", help="Write result lines (NDJSON); - is standard output.")
@click.option("--junit", metavar="FILE", help="Write a JUnit report.")
@click.option("--trace", metavar="FILE", help="Write every cell's events (NDJSON).")
@click.option(
    "--maxfail",
    type=click.IntRange(min=1),
    metavar="N",
    help="Stop after N cells that did not pass.",
)
@click.option(
    "--tables",
    is_flag=True,
    help="Print every table of cases: each row with what came of it.",
)
@click.option(
    "--verify-determinism",
    is_flag=True,
    help="Run all twice more in fresh processes and compare the traces.",
)
def command(  # noqa: PLR0913 - one parameter for each option
    request: Request,
    *,
    jobs: int | None,
    ties: TieOrder | None,
    tie_seed: int | None,
    explore: int | None,
    display: str | None,
    driver: str | None,
    window_manager: str | None,
    frames: Keep | None,
    frames_dir: str | None,
    json: str | None,
    junit: str | None,
    trace: str | None,
    maxfail: int | None,
    tables: bool,
    verify_determinism: bool,
) -> int:
    """Run the scenarios of PATHS (files or folders; without any, the bundled ones) and judge them.

    Each cell runs in a worker process with a limit on its time. Results are told in the order of
    the cells, whatever the number of jobs.
    """
    from windtunnel.cli.real_options import RealOptions
    from windtunnel.cli.running import Options, run
    from windtunnel.cli.ties import TieOptions

    order = TieOptions(ties, tie_seed, explore)
    order.check()
    real = RealOptions(display, driver, window_manager, frames, frames_dir)
    real.check(jobs)
    options = Options(jobs, json, junit, trace, maxfail, verify_determinism, order, tables, real)
    return run(request, options)
