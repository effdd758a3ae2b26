"""`windtunnel kinds`: the whole table."""

from __future__ import annotations

from collections.abc import Callable

from click.testing import Result

from windtunnel.kinds import KINDS


def test_it_prints_each_kind_with_its_details(call: Callable[..., Result]) -> None:
    lines = call("kinds").stdout.splitlines()
    for name, kind in KINDS.items():
        start = lines.index(f"{name}  ({kind.origin})")
        assert lines[start + 1] == f"    {kind.summary}"
        for detail, meaning in kind.details.items():
            assert f"    details.{detail}: {meaning}" in lines[start:]
