"""The given: plain data, with the profile's figures and the documents' where something is left."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.units import SECOND
from windtunnel_models.given import Given, read_given
from windtunnel_models.profile import Range, as_range, default


@pytest.mark.parametrize("given", [None, {}, {"wechat": {}, "latencies": {}, "wiring": "after"}])
def test_what_is_left_out(given: dict[str, Any] | None) -> None:
    assert read_given(given, default()) == Given(
        state="logged_in",
        running=True,
        session=None,
        restores_login=True,
        autostart=default().autostart,
        friend_requests=(),
        latencies={},
    )


@pytest.mark.parametrize(
    ("autostart", "read"),
    [
        (None, None),
        (3 * SECOND, as_range(3 * SECOND)),
        ({"min": 1, "max": 2}, Range.model_construct(min=1, max=2)),
    ],
)
def test_autostart(autostart: Any, read: Range | None) -> None:
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
        autostart=Range.model_construct(min=5 * SECOND, max=6 * SECOND),
        friend_requests=((SECOND, "ann"),),
        latencies={"click": SECOND, "verify": {"min": SECOND, "max": 2 * SECOND}},
    )
