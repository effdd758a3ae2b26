"""`windtunnel kinds`: the table of trace events, as the trace itself defines it."""

from __future__ import annotations

import click


@click.command(short_help="Print the table of trace events.")
def command() -> None:
    """Print each kind of trace event: who records it, its fields, its details."""
    from windtunnel.kinds import KINDS

    for name, kind in KINDS.items():
        click.echo(f"{name}  ({kind.origin})")
        click.echo(f"    {kind.summary}")
        if kind.fields:
            click.echo(f"    fields: {', '.join(field.rstrip('_') for field in kind.fields)}")
        for detail, meaning in kind.details.items():
            click.echo(f"    details.{detail}: {meaning}")
