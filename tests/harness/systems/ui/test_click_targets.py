"""The targets that can be clicked: the flows' own, and those that take a name."""

from __future__ import annotations

import pytest

from windtunnel.systems.ui.click_targets import PREFIXES, TARGETS, known_target


def test_what_the_flows_click() -> None:
    assert {"search", "result", "input", "send", "menu", "confirm"} <= set(TARGETS)
    assert set(PREFIXES) == {"session:", "contact:"}


@pytest.mark.parametrize("name", [*TARGETS, "session:bob", "contact:carol"])
def test_a_target_stays(name: str) -> None:
    assert known_target(name) == name


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("serch", "`search`"),
        ("contact:", "`contact:NAME`"),
        ("", "known: "),
        ("confrim", "confirm"),
    ],
)
def test_another_is_refused_with_the_close_one(name: str, hint: str) -> None:
    with pytest.raises(ValueError, match=f"there is nothing to click called `{name}`.*{hint}"):
        known_target(name)
