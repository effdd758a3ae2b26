"""The details of a cell that did not pass."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from windtunnel.checks.base import Verdict
from windtunnel.cli.details import print_details
from windtunnel.scenario.playing.pool import Played
from windtunnel.scenario.results import CellResult, CheckLine, FaultLine
from windtunnel.scenario.selecting.files import bundled_root


def told(verdict: Verdict, reason: str, *checks: CheckLine, printed: str = "") -> Played:
    result = CellResult(
        *("s", "dir/f.yaml", 3, "s[x=1]", {}, "sim", "specified", None, 0, verdict),
        reason=reason,
        checks=checks,
        replay="windtunnel run dir/f.yaml -k 's[x=1]' --seed 0",
    )
    return Played(0, result, printed)


def printed(*all_: Played, width: int = 1000) -> str:
    stream = io.StringIO()
    print_details(Console(file=stream, width=width, markup=False), all_)
    return stream.getvalue()


def test_a_pass_has_none() -> None:
    assert printed(told(Verdict.PASS, "")) == ""


def test_each_failed_check_names_its_line() -> None:
    failed = CheckLine("count", Verdict.FAIL, 9, "2, not 3", (4,), 2, ("> 1s #4", "  2s #5"))
    held = CheckLine("fifo", Verdict.PASS, 10, "fine")
    always = CheckLine("settled", Verdict.UNKNOWN, 0, "cut short")
    assert printed(told(Verdict.FAIL, "count: 2, not 3", failed, held, always)) == (
        "\nfail s[x=1]\n"
        "  dir/f.yaml:9: fail: count: 2, not 3\n"
        "    > 1s #4\n"
        "      2s #5\n"
        "  dir/f.yaml: always on: unknown: settled: cut short\n"
        "  replay: windtunnel run dir/f.yaml -k 's[x=1]' --seed 0\n"
    )


def test_a_reason_that_no_check_gives_stands_at_the_cell() -> None:
    assert "  dir/f.yaml:3: deadlock: nobody left\n" in printed(
        told(Verdict.FAIL, "deadlock: nobody left")
    )


def test_the_replay_line_can_be_copied_from_any_terminal() -> None:
    narrow = printed(told(Verdict.FAIL, "why"), width=20)
    assert "  replay: windtunnel run dir/f.yaml -k 's[x=1]' --seed 0\n" in narrow


def test_the_frames_of_a_failure_can_be_copied_too() -> None:
    one = told(Verdict.FAIL, "why")
    kept = replace(one, result=replace(one.result, kept="frames/of a run"))
    assert "  frames: frames/of a run\n  replay: windtunnel" in printed(kept, width=20)
    assert "frames:" not in printed(one)


def test_of_much_print_the_ends_are_shown() -> None:
    lines = [f"line {number}" for number in range(100)]
    out = printed(told(Verdict.ERROR, "died", printed="\n".join(lines)))
    shown = [line.strip() for line in out.splitlines() if "line" in line]
    assert shown == [*lines[:10], "… 70 lines", *lines[-20:]]


def test_what_is_printed_again_and_again_is_shown_once() -> None:
    lines = ["begin", *["nobody listens"] * 90, "end", "nobody listens"]
    out = printed(told(Verdict.ERROR, "died", printed="\n".join(lines)))
    told_lines = out.partition("printed by the cell:\n")[2].splitlines()
    shown = [line.strip() for line in told_lines[:4]]
    assert shown == ["begin", "nobody listens (x90)", "end", "nobody listens"]


def test_a_warning_is_shown_though_the_cell_passes() -> None:
    warned = CheckLine("count", Verdict.FAIL, 9, "2, not 3", (4,), 2)
    held = CheckLine("fifo", Verdict.PASS, 10, "fine")
    assert printed(told(Verdict.PASS, "", warned, held)) == (
        "\nwarning s[x=1]\n  dir/f.yaml:9: fail: count: 2, not 3\n"
    )


def test_failures_come_last() -> None:
    warned = CheckLine("count", Verdict.FAIL, 9, "2, not 3", (4,), 2)
    known = told(Verdict.PASS, "fails still")
    known = replace(known, result=replace(known.result, status="open"))
    all_ = [told(Verdict.FAIL, "why"), told(Verdict.PASS, "", warned), known]
    lines = printed(*all_, told(Verdict.SKIPPED, "no display")).splitlines()
    firsts = [line.split()[0] for line in lines if line and not line.startswith(" ")]
    assert firsts == ["skipped", "warning", "open", "fail"]


def test_the_summary_stands_under_the_name() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=1000, markup=False)
    print_details(console, [told(Verdict.FAIL, "why")], {"dir/f.yaml": "It shows\n  this.\n"})
    assert stream.getvalue().startswith("\nfail s[x=1]\n  It shows this.\n  dir/f.yaml:3: why\n")


def test_a_bundled_file_is_named_by_its_short_form() -> None:
    one = told(Verdict.FAIL, "why", CheckLine("count", Verdict.FAIL, 9, "2, not 3"))
    file = str(bundled_root() / "ui" / "send.yaml")
    out = printed(replace(one, result=replace(one.result, file=file)))
    assert out.splitlines()[2:4] == [
        "  ui/send.yaml:3: why",
        "  ui/send.yaml:9: fail: count: 2, not 3",
    ]


def test_a_long_line_hangs() -> None:
    failed = CheckLine("count", Verdict.FAIL, 9, "word " * 30)
    lines = printed(told(Verdict.FAIL, "why", failed), width=50).splitlines()
    (first,) = [n for n, line in enumerate(lines) if line.startswith("  dir/f.yaml:9: fail: count")]
    assert all(line.startswith("    word") for line in lines[first + 1 : first + 4])
    assert max(map(len, lines[:-1])) <= 50


def test_the_sentence_of_a_limit_is_told_once() -> None:
    limit = "the limit of 60 s real time was reached"
    events = ("  1s #4", "  2s #5")
    checks = [
        CheckLine("fifo", Verdict.UNKNOWN, 9, limit, excerpt=events),
        CheckLine("count", Verdict.UNKNOWN, 10, f"{limit}; up to then: 2 of 3", excerpt=events),
    ]
    assert printed(told(Verdict.UNKNOWN, limit, *checks)) == (
        "\nunknown s[x=1]\n"
        f"  dir/f.yaml:3: {limit}\n"
        "  dir/f.yaml:9: unknown: fifo\n"
        "      1s #4\n"
        "      2s #5\n"
        "  dir/f.yaml:10: unknown: count: up to then: 2 of 3\n"
        "  replay: windtunnel run dir/f.yaml -k 's[x=1]' --seed 0\n"
    )


def test_the_same_events_are_shown_once() -> None:
    one = CheckLine("fifo", Verdict.FAIL, 9, "a", (4,), 1, ("> 1s  #4  x", "  2s  #5  y"))
    other = CheckLine("count", Verdict.FAIL, 10, "b", (5,), 1, ("  1s  #4  x", "> 2s  #5  y"))
    out = printed(told(Verdict.FAIL, "fifo: a", one, other))
    assert out.count("#4") == 1
    assert "fail: count: b\n      (the same events, > #5)\n" in out


def test_what_became_of_the_faults_stands_with_a_failure() -> None:
    one = told(Verdict.FAIL, "why")
    faults = (
        FaultLine("storm", "slow", 12, 1_000_000_000, 1_500_000_000, 9_000_000_000),
        FaultLine("calm", "popup", 13, 0),
        FaultLine("never", "kill", 14),
    )
    out = printed(replace(one, result=replace(one.result, faults=faults)))
    assert "  dir/f.yaml:12: fault storm (slow): on at 1s, affected at 1.5s, undone at 9s\n" in out
    assert "  dir/f.yaml:13: fault calm (popup): on at 0s, affected nothing\n" in out
    assert "  dir/f.yaml:14: fault never (kill): never brought about\n" in out


def test_an_open_cell_says_that_it_fails_still() -> None:
    failed = CheckLine("count", Verdict.FAIL, 9, "2, not 3", (4,), 2)
    one = told(Verdict.PASS, "open, fails still: count: 2, not 3", failed)
    out = printed(replace(one, result=replace(one.result, status="open")))
    assert out == "\nopen s[x=1]: dir/f.yaml:3: open, fails still: count: 2, not 3\n"


def test_quarantine_stands_with_the_verdict() -> None:
    one = told(Verdict.FAIL, "why")
    out = printed(replace(one, result=replace(one.result, status="quarantined")))
    assert out.startswith("\nfail s[x=1] (quarantined: it does not count)\n")
