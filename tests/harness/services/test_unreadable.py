"""The unreadable: one entry that cannot be read keeps no other from being read."""

from __future__ import annotations

import json

import pytest

from windtunnel.services.unreadable import Unreadable, sorted_out

pytestmark = pytest.mark.spec("RT-X2", "RT-B4")


def test_the_readable_are_read_in_order_and_the_others_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    rows = [("a", "1"), ("b", "x"), ("c", "[]"), ("d", "{}"), ("e", "5"), ("f", "[" * 100_000)]
    broken: list[Unreadable] = []

    def read(id_: str, text: str) -> str:
        value = json.loads(text)
        return f"{id_}{value['n'] if isinstance(value, dict) else value + 0}"

    assert sorted_out("k", rows, read, broken) == [("a", "a1"), ("e", "e5")]
    assert [(one.key, one.id) for one in broken] == [("k", "b"), ("k", "c"), ("k", "d"), ("k", "f")]
    assert [record.args[0] for record in caplog.records if record.args] == ["b", "c", "d", "f"]  # type: ignore[index]
