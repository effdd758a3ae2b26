"""How a file is named to people, and what its scenario shows."""

from __future__ import annotations

from pathlib import Path

import pytest

import windtunnel.cli.summaries
from windtunnel.cli.summaries import short_form, summaries
from windtunnel.scenario.selecting.files import ScenarioFile, find_scenarios


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give bundled scenarios as an environment in the current folder has them."""
    root = tmp_path / "venv" / "site-packages" / "windtunnel" / "_scenarios"
    (root / "ui").mkdir(parents=True)
    (root / "ui" / "send.yaml").touch()
    monkeypatch.setattr(windtunnel.cli.summaries, "bundled_root", lambda: root)
    monkeypatch.chdir(tmp_path)
    return root


def test_a_bundled_file_is_named_from_the_root(installed: Path) -> None:
    assert short_form("venv/site-packages/windtunnel/_scenarios/ui/send.yaml") == "ui/send.yaml"
    assert short_form(str(installed / "ui" / "send.yaml")) == "ui/send.yaml"
    assert short_form("ui/send.yaml") == "ui/send.yaml"


def test_others_are_named_as_they_are(installed: Path, tmp_path: Path) -> None:
    assert short_form("mine/../send.yaml") == "mine/../send.yaml"
    assert short_form(str(tmp_path / "send.yaml")) == str(tmp_path / "send.yaml")
    (tmp_path / "ui").mkdir()
    (tmp_path / "ui" / "send.yaml").touch()
    long = str(installed / "ui" / "send.yaml")
    assert short_form(long) == long  # the short form would name another file


def test_only_what_is_wanted_is_read(tmp_path: Path) -> None:
    (bundled,) = find_scenarios(["ui/wait-timeout.yaml"]).files
    gone = ScenarioFile(tmp_path / "gone.yaml", "gone.yaml", tmp_path)
    assert summaries([bundled, gone], ()) == {}
    found = summaries([bundled, gone], {bundled.display, "gone.yaml"})
    assert list(found) == [bundled.display]
    assert found[bundled.display].strip()
