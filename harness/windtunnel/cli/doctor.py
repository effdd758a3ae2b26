"""`windtunnel doctor`: the options, the table and the lines that mend; what it tells is plain data.

Imports click; in its body rich and what the real world has for it, by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import click

from windtunnel.cli.exit_codes import EXIT_ENVIRONMENT, EXIT_PASS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

Row = Mapping[str, Any]
"""As `windtunnel_real.doctor.examine` returns them."""
_STYLES: Final[Mapping[str, str]] = MappingProxyType(
    {"ok": "green", "warn": "bold yellow", "bad": "bold red", "unseen": "cyan"}
)
_NOTED: Final = ("bad", "warn")
"""States that are told in full below the table, the gravest first."""


@click.command(short_help="Say whether the real world can run here.")
@click.option(
    "--display",
    metavar=":N",
    help="Examine this display (XAUTHORITY may name its cookie) in the place of one of our own.",
)
@click.option(
    "--json",
    metavar="[FILE]",
    is_flag=False,
    flag_value="-",
    help="Write a line for each row (NDJSON), to standard output if no file is named.",
)
def command(*, display: str | None, json: str | None) -> int:
    """Look for what would spoil a run on a real display, and say what mends each of it.

    `ok`; `warn`: worth knowing, and the real world runs; `bad`: it cannot run; `unseen`: not looked
    at, for the reason that is told. Our own display is started and ended; on one that was named a
    small window is shown for a moment and clicked on. Nothing is installed or changed.

    Exit code 0 when the real world can run, 4 when it cannot.
    """
    import sys

    from windtunnel.builtin import load_plugin
    from windtunnel.cli.output_file import OutputFile, refuse_scenario
    from windtunnel.cli.sinks import STDOUT, to_json
    from windtunnel.cli.texts import console_for

    if json is not None:
        refuse_scenario(json)
    output = None if json in (None, STDOUT) else OutputFile("--json", json or "")
    rows: Sequence[Row] = load_plugin("doctors", "real")(display)
    lines = "".join(to_json({"v": 1, **row}) + "\n" for row in rows)
    if output is not None:
        output.write(lines)
        output.commit()
    elif json == STDOUT:
        click.echo(lines, nl=False)
    able = all(row["state"] != "bad" for row in rows)
    _print(console_for(sys.stderr if json == STDOUT else sys.stdout), rows, able=able)
    return EXIT_PASS if able else EXIT_ENVIRONMENT


def _print(console: Console, rows: Sequence[Row], *, able: bool) -> None:
    from windtunnel.cli.texts import plain, print_table

    print_table(console, _table(rows))
    for state in _NOTED:
        for row in (row for row in rows if row["state"] == state):
            _explain(console, row)
    console.print()
    console.print(plain(_summary(rows, able=able), "green" if able else "bold red"))


def _table(rows: Sequence[Row]) -> Table:
    from rich import box
    from rich.table import Table

    from windtunnel.cli.texts import plain

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("state", no_wrap=True)
    table.add_column("what", no_wrap=True)
    table.add_column("seen", overflow="fold")
    place = rows[0]["place"] if rows else ""
    for row in _folded(rows):
        if row["place"] != place:
            table.add_section()
            place = row["place"]
        state = plain(row["state"], _STYLES[row["state"]])
        table.add_row(state, plain(row["title"]), plain(row["seen"]))
    return table


def _folded(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows, those that were not looked at for one and the same reason as one."""
    unseen = [(row["place"], row["seen"]) for row in rows if row["state"] == "unseen"]
    told = set()
    for row in rows:
        why = (row["place"], row["seen"])
        if row["state"] != "unseen" or unseen.count(why) == 1:
            yield row
        elif why not in told:
            told.add(why)
            yield {**row, "title": f"{unseen.count(why)} others"}


def _explain(console: Console, row: Row) -> None:
    from windtunnel.cli.texts import hanging, plain

    console.print()
    head = plain(f"{row['state']:4}  ", _STYLES[row["state"]]) + plain(row["title"], "bold")
    hanging(console, head + plain(f": {row['breaks']}"), others=6)
    if row["mend"]:
        console.print(plain(f"      {row['mend']}"), soft_wrap=True)  # whole, to be copied


def _summary(rows: Sequence[Row], *, able: bool) -> str:
    counted = ", ".join(_counts(rows))
    return f"the real world {'can' if able else 'cannot'} run here: {counted}"


def _counts(rows: Sequence[Row]) -> Iterator[str]:
    for state in _STYLES:
        count = sum(row["state"] == state for row in rows)
        if count:
            yield f"{count} {state}"
