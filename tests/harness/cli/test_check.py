"""`windtunnel check`: every error of every file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Write = Callable[[str, str], Path]
Call = Callable[..., Result]


def test_all_errors_of_all_files(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass broken broken")
    fakes("b.yaml", "pass")
    fakes("c.yaml", "broken")
    result = call("check", ".")
    assert result.exit_code == 2
    assert result.stdout.splitlines() == [
        "a.yaml:2:1: error: this line is broken",
        "a.yaml:3:1: error: this line is broken",
        "c.yaml:1:1: error: this line is broken",
    ]
    assert result.stderr == "3 files: 3 errors in 2\n"


def test_no_error(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass pass")
    result = call("check", "a.yaml")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "1 file, 2 cells: no errors\n"


def test_a_foreign_scheduler_is_checked_without_being_imported(call: Call, tmp_path: Path) -> None:
    from windtunnel.scenario.selecting.files import bundled_root

    text = next(bundled_root().rglob("*.yaml")).read_text()
    path = tmp_path / "foreign.yaml"
    path.write_text(text + "\nscheduler: nowhere.to.be:Found\n")
    assert call("check", str(path)).exit_code == 0
    refused = call("run", str(path))
    assert refused.exit_code == 2
    assert "--allow-code" in refused.stderr


def test_the_bundled_scenarios_are_right(call: Call) -> None:
    assert call("check").exit_code == 0
