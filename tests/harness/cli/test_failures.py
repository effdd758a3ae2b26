"""What a command raises: the message, the exit code, and no traceback."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from windtunnel.cli.failures import DEBUG, ClosedStreamError, exit_code_of
from windtunnel.errors import PluginError, WorldUnavailableError


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (click.UsageError("no such thing"), 2, "Error: no such thing"),
        (PluginError("no such plug-in"), 2, "Error: no such plug-in"),
        (WorldUnavailableError("no display"), 4, "Error: no display"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.Abort(), 130, "interrupted"),
        (ValueError("a\nb"), 70, "Error: internal error: ValueError: a b — please report it"),
        (RecursionError(), 70, "internal error: RecursionError"),
    ],
)
def test_each_error_has_its_code(
    capsys: pytest.CaptureFixture[str], error: BaseException, code: int, message: str
) -> None:
    def command() -> None:
        raise error

    assert exit_code_of(command) == code
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said


def test_the_traceback_is_shown_on_demand(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DEBUG, "1")

    def command() -> None:
        raise ValueError("a fault")

    assert exit_code_of(command) == 70
    assert "in command" in capsys.readouterr().err


@pytest.mark.parametrize("error", [BrokenPipeError(), ClosedStreamError()])
def test_a_reader_that_leaves_is_no_error(
    capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def command() -> None:
        raise error

    assert exit_code_of(command) == 141
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (5, 5)])
def test_what_a_command_returns_is_its_code(returned: int | None, code: int) -> None:
    command: Callable[[], int | None] = lambda: returned  # noqa: E731 - as short as it is
    assert exit_code_of(command) == code


@pytest.mark.parametrize("command", ["kinds", "list"])
def test_a_reader_that_leaves_is_told_nothing(environment: dict[str, str], command: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "windtunnel", command],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        said = child.stderr.read()
    assert (child.returncode, said) == (141, "")


def test_a_closed_standard_output_is_written_nowhere(environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", '"$0" -m windtunnel list >&-', sys.executable],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
@pytest.mark.parametrize("command", ["schema", "list"])
def test_a_full_disk_is_told(environment: dict[str, str], command: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "windtunnel", command],
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "Error: cannot write to standard output: No space left on device\n"


def test_a_terminal_that_lacks_characters_gets_escapes(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "windtunnel", "list"],
        env=environment | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert "scenario" in done.stdout
