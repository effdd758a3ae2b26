"""The arguments that commands share, and the request they make. Imports click at load."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from windtunnel.scenario.selecting.selection import Request

Command = Callable[..., Any]

_PATHS: Final = click.argument("paths", nargs=-1, type=click.Path())
_EXPRESSION: Final = click.option(
    "-k",
    "expression",
    metavar="EXPR",
    help="Only cells whose `file scenario[axes] tags covers` match: words with and, or, not, (), "
    'such as "logout and not before".',
)
_OVERRIDES: Final = (
    click.option("--world", metavar="NAME", help="Run in this world: sim, real."),
    click.option("--policy", metavar="NAME", help="Run with this named set of options: specified."),
    click.option(
        "--scheduler",
        metavar="MODULE:CLASS",
        help="Test this scheduler class of yours; it is imported and run.",
    ),
    click.option("--allow-code", is_flag=True, help="Let files name scheduler classes to import."),
    click.option(
        "--seed", type=click.IntRange(0, 2**63 - 1), metavar="N", help="Root of all randomness (0)."
    ),
)

_IMPORT_LIMIT: Final = 60
"""Seconds that a user's module may take to be imported."""
_IMPORT: Final = """
import sys
from windtunnel.builtin import load_object
from windtunnel.errors import PluginError
try:
    load_object(sys.argv[1])
except PluginError as error:
    sys.exit(str(error))
"""


def paths_argument(function: Command) -> Command:
    """Add PATHS: files or folders; none stands for the bundled scenarios."""
    return _PATHS(function)


def selecting(function: Command) -> Command:
    """Add PATHS, -k and the overrides; the function takes them as one `request`."""

    @functools.wraps(function)
    def wrapper(
        paths: tuple[str, ...],
        expression: str | None,
        world: str | None,
        policy: str | None,
        scheduler: str | None,
        *,
        allow_code: bool,
        seed: int | None,
        **others: object,
    ) -> object:
        from windtunnel.scenario.selecting.selection import Request

        request = Request(
            paths, expression, world, policy, scheduler, seed, allow_code or scheduler is not None
        )
        _check(request)
        return function(request, **others)

    decorated: Command = wrapper
    for option in (*reversed(_OVERRIDES), _EXPRESSION, _PATHS):
        decorated = option(decorated)
    return decorated


def _check(request: Request) -> None:
    """Raise a usage error for a name that nothing knows, before any file is read."""
    from windtunnel.builtin import load_plugin, names
    from windtunnel.scenario.selecting.filters import FilterError, parse_filter
    from windtunnel.scenario.systems import load_system

    if request.expression is not None:
        try:
            parse_filter(request.expression)
        except FilterError as error:
            raise click.BadParameter(str(error), param_hint="'-k'") from error
    if request.world is not None:
        _known("--world", request.world, names("worlds"))
        load_plugin("worlds", request.world)  # a world that is not here: exit code 4
    if request.policy is not None:
        systems = [load_system(name) for name in names("systems")]
        known = sorted({name for system in systems for name in system.policies})
        _known("--policy", request.policy, tuple(known))
    if request.allow_code:
        _import_from_here()
    if request.scheduler is not None:
        _check_scheduler(request.scheduler)


def _known(option: str, value: str, names: tuple[str, ...]) -> None:
    if value not in names:
        raise click.BadParameter(f"{value!r} is not one of {', '.join(names)}", param_hint=option)


def _import_from_here() -> None:
    """Let the user's classes be found where the command is called, as `python -m` does."""
    if not {"", str(Path.cwd())} & set(sys.path):
        sys.path.insert(0, str(Path.cwd()))


def _check_scheduler(target: str) -> None:
    """Refuse a class that cannot be imported. It is tried elsewhere: it may hang, print or exit."""
    import os
    import subprocess

    path = os.pathsep.join(part or str(Path.cwd()) for part in sys.path)
    try:
        done = subprocess.run(  # noqa: S603 - our own program, and the class the user asks for
            [sys.executable, "-c", _IMPORT, target],
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_IMPORT_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"{target!r} is still being imported after {_IMPORT_LIMIT} s"
        raise click.BadParameter(message, param_hint="--scheduler") from None
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise click.BadParameter(f"importing {target!r}: {last[0]}", param_hint="--scheduler")
