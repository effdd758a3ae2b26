"""`windtunnel schema`: the JSON Schema of scenario files, for editors."""

from __future__ import annotations

import click


@click.command(short_help="Print the JSON Schema of scenario files.")
def command() -> None:
    """Print the JSON Schema of scenario files, by which an editor completes and validates.

    With the YAML language server, the first line of a file names it:

    \b
    # yaml-language-server: $schema=windtunnel.schema.json
    """  # noqa: D301 - click's mark, not a backslash
    import json

    from windtunnel.scenario.schema import json_schema

    click.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
