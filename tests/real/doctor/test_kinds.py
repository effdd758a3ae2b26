"""The table of kinds: each is told apart, and whatever can go wrong says what that spoils."""

from __future__ import annotations

from windtunnel_real.doctor.examine import ONE_WAY_ONLY, OWN_ONLY, PROBES
from windtunnel_real.doctor.kinds import KINDS
from windtunnel_real.doctor.live import BY_PACKAGES


def test_titles_differ_and_fit_a_column() -> None:
    titles = [kind.title for kind in KINDS.values()]
    assert len(set(titles)) == len(titles)
    assert max(map(len, titles)) <= 20


def test_every_kind_says_what_it_spoils_in_one_clause() -> None:
    for kind in KINDS.values():
        assert kind.breaks
        assert kind.breaks[-1] not in ".;"
        assert "\n" not in kind.breaks + kind.mend


def test_kinds_of_one_place_stand_together() -> None:
    places = [kind.place for kind in KINDS.values()]
    assert list(dict.fromkeys(places)) == ["programs", "packages", "machine", "display"]
    assert places == sorted(places, key=list(dict.fromkeys(places)).index)


def test_no_probe_looks_for_what_is_no_kind() -> None:
    assert {*PROBES, *BY_PACKAGES, *OWN_ONLY, *ONE_WAY_ONLY} <= KINDS.keys()
    without_display = {name for name, kind in KINDS.items() if kind.place != "display"}
    assert PROBES.keys() == without_display
