"""What is known by name, and what is told of what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.systems.ui.known import known

NAMES = ("click_search", "click_send", "activate")


@given(st.text(max_size=60))
def test_a_name_is_among_them_or_refused(name: str) -> None:
    if name in NAMES:
        assert known(name, NAMES, "no") == name
    else:
        with pytest.raises(ValueError, match="no `"):
            known(name, NAMES, "no")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("click_serch", "no `click_serch`; did you mean `click_search`?"),
        ("ACTIVATE", "no `ACTIVATE`; did you mean `activate`?"),
        ("zzz", "no `zzz` (known: activate, click_search, click_send)"),
        ("activate" * 9, f"no `{('activate' * 9)[:40]}`"),
    ],
)
def test_the_close_one_or_all_of_them(name: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the whole text is compared
        known(name, NAMES, "no")
    assert str(refused.value).startswith(message)
