"""The given: plain data, with the profile's figures and the documents' where something is left."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.machine.given import Given, read_given
from windtunnel.spans import Span, as_span
from windtunnel.units import SECOND
from windtunnel_models.profile import Profile, default


@pytest.mark.parametrize("given", [None, {}, {"wechat": {}, "latencies": {}, "wiring": "after"}])
def test_what_is_left_out(given: dict[str, Any] | None) -> None:
    assert read_given(given, default()) == Given(
        state="logged_in",
        running=True,
        session=None,
        restores_login=True,
        autostart=default().autostart,
        start_up=default().start_up,
        missing_window=default().missing_window,
        friend_requests=(),
        latencies={},
    )


@pytest.mark.parametrize(
    ("autostart", "read"),
    [
        (None, None),
        (3 * SECOND, as_span(3 * SECOND)),
        ({"min": 1, "max": 2}, Span.model_construct(min=1, max=2)),
    ],
)
def test_autostart(autostart: Any, read: Span | None) -> None:
    assert read_given({"wechat": {"autostart": autostart}}, default()).autostart == read


def test_friend_requests_come_in_their_order() -> None:
    requests = [{"at": 2, "from": "b"}, {"at": 1, "from": "c"}, {"at": 2, "from": "a"}]
    given = read_given({"wechat": {"friend_requests": requests}}, default())
    assert given.friend_requests == ((1, "c"), (2, "b"), (2, "a"))


def test_what_a_scenario_says_is_understood() -> None:
    """The models of the system and this reading are one contract."""
    from windtunnel.systems.ui import given as system

    text = {
        "wechat": {
            "state": "qr",
            "running": False,
            "autostart": {"min": "5s", "max": "6s"},
            "start_up": "3s",
            "missing_window": "0s",
            "session": "bob",
            "restores_login": False,
            "friend_requests": [{"at": "1s", "from": "ann"}],
        },
        "latencies": {"click": "1s", "verify": {"min": "1s", "max": "2s"}},
    }
    given = read_given(system.Given.model_validate(text).model_dump(), default())
    assert given == Given(
        state="qr",
        running=False,
        session="bob",
        restores_login=False,
        autostart=Span.model_construct(min=5 * SECOND, max=6 * SECOND),
        start_up=3 * SECOND,
        missing_window=0,
        friend_requests=((SECOND, "ann"),),
        latencies={"click": SECOND, "verify": {"min": SECOND, "max": 2 * SECOND}},
    )


def test_every_figure_of_a_profile_can_be_said_by_a_scenario() -> None:
    """So that what was measured elsewhere reaches a scenario, by `include`."""
    from windtunnel.systems.ui import given as system

    figures = {
        "latencies": {"click": "7ms", "capture": {"min": "8ms", "max": "9ms"}},
        "start_up": "3s",
        "autostart": {"min": "6s", "max": "7s"},
        "missing_window": "2s",
    }
    assert figures.keys() == Profile.model_fields.keys()
    measured = Profile.model_validate(figures)
    wechat = {key: figure for key, figure in figures.items() if key != "latencies"}
    said = system.Given.model_validate({"latencies": figures["latencies"], "wechat": wechat})
    given = read_given(said.model_dump(), default())
    assert {name: as_span(time) for name, time in given.latencies.items()} == measured.latencies
    assert (given.start_up, given.autostart, given.missing_window) == (
        measured.start_up,
        measured.autostart,
        measured.missing_window,
    )
