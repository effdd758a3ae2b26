"""The group of commands: what `--help` loads, and that the table of commands is true."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import click
import pytest
from click.testing import Result

from windtunnel.cli import COMMANDS, cli, main

Call = Callable[..., Result]
HEAVY = (
    "pathlib",
    "pydantic",
    "yaml",
    "simpy",
    "asyncio",
    "rich",
    "multiprocessing",
    "windtunnel.scenario",
)


def test_help_names_every_command(call: Call) -> None:
    out = call("--help").stdout
    assert all(f"  {name} " in out and summary in out for name, summary in COMMANDS.items())


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_what_the_table_says(name: str, call: Call) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.get_short_help_str(200) == COMMANDS[name]
    assert call(name, "--help").exit_code == 0


def test_help_loads_nothing_heavy(environment: dict[str, str]) -> None:
    look = (
        "import sys\nfrom windtunnel.cli import main\n"
        "try: main(['--help'])\nfinally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", look], env=environment, capture_output=True, text=True, check=True
    )
    loaded = done.stderr.split()
    assert "windtunnel.cli" in loaded
    assert [name for name in loaded if name.startswith(HEAVY)] == []


def test_an_unknown_command_is_told(call: Call) -> None:
    result = call("rnu")
    assert result.exit_code == 2
    assert "No such command 'rnu'" in result.stderr


def test_the_version_is_told(call: Call) -> None:
    from windtunnel import __version__

    assert call("--version").stdout == f"windtunnel {__version__}\n"


def test_main_exits_with_the_code(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", "nowhere"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("Error: 'nowhere'")


def test_the_package_is_a_program(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "windtunnel", "run", "nowhere"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: 'nowhere'")
