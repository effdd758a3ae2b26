"""The kinds of event: the table is complete, and names nothing that an event has not."""

from __future__ import annotations

import re
from typing import get_args

from windtunnel.kinds import KINDS, Origin
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
