"""`windtunnel run`: what it prints, writes and exits with, whatever the cells do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from junitparser import JUnitXml

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")

Write = Callable[[str, str], Path]
Call = Callable[..., Result]


@pytest.mark.parametrize(
    ("acts", "code"),
    [
        ("pass pass", 0),
        ("pass fail", 1),
        ("pass unknown", 3),
        ("pass vacuous", 3),
        ("pass skipped", 0),
        ("skipped skipped", 5),
        ("pass error", 70),
        ("pass leave", 70),
        ("fail unknown", 1),
        ("fail error", 70),
        ("q-fail", 0),
        ("q-error pass", 0),
        ("q-unknown q-vacuous", 0),
        ("q-fail fail", 1),
        ("q-skipped", 5),
    ],
)
def test_the_exit_code_follows_the_verdicts(fakes: Write, call: Call, acts: str, code: int) -> None:
    fakes("a.yaml", acts)
    assert call("run", "a.yaml").exit_code == code


def test_what_passes_is_one_row(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass pass pass")
    lines = call("run", "a.yaml").stdout.splitlines()
    (row,) = [line for line in lines if re.match(r"pass +a ", line)]
    assert row.split()[:5] == ["pass", "a", "3", "sim", "specified"]
    assert "[n=" not in "\n".join(lines)


def test_the_first_and_the_last_lines_say_what_was_run(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass fail")
    fakes("b.yaml", "pass")
    lines = call("run", "a.yaml", "b.yaml", "--seed", "7").stdout.splitlines()
    head = re.fullmatch(
        r"windtunnel \S+: seed 7, 3 cells of 2 files, world sim, hash ([0-9a-f]{12})", lines[0]
    )
    assert head is not None
    assert lines[-1] == "replay: windtunnel run a.yaml b.yaml --seed 7"
    assert lines.count(lines[-1]) == 1
    assert re.fullmatch(rf"2 pass, 1 fail, \d+\.\d\d s, hash {head[1]}", lines[-2])


def test_the_hash_is_of_the_content(fakes: Write, call: Call) -> None:
    def hashed() -> str:
        return call("run", "a.yaml").stdout.splitlines()[0].rpartition(" ")[2]

    fakes("a.yaml", "pass")
    first = hashed()
    assert hashed() == first
    fakes("a.yaml", "pass ")
    assert hashed() != first


def test_each_cell_that_did_not_pass_has_its_row_and_its_details(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass fail unknown")
    out = call("run", "a.yaml").stdout
    assert "fail a[n=1]\n  a fake\n  a.yaml:2: it was to fail\n" in out
    assert re.search(r"^fail +\[n=1\] .*it was to fail", out, re.MULTILINE)
    assert re.search(r"^unknown +\[n=2\] .*it was to unknown", out, re.MULTILINE)
    assert "  a.yaml:7: fail: count: 2 of send_text\n    > 0.000s #0 [red]x" in out
    assert "  replay: windtunnel run a.yaml -k 'a[n=1]' --seed 0\n" in out
    assert "    printed by fail\n" in out
    assert "printed by pass" not in out


def test_a_foreign_scheduler_is_named_in_the_first_line_and_in_replays(
    fakes: Write, call: Call
) -> None:
    fakes("a.yaml", "pass fail")
    lines = call("run", "a.yaml", "--scheduler", "json:JSONDecoder").stdout.splitlines()
    assert ", scheduler json:JSONDecoder, hash" in lines[0]
    named = [line.strip() for line in lines[1:] if "JSONDecoder" in line]
    assert named == [
        "replay: windtunnel run a.yaml -k 'a[n=1]' --scheduler json:JSONDecoder --seed 0",
        "replay: windtunnel run a.yaml --scheduler json:JSONDecoder --seed 0",
    ]


def test_a_replay_allows_code_where_the_run_did(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass")
    last = call("run", "a.yaml", "--allow-code").stdout.splitlines()[-1]
    assert last == "replay: windtunnel run a.yaml --allow-code --seed 0"


def test_the_replay_line_replays_that_cell_alone(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "fail " * 12)
    result = call("run", "a.yaml", "-k", '"a[n=1]"', "--json", "-")
    (line,) = map(json.loads, result.stdout.splitlines())
    assert line["name"] == "a[n=1]"
    assert line["replay"] == "windtunnel run a.yaml -k 'a[n=1]' --seed 0"


def test_many_failures_are_counted_not_poured_out(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "fail " * 50)
    out = call("run", "a.yaml").stdout
    assert "… and 30 more that did not pass" in out
    assert "… and 30 more cells that did not pass; --json FILE has all of them" in out
    assert out.count("replay: windtunnel run a.yaml -k") == 20


def test_a_broken_file_does_not_stop_the_others(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass broken broken")
    fakes("b.yaml", "pass fail")
    result = call("run", "a.yaml", "b.yaml", "--junit", "report.xml")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "a.yaml:2:1: error: this line is broken",
        "a.yaml:3:1: error: this line is broken",
    ]
    assert "1 pass, 1 fail, 1 file with errors" in result.stdout
    report = JUnitXml.fromfile("report.xml")
    assert (report.tests, report.failures, report.errors) == (3, 1, 1)


def test_only_broken_files_are_a_usage_error(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "broken")
    result = call("run", "a.yaml")
    assert result.exit_code == 2
    assert "1 file with errors" in result.stdout


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_results_come_in_the_order_of_the_cells(fakes: Write, call: Call, jobs: str) -> None:
    fakes("a.yaml", "wait pass pass")
    result = call("run", "a.yaml", "--jobs", jobs, "--json", "-")
    assert [json.loads(line)["name"] for line in result.stdout.splitlines()] == [
        "a[n=0]",
        "a[n=1]",
        "a[n=2]",
    ]
    assert "3 pass" in result.stderr


def test_result_lines_are_alone_on_standard_output(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass fail leave")
    lines = [json.loads(line) for line in call("run", "a.yaml", "--json", "-").stdout.splitlines()]
    assert [line["verdict"] for line in lines] == ["pass", "fail", "error"]
    assert {line["v"] for line in lines} == {1}
    assert lines[1]["output"] == "printed by fail\n"
    assert lines[2]["reason"] == "worker died with exit code 3"
    assert lines[0]["covers"] == ["UI-Q1"]


def test_files_are_written_whole(fakes: Write, call: Call, tmp_path: Path) -> None:
    fakes("a.yaml", "pass fail")
    outputs = ("--json", "r.ndjson", "--trace", "t.ndjson", "--junit", "j.xml")
    assert call("run", "a.yaml", *outputs).exit_code == 1
    lines = [json.loads(line) for line in Path("r.ndjson").read_text().splitlines()]
    assert [line["verdict"] for line in lines] == ["pass", "fail"]
    trace = [json.loads(line) for line in Path("t.ndjson").read_text().splitlines()]
    assert [line.get("cell", line.get("seq")) for line in trace] == [
        *("a[n=0]", 0, 1),
        *("a[n=1]", 0, 1),
    ]
    assert JUnitXml.fromfile("j.xml").tests == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.yaml",
        "j.xml",
        "r.ndjson",
        "t.ndjson",
    ]


@pytest.mark.parametrize("option", ["--json", "--junit", "--trace"])
@pytest.mark.parametrize("path", [".", "none/there.txt", "x" * 300])
def test_a_path_that_cannot_be_written_is_told_before_the_run(
    fakes: Write, call: Call, option: str, path: str
) -> None:
    fakes("a.yaml", "pass")
    result = call("run", "a.yaml", option, path)
    assert result.exit_code == 2
    assert f"Error: cannot write {option}" in result.stderr
    assert result.stdout == ""


def test_a_full_disk_is_told_and_the_verdicts_are_shown(fakes: Write, call: Call) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    fakes("a.yaml", "pass")
    result = call("run", "a.yaml", "--json", "/dev/full")
    assert result.exit_code == 2
    assert "Error: cannot write --json /dev/full: No space left on device" in result.stderr
    assert "1 pass" in result.stdout


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_maxfail_stops_at_the_same_cell_whatever_the_jobs(
    fakes: Write, call: Call, jobs: str
) -> None:
    fakes("a.yaml", "pass fail wait fail pass fail pass")
    result = call("run", "a.yaml", "--maxfail", "2", "--jobs", jobs)
    assert result.exit_code == 1
    assert "2 pass, 2 fail, 3 not run (--maxfail)" in result.stdout


def test_an_interrupt_tells_what_there_is(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass fail interrupt pass")
    result = call("run", "a.yaml", "--jobs", "1", "--json", "r.ndjson")
    assert result.exit_code == 130
    assert "1 pass, 1 fail, 2 not run (interrupted)" in result.stdout
    assert len(Path("r.ndjson").read_text().splitlines()) == 2


def test_nothing_selected_is_told(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass pass")
    result = call("run", "a.yaml", "-k", "nowhere")
    assert result.exit_code == 5
    assert result.stderr == "nothing selected: -k 'nowhere' matches none of 2 cells\n"


def test_a_file_named_twice_runs_once(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass")
    assert "1 pass" in call("run", "a.yaml", ".", "a.yaml").stdout


@pytest.mark.parametrize(("acts", "code"), [("pass world-dies", 4), ("fail world-dies", 1)])
def test_a_world_that_dies_is_no_fault_of_what_is_tested(
    fakes: Write, call: Call, acts: str, code: int
) -> None:
    fakes("a.yaml", acts)
    result = call("run", "a.yaml")
    assert result.exit_code == code
    assert "the display is gone" in result.stdout


def test_a_world_that_turns_out_not_to_be_there(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass no-world")
    by_file = call("run", "a.yaml")
    assert by_file.exit_code == 0
    assert "1 pass, 1 skipped" in by_file.stdout
    assert "skipped 1 cell: no display (a)" in by_file.stdout
    assert call("run", "a.yaml", "--world", "sim").exit_code == 4


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-k", "a and"], 2, "column 6: expected a word at the end"),
        (["--world", "moon"], 2, "'moon' is not one of real, sim"),
        (["--policy", "lax"], 2, "'lax' is not one of"),
        (["--scheduler", "nowhere"], 2, "'nowhere' is not of the form module:Class"),
        (["--scheduler", "nowhere:X"], 2, "No module named 'nowhere'"),
        (["--scheduler", "json:Nothing"], 2, "module 'json' has no 'Nothing'"),
        (["--jobs", "0"], 2, "0 is not in the range x>=1"),
        (["--jobs", "x"], 2, "'x' is not a valid integer"),
        (["--seed", "-1"], 2, "-1 is not in the range"),
        (["--maxfail", "0"], 2, "0 is not in the range x>=1"),
        (["--junit", "-"], 2, "only --json can write to standard output"),
        (["--trace", "-"], 2, "only --json can write to standard output"),
        (["--json", "a.yaml"], 2, "a.yaml would be overwritten: an output is not named *.yaml"),
        (["--json", "x", "--trace", "./x"], 2, "two outputs cannot both go to x"),
        (["nowhere"], 2, "'nowhere': no such file or folder"),
        (["--nonsense"], 2, "No such option"),
    ],
)
def test_a_mistake_is_told(
    fakes: Write, call: Call, arguments: list[str], code: int, message: str
) -> None:
    fakes("a.yaml", "pass")
    result = call("run", "a.yaml", *arguments)
    assert result.exit_code == code
    assert message in result.stderr
    assert result.stdout == ""


def test_nothing_of_a_scenario_steers_the_terminal(
    fakes: Write, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    fakes("a.yaml", "pass fail")
    codes = set(re.findall(r"\x1b\[[0-9;?]*([A-Za-z])", call("run", "a.yaml").output))
    assert codes == {"m"}  # colours, no movement of the cursor
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("FORCE_COLOR")
    assert "\x1b" not in call("run", "a.yaml").output


def test_what_is_quarantined_runs_and_is_shown_and_does_not_count(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "q-fail q-fail pass")
    result = call("run", "a.yaml", "--maxfail", "1")
    assert result.exit_code == 0
    assert "fail a[n=0] (quarantined: it does not count)" in result.stdout
    assert "1 pass, 2 fail, 2 quarantined" in result.stdout
    lines = call("run", "a.yaml", "--json", "-").stdout.splitlines()
    assert [json.loads(line)["status"] for line in lines] == [
        "quarantined",
        "quarantined",
        "active",
    ]
