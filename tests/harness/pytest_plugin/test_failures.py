"""Failures: the text over one cell and over many, and the warnings of what passed."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.base import Verdict
from windtunnel.pytest_plugin.failures import MOST_ROWS, failure_text, headline, warnings_text
from windtunnel.scenario.playing.pool import Played
from windtunnel.scenario.results import FINE, CellResult, CheckLine

MakeCell = Callable[..., object]


def played(index: int, verdict: Verdict, *checks: CheckLine, reason: str = "") -> Played:
    result = CellResult(
        scenario="probe", file="probe.yaml", line=3, name=f"probe[case={index}]", cell={},
        world="sim", policy="specified", scheduler=None, seed=index, verdict=verdict,
        reason=reason or f"reason {index}", checks=checks, replay=f"replay it {index}",
    )  # fmt: skip
    return Played(index, result, "printed")


def test_one_cell_has_reason_check_replay_and_seed_and_not_what_it_printed() -> None:
    check = CheckLine("count", Verdict.FAIL, 9, "2, expected 1", (0,), 2, ("> 0s #0 it",))
    assert failure_text("x", [played(5, Verdict.FAIL, check)]).splitlines() == [
        "fail probe[case=5]",
        "  probe.yaml:3: reason 5",
        "  probe.yaml:9: fail: count: 2, expected 1",
        "    > 0s #0 it",
        "  replay: replay it 5",
        "  seed: 5",
    ]


@given(st.lists(st.sampled_from(list(Verdict)), max_size=2 * MOST_ROWS + 20))
def test_every_cell_that_is_not_fine_is_listed_up_to_the_limit(verdicts: list[Verdict]) -> None:
    cells = [played(index, verdict) for index, verdict in enumerate(verdicts)]
    failed = [one for one in cells if one.result.verdict not in FINE]
    text = failure_text("the table", cells)
    assert bool(text) == bool(failed)
    if len(cells) > 1 and failed:
        assert text.startswith(f"{len(failed)} of {len(cells)} cells of the table did not pass (")
        listed = [
            f"  {one.result.verdict} {one.result.name}: {one.result.reason}" for one in failed
        ]
        rows = text.splitlines()[1:]
        assert rows[: min(len(listed), MOST_ROWS)] == listed[:MOST_ROWS]
        more = max(0, len(listed) - MOST_ROWS)
        assert (f"  … and {more} more" in rows) == bool(more)


def test_the_headline_is_one_line_with_verdict_and_first_reason() -> None:
    failed = [played(1, Verdict.PASS), played(2, Verdict.FAIL), played(3, Verdict.ERROR)]
    assert headline(failed) == "2 of 3 cells: fail: reason 2"
    assert headline([played(4, Verdict.UNKNOWN, reason="a\nb")]) == "unknown: a b"
    skipped = [played(5, Verdict.SKIPPED)]
    assert headline(skipped, fine=(Verdict.PASS,)) == "skipped: reason 5"


def test_control_characters_and_colours_stay_out() -> None:
    text = failure_text("x", [played(n, Verdict.FAIL, reason="\x1b[31mred") for n in (0, 1)])
    assert "\x1b" not in text
    assert "\\x1b[31mred" in text


def test_what_only_warns_is_told_of_cells_that_passed() -> None:
    warned = played(1, Verdict.PASS, CheckLine("count", Verdict.FAIL, 4, "no"))
    assert warnings_text([played(0, Verdict.PASS), warned]).splitlines() == [
        "warning probe[case=1]",
        "  probe.yaml:4: fail: count: no",
    ]
    assert warnings_text([played(0, Verdict.PASS), played(1, Verdict.FAIL)]) == ""
