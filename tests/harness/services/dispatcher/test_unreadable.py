"""The unreadable: one entry that cannot be read keeps no other from being read."""

from __future__ import annotations

import pytest

from windtunnel.ports.store import Drop, Put
from windtunnel.services.dispatcher.unreadable import set_aside
from windtunnel.services.unreadable import Unreadable

pytestmark = pytest.mark.spec("RT-X2", "RT-B4")


def test_what_is_set_aside_is_kept_as_it_was() -> None:
    drop, put = set_aside(Unreadable("k", "b", "x"))
    assert drop == Drop("k", "b")
    assert put == Put("md:broken", "k/b", '{"table":"k","id":"b","text":"x"}')
