"""WeChat at the start: what is so unless said, and the plain data that the world reads."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from windtunnel.systems.ui.wechat_given import WechatGiven
from windtunnel.units import SECOND


@pytest.mark.spec("UI-F2")
def test_what_is_so_unless_said() -> None:
    assert WechatGiven().model_dump() == {
        "state": "logged_in",
        "running": True,
        "autostart": "profile",
        "start_up": None,
        "missing_window": None,
        "session": None,
        "restores_login": True,
        "friend_requests": (),
    }


def test_plain_data_with_the_names_of_the_file() -> None:
    said = {
        "autostart": "7s",
        "missing_window": "5s",
        "friend_requests": [{"at": "1s", "from": "carol"}],
    }
    data = WechatGiven.model_validate(said).model_dump()
    assert (data["autostart"], data["missing_window"]) == (7 * SECOND, 5 * SECOND)
    assert data["friend_requests"] == ({"at": SECOND, "from": "carol"},)
    assert WechatGiven(autostart=None).model_dump()["autostart"] is None


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ({"state": "asleep"}, "state"),
        ({"autostart": 5}, "autostart"),
        ({"missing_window": "5.1s"}, "missing_window"),
        ({"missing_window": 1}, "missing_window"),
        ({"start_up": {"min": "1s", "max": "2s"}}, "start_up"),
        ({"friend_requests": [{"at": "1s"}]}, "friend_requests.0.from"),
        ({"friend_requests": [{"at": "1s", "from": ""}]}, "friend_requests.0.from"),
        ({"friend_requests": [{"at": "1s", "sender": "bob"}]}, "friend_requests.0"),
        ({"windows": 2}, "windows"),
    ],
)
def test_what_makes_no_sense_is_refused_where_it_stands(said: dict[str, Any], where: str) -> None:
    with pytest.raises(ValidationError) as refused:
        WechatGiven.model_validate(said)
    places = [".".join(map(str, error["loc"])) for error in refused.value.errors()]
    assert all(place.startswith(where) for place in places), places
