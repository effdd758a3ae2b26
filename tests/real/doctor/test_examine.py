"""The examination: a row for each kind, what is grave and what is not, as plain data."""

from __future__ import annotations

import json
import os

import pytest

from windtunnel_real.doctor import examine as module
from windtunnel_real.doctor.examine import ONE_WAY_ONLY, OWN_ONLY, PROBES, examine, row
from windtunnel_real.doctor.kinds import KINDS
from windtunnel_real.doctor.seen import Seen, bad, ok, unseen, warn


def all_well(monkeypatch: pytest.MonkeyPatch, **display: Seen) -> None:
    monkeypatch.setattr(module, "PROBES", {kind: lambda: ok("fine") for kind in PROBES})
    monkeypatch.setattr(module, "look_at_display", lambda _: display)


def test_this_machine_can_run_it() -> None:
    rows = examine()
    assert [row["id"] for row in rows] == list(KINDS)
    assert [row for row in rows if row["state"] not in {"ok", "warn"}] == []
    assert json.loads(json.dumps(rows)) == rows


def test_what_was_not_looked_at_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    all_well(monkeypatch, start=bad("none"))
    rows = {row["id"]: row for row in examine()}
    assert rows["start"]["state"] == "bad"
    others = [name for name, kind in KINDS.items() if kind.place == "display" and name != "start"]
    assert {rows[name]["state"] for name in others} == {"unseen"}
    assert {rows[name]["seen"] for name in others} == {"there is no display"}


def test_what_only_a_display_of_ours_needs_is_less_grave_on_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    all_well(monkeypatch)
    probes = {kind: lambda: bad("gone") for kind in PROBES}
    monkeypatch.setattr(module, "PROBES", probes)
    assert {row["id"]: row["state"] for row in examine(":1")}.items() >= (
        {kind: "warn" if kind in OWN_ONLY else "bad" for kind in PROBES}.items()
    )
    assert {row["state"] for row in examine() if row["id"] in PROBES} == {"bad"}
    assert {row["id"] for row in examine(":1")} == KINDS.keys() - ONE_WAY_ONLY


@pytest.mark.parametrize("seen", [ok("x"), unseen("x")])
def test_what_is_well_needs_no_mending(seen: Seen) -> None:
    assert row("xvfb", seen).keys() == {"id", "place", "title", "state", "seen"}


def test_a_line_that_the_probe_knows_takes_the_place_of_the_kinds() -> None:
    assert row("locale", warn("x"))["mend"] == KINDS["locale"].mend
    assert row("locale", warn("x", "do this"))["mend"] == "do this"


@pytest.mark.parametrize(("user", "prefix"), [(0, ""), (1000, "sudo ")])
def test_who_is_not_root_installs_by_sudo(
    user: int, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert row("xvfb", bad("x"))["mend"] == f"{prefix}{KINDS['xvfb'].mend}"
    assert row("locale", bad("x"))["mend"] == KINDS["locale"].mend
