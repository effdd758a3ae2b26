"""The arguments that commands share: the request they make, and names that nothing knows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from windtunnel.cli.arguments import selecting
from windtunnel.scenario.selecting.selection import Request

HANGS = "while True: pass"


@click.command()
@selecting
def probe(request: Request) -> None:
    """Print the request."""
    click.echo(repr(request))


def asked(*arguments: str) -> Result:
    return CliRunner().invoke(probe, arguments)


def test_nothing_given_is_an_empty_request() -> None:
    assert asked().stdout == f"{Request()!r}\n"


def test_everything_given_is_in_the_request() -> None:
    result = asked("a", "b", "-k", "x", "--world", "sim", "--policy", "specified", "--seed", "3")
    assert result.stdout == f"{Request(('a', 'b'), 'x', 'sim', 'specified', None, 3)!r}\n"


def test_a_scheduler_on_the_command_line_is_allowed_to_be_code() -> None:
    request = Request(scheduler="json:JSONDecoder", allow_code=True)
    assert asked("--scheduler", "json:JSONDecoder").stdout == f"{request!r}\n"


def test_classes_are_found_where_the_command_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    Path("my_own.py").write_text("class Mine: ...\n")
    assert asked("--scheduler", "my_own:Mine").exit_code == 0
    assert "has no 'Thine'" in asked("--scheduler", "my_own:Thine").stderr
    assert "my_own" not in sys.modules


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def", "SyntaxError"),
        ("import sys; sys.exit(3)", "exit code 3"),
        ("import os; os.abort()", "exit code -6"),
    ],
)
def test_a_module_that_cannot_be_imported_is_a_mistake_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text(source)
    result = asked("--scheduler", "bad:Class")
    assert result.exit_code == 2
    assert "importing 'bad:Class'" in result.stderr
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_module_that_hangs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import windtunnel.cli.arguments

    monkeypatch.setattr(windtunnel.cli.arguments, "_IMPORT_LIMIT", 1)
    monkeypatch.chdir(tmp_path)
    Path("hanging.py").write_text(HANGS)
    result = asked("--scheduler", "hanging:Class")
    assert result.exit_code == 2
    assert "'hanging:Class' is still being imported after 1 s" in result.stderr


def test_a_world_that_is_not_installed_has_its_own_code(
    monkeypatch: pytest.MonkeyPatch, call: Callable[..., Result]
) -> None:
    import windtunnel.builtin

    worlds = {"worlds": {"real": "nowhere.to.be:World"}}
    monkeypatch.setattr(windtunnel.builtin, "BUILTIN", {**windtunnel.builtin.BUILTIN, **worlds})
    result = call("run", "--world", "real")
    assert result.exit_code == 4
    assert result.stderr.startswith("Error: the real world is not part of this installation")
