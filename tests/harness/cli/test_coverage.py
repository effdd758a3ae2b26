"""`windtunnel coverage`: its options reach what covers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Call = Callable[..., Result]


def test_help_says_what_counts(call: Call) -> None:
    result = call("coverage", "--help")
    assert result.exit_code == 0
    for word in ("--tests", "--results", "--catalogue", "--require-all", "--json", "Covered is"):
        assert word in result.output


@pytest.mark.parametrize("option", ["--tests", "--results", "--catalogue"])
def test_a_path_that_is_not_there(call: Call, option: str, tmp_path: Path) -> None:
    result = call("coverage", option, str(tmp_path / "gone"))
    assert result.exit_code == 2
    assert "gone" in result.stderr
