"""What a probe saw: each word makes its state."""

from __future__ import annotations

import pytest

from windtunnel_real.doctor.seen import Seen, bad, ok, unseen, warn


@pytest.mark.parametrize(
    ("made", "state"),
    [(ok("x"), "ok"), (warn("x"), "warn"), (bad("x"), "bad"), (unseen("x"), "unseen")],
)
def test_each_word_makes_its_state(made: Seen, state: str) -> None:
    assert (made.state, made.text, made.mend) == (state, "x", None)


def test_a_better_line_is_kept() -> None:
    assert [bad("x", "rm y").mend, warn("x", "rm y").mend] == ["rm y", "rm y"]
