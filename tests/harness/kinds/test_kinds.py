"""The kinds of event: the table is complete, and names nothing that an event has not."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from windtunnel import kinds
from windtunnel.kinds import KINDS, Origin
from windtunnel.kinds.bridge import BRIDGE
from windtunnel.kinds.common import COMMON
from windtunnel.kinds.desktop import DESKTOP
from windtunnel.kinds.routing import ROUTING
from windtunnel.trace import Event


def test_the_table_of_kinds_is_complete() -> None:
    fields = set(Event._fields)
    for name, kind in KINDS.items():
        assert kind.summary, name
        assert kind.origin in get_args(Origin), name
        assert set(kind.fields) <= fields, name
        assert all(kind.details.values()), name


def test_names_are_of_the_form_that_event_names_take() -> None:
    for name in KINDS:
        assert re.fullmatch(r"[a-z]+\.[a-z_]+", name), name


def test_who_acts_on_the_world_is_told_where_it_is_an_operation() -> None:
    for name in ("message.delivered", "friend.accepted", "text.misplaced", "click.missed"):
        assert {"op", "class_", "resource"} <= set(KINDS[name].fields), name


def test_a_plug_in_adds_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "_kinds", added := dict(kinds.KINDS))
    row = kinds.Kind("a courier arrives", "system", ("op",))
    kinds.declare({"courier.arrived": row})
    kinds.declare({"courier.arrived": row})  # each worker loads the plug-in
    assert added["courier.arrived"] is row


def test_a_name_means_one_thing() -> None:
    with pytest.raises(ValueError, match=r"named 'call\.started' already"):
        kinds.declare({"call.started": kinds.Kind("a telephone rings", "world")})
    assert KINDS["call.started"].summary == "a timeline call begins"


def test_no_part_takes_another_s_name() -> None:
    parts = [COMMON, DESKTOP, BRIDGE, ROUTING]
    assert sum(map(len, parts)) == len({name for part in parts for name in part})
