"""`windtunnel completion`: the script, and what it asks of us."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from click.testing import Result


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_calls_our_program(call: Callable[..., Result], shell: str) -> None:
    script = call("completion", shell).stdout
    assert f"_WINDTUNNEL_COMPLETE={shell}_complete" in script


def test_an_unknown_shell_is_told(call: Callable[..., Result]) -> None:
    result = call("completion", "tcsh")
    assert result.exit_code == 2
    assert "'tcsh' is not one of" in result.stderr


def test_it_completes(environment: dict[str, str]) -> None:
    asked = {
        "_WINDTUNNEL_COMPLETE": "bash_complete",
        "COMP_WORDS": "windtunnel ex",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "windtunnel"],
        env=environment | asked,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("plain,expand\n", "")
