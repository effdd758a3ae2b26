"""Patch: there from the first entry to the last exit, whatever happens in between."""

from __future__ import annotations

import pytest

from windtunnel_models.loop.patches import Patch


def test_it_is_put_once_and_undone_by_the_last_to_leave() -> None:
    done: list[str] = []
    patch = Patch(lambda: done.append("put"), lambda: done.append("undone"))
    with patch.applied():
        with pytest.raises(KeyError), patch.applied():
            raise KeyError
        assert done == ["put"]
    assert done == ["put", "undone"]
    with patch.applied():
        assert done == ["put", "undone", "put"]
