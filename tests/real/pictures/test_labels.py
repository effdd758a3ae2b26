"""Labels in names of files."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from windtunnel_real.pictures.labels import LONGEST, file_name


def test_a_label_is_read_in_the_name() -> None:
    assert file_name(7, "after click_search") == "0007-after_click_search.png"
    assert file_name(7, "after-click_search op=send.3") == "0007-after-click_search_op=send_3.png"


def test_nothing_that_fits_is_a_frame() -> None:
    assert file_name(12, "../..") == file_name(12, "搜索") == file_name(12, "") == "0012-frame.png"


@given(st.integers(1, 10**6), st.text())
def test_a_name_fits_everywhere(number: int, label: str) -> None:
    name = file_name(number, label)
    assert re.fullmatch(r"\d{4,}-[A-Za-z0-9_=-]+\.png", name)
    assert name.startswith(f"{number:04d}-")
    assert len(name) <= LONGEST + 12


@given(st.text(), st.text())
def test_two_steps_never_share_a_name(one: str, other: str) -> None:
    assert file_name(1, one) != file_name(2, other)
