"""Items: what passes, what fails and how it reads, what is skipped, what reports get."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

Run = Callable[..., pytest.RunResult]
Scenario = Callable[..., str]
Place = Callable[[str], None]

SEND = """\
timeline:
  - {at: 0s, submit: send_text, id: send, args: {to: alice, text: hello}}
"""


def test_a_failure_shows_all_that_is_needed(run: Run, scenario: Scenario) -> None:
    scenario()
    result = run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ sends[[]n=2] _*",
            "fail sends[[]n=2]",
            "  scenarios/sends.yaml:12: fail: count: 1 of send_text, expected 2 (one is one)",
            "    > 0.000s *action.submitted*",
            "  replay: windtunnel run scenarios/sends.yaml -k 'sends[[]n=2]' --seed 0",
            "  seed: 0",
        ]
    )
    result.stdout.no_fnmatch_line("*items.py*")
    assert result.stdout.str().count("replay:") == 1
    told = "FAILED scenarios/sends.yaml::sends[n=2] - fail: count: 1 of send_text"
    assert told in result.stdout.str()


def test_the_summary_of_a_failure_comes_over_from_a_process_of_xdist(
    run: Run, scenario: Scenario, pytestconfig: pytest.Config
) -> None:
    if not pytestconfig.pluginmanager.hasplugin("xdist"):
        pytest.skip("pytest-xdist is not here")
    scenario()
    run("-n1").stdout.fnmatch_lines(
        ["fail sends[[]n=2]", "FAILED scenarios/sends.yaml::sends[[]n=2] - fail: count: 1 of *"]
    )


def test_the_place_of_a_failure_is_in_its_file(run: Run, scenario: Scenario) -> None:
    scenario()
    run("--tb=line").stdout.fnmatch_lines(["*scenarios/sends.yaml:1: fail: count: 1 of *"])


def test_vacuous_and_unknown_and_error_are_failures_that_say_so(
    run: Run, scenario: Scenario
) -> None:
    never = "  - {after: kind:process.killed, submit: logout, id: bye}\n"
    expect = "expect:\n  - conservation: {of: [send_text]}\n"
    scenario("vacuous", SEND + never + expect)
    scenario("unknown", SEND + "limits: {events: 3}\n" + expect)
    scenario("error", SEND + "scheduler: json:dumps\n" + expect)
    result = run("-q")
    result.assert_outcomes(failed=3)
    for verdict in ("vacuous", "unknown", "error"):
        result.stdout.fnmatch_lines([f"{verdict} {verdict}", f"  scenarios/{verdict}.yaml:*: *"])


ONE_REAL_SEND = SEND + "world: [real]\nexpect:\n  - conservation: {of: [send_text]}\n"


@pytest.mark.parametrize("xdist", [(), ("-n1",)])
def test_a_world_that_is_not_there_is_skipped_and_nobody_can_miss_it(
    run: Run,
    scenario: Scenario,
    real_world: Place,
    pytestconfig: pytest.Config,
    xdist: tuple[str, ...],
) -> None:
    if xdist and not pytestconfig.pluginmanager.hasplugin("xdist"):
        pytest.skip("pytest-xdist is not here")
    real_world(LACKING)
    scenario("real", ONE_REAL_SEND)
    scenario("again", ONE_REAL_SEND)
    scenario("sim", SEND + "expect:\n  - conservation: {of: [send_text]}\n")
    result = run("-rs", "-q", *xdist)
    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines(
        [
            "*= NOT RUN: scenarios whose world is not here =*",
            "NOT RUN: 2 tests: no Xvfb: apt-get install xvfb",
            "SKIPPED*scenarios/again.yaml:*no Xvfb*",
            "SKIPPED*scenarios/real.yaml:*no Xvfb*",
        ]
    )


def test_what_a_world_has_not_is_no_world_that_is_not_there(
    run: Run, scenario: Scenario, real_world: Place
) -> None:
    real_world(POOR)
    scenario("lacking", "requires: [ties]\n" + ONE_REAL_SEND)
    scenario("fine", ONE_REAL_SEND)
    result = run()
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.no_fnmatch_line("*NOT RUN*")


def test_the_frames_of_a_real_world_are_kept_where_they_are_asked_for(
    pytester: pytest.Pytester, run: Run, scenario: Scenario, real_world: Place, tmp_path: Path
) -> None:
    real_world(KEEPING)
    scenario("real", ONE_REAL_SEND.replace("[send_text]", "[send_text], outcomes: [failed]"))
    report = tmp_path / "report.xml"
    result = run("--windtunnel-frames-dir=pictures", f"--junitxml={report}")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "  frames: pictures/real-*",
            "  replay: windtunnel run scenarios/real.yaml * --frames-dir pictures",
        ]
    )
    (kept,) = (pytester.path / "pictures").iterdir()
    (case,) = ET.parse(report).iter("testcase")  # noqa: S314 - a report of our own
    found = {one.get("name"): one.get("value") for one in case.iter("property")}
    assert found["frames"] == f"pictures/{kept.name}"
    run("--windtunnel-frames=none", "--windtunnel-in-process").assert_outcomes(failed=1)
    assert not (pytester.path / "windtunnel-frames").exists()


@pytest.mark.parametrize("options", [("--windtunnel-frames=some",), ("--windtunnel-frames",)])
def test_frames_of_what_is_told(run: Run, options: tuple[str, ...]) -> None:
    assert run(*options).ret == pytest.ExitCode.USAGE_ERROR


LACKING = """
from windtunnel.errors import WorldUnavailableError

class Real:
    def __init__(self, spec):
        raise WorldUnavailableError("no Xvfb: apt-get install xvfb")
"""
POOR = """
from windtunnel_models.world import SimWorld

class Real(SimWorld):
    name = "real"
    features = frozenset()
"""
KEEPING = """
from pathlib import Path
from windtunnel_models.world import SimWorld

class Real(SimWorld):
    name = "real"

    def __init__(self, spec):
        super().__init__(spec)
        self.options = spec.options

    def keep(self, name, *, failed):
        if self.options.frames == "none":
            return ""
        folder = Path(self.options.frames_folder, name)
        folder.mkdir(parents=True)
        return str(folder)
"""


def test_k_matches_names_tags_and_what_is_covered(run: Run, scenario: Scenario) -> None:
    scenario("sends")
    scenario("others", SEND + "expect:\n  - conservation: {of: [send_text]}\n")
    for expression in ("UI-Q3", "counting", "sends", "n:1 or n:2"):
        run("--collect-only", "-k", expression).assert_outcomes(deselected=1)
    run("--collect-only", "-m", "spec").assert_outcomes(deselected=1)
    run("scenarios/sends.yaml::sends[n=1]").assert_outcomes(passed=1)
    run("scenarios/sends.yaml::sends").assert_outcomes(passed=1, failed=1)


def test_a_large_table_is_one_item_that_lists_its_failing_rows(
    run: Run, scenario: Scenario
) -> None:
    rows = "\n".join(f"    - {{id: r{n}, out: [{2 if n in (7, 300) else 1}]}}" for n in range(501))
    body = f"cases:\n  outputs: [n]\n  rows:\n{rows}\n" + SEND
    scenario("table", body + "expect:\n  - count: {of: send_text, equals: $n}\n")
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "2 of 501 cells of table did not pass (499 pass, 2 fail):",
            "  fail table[[]case=r7]: count: 1 of send_text, expected 2",
            "  fail table[[]case=r300]: count: 1 of send_text, expected 2",
            "fail table[[]case=r7]",
        ]
    )


def test_reports_get_the_verdict_the_seed_and_the_digest(
    run: Run, scenario: Scenario, tmp_path: Path
) -> None:
    scenario()
    report = tmp_path / "report.xml"
    run(f"--junitxml={report}", "-k", "n:1", "--windtunnel-seed=3")
    (case,) = ET.parse(report).iter("testcase")  # noqa: S314 - a report of our own
    found = {one.get("name"): one.get("value") or "" for one in case.iter("property")}
    assert (found["verdict"], found["seed"], len(found["digest"])) == ("pass", "3", 64)


def test_what_a_cell_printed_has_a_section(
    pytester: pytest.Pytester, run: Run, scenario: Scenario
) -> None:
    pytester.makepyfile(own=PRINTING)
    pytester.syspathinsert()
    scenario()
    result = run("--windtunnel-scheduler=own:Printing")
    result.stdout.fnmatch_lines(["*- Captured stdout call -*", "printed by own code"])


def test_a_warning_of_a_check_is_kept_with_a_pass(run: Run, scenario: Scenario) -> None:
    expect = "expect:\n  - conservation: {of: [send_text]}\n"
    warned = expect + "  - count: {of: send_text, equals: 2}\n    severity: warning\n"
    scenario("warned", SEND + warned)
    result = run("-rP")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*- Captured warnings of checks call -*", "warning warned"])


def test_what_is_quarantined_is_shown_and_does_not_gate(run: Run, scenario: Scenario) -> None:
    expect = "expect:\n  - count: {of: send_text, equals: $n}\n"
    scenario("apart", "status: quarantined\nmatrix: {n: [1, 2]}\n" + SEND + expect)
    result = run("-rx")
    result.assert_outcomes(xfailed=1, xpassed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["XFAIL scenarios/apart.yaml::apart[[]n=2] - quarantined"])


def test_a_fault_that_is_known_must_fail(run: Run, scenario: Scenario) -> None:
    expect = "expect:\n  - count: {of: send_text, equals: $n}\n"
    scenario("known", "status: open\nmatrix: {n: [1, 2]}\n" + SEND + expect)
    result = run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["fail known[[]n=1]", "*open, but it passes*"])


PRINTING = """
from windtunnel import UIActionScheduler


class Printing(UIActionScheduler):
    async def start(self):
        print("printed by own code")
        await super().start()
"""
