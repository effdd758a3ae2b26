"""The plug-in as pytest meets it: its settings, its options, its marker, what it imports."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

Run = Callable[..., pytest.RunResult]
Scenario = Callable[..., str]

IMPORTED = """
import sys
import windtunnel.pytest_plugin
print(*sorted(name for name in sys.modules if name.partition(".")[0] in
    ("windtunnel", "windtunnel_models", "pydantic", "yaml", "simpy", "click", "rich", "asyncio")))
"""


def test_loading_it_imports_nothing_of_the_project_but_itself() -> None:
    # What pytest itself brings is there before, so only what the plug-in adds counts.
    program = f"import pytest, sys\nbefore = set(sys.modules)\n{IMPORTED}"
    program = program.replace("for name in sys.modules", "for name in set(sys.modules) - before")
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["windtunnel", "windtunnel.pytest_plugin"]


def test_a_folder_of_scenarios_is_collected_and_other_yaml_is_not(
    pytester: pytest.Pytester, run: Run, scenario: Scenario
) -> None:
    scenario("here")
    (pytester.path / "elsewhere.yaml").write_text((pytester.path / scenario("there")).read_text())
    (pytester.path / "scenarios" / "data.yaml").write_text("shared: 1\n")
    result = run("--collect-only", "-q")
    result.stdout.fnmatch_lines(
        [
            "scenarios/here.yaml::here[[]n=1]",
            "scenarios/here.yaml::here[[]n=2]",
            "scenarios/there.yaml::there[[]n=1]",
            "scenarios/there.yaml::there[[]n=2]",
        ],
        consecutive=True,
    )
    result.stdout.no_fnmatch_line("*elsewhere*")
    result.stdout.no_fnmatch_line("*data*")


def test_a_file_named_on_the_command_line_needs_no_folder(
    pytester: pytest.Pytester, run: Run, scenario: Scenario
) -> None:
    scenario("mine")
    (pytester.path / "scenarios" / "mine.yaml").rename(pytester.path / "mine.yaml")
    run("mine.yaml", "-k", "n:1").assert_outcomes(passed=1, deselected=1)


def test_a_folder_that_is_not_there_is_told_at_once(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nwindtunnel_scenarios = no-such-folder\n")
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*windtunnel_scenarios: there is no file or folder*no-such*"])


@pytest.mark.parametrize("seed", ["-1", "x", str(2**63)])
def test_a_seed_that_is_none_is_a_usage_error(run: Run, seed: str) -> None:
    result = run(f"--windtunnel-seed={seed}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*'{seed}' is not a whole number from 0 to*"])


def test_shared_data_and_hidden_folders_are_passed_over(
    pytester: pytest.Pytester, run: Run, scenario: Scenario
) -> None:
    text = (pytester.path / scenario("one")).read_text()
    for name in ("_shared.yaml", "_parts/two.yaml", "deep/_parts/three.yaml"):
        file = pytester.path / "scenarios" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    run("--collect-only").stdout.fnmatch_lines(["collected 2 items"])
    run("--collect-only", "scenarios/_shared.yaml").stdout.fnmatch_lines(["collected 2 items"])


def test_the_ties_reach_the_cells_and_the_replay(run: Run, scenario: Scenario) -> None:
    scenario()
    result = run("--windtunnel-ties=seeded", "--windtunnel-tie-seed=5")
    result.stdout.fnmatch_lines(["*replay: windtunnel run *--ties seeded --tie-seed 5*"])
    result = run("--windtunnel-explore=3", "--windtunnel-tie-seed=8")
    result.stdout.fnmatch_lines(["*replay: windtunnel run *--ties seeded --tie-seed 8*"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--windtunnel-explore=0"], "*'0' is not a whole number from 1 to 10000*"),
        (["--windtunnel-explore=10001"], "*'10001' is not a whole number from 1 to 10000*"),
        (["--windtunnel-ties=lifo", "--windtunnel-explore=2"], "*explore goes with*=seeded*"),
        (["--windtunnel-ties=fifo", "--windtunnel-tie-seed=2"], "*tie-seed goes with*=seeded*"),
    ],
)
def test_ties_that_contradict_one_another(run: Run, options: list[str], said: str) -> None:
    result = run(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])


def test_the_seed_and_the_scheduler_reach_the_cells(
    pytester: pytest.Pytester, run: Run, scenario: Scenario
) -> None:
    pytester.makepyfile(own="class Lacking:\n    pass\n")
    pytester.syspathinsert()
    scenario()
    result = run("--windtunnel-seed=7")
    result.stdout.fnmatch_lines(["*replay: windtunnel run *--seed 7", "*seed: 7"])
    result = run("--windtunnel-scheduler=own:Lacking")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*replay: windtunnel run *--scheduler own:Lacking*"])


def test_the_scheduler_is_looked_for_where_pytest_is_called(
    pytester: pytest.Pytester, run: Run, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is by `pytest`, which does not put the present folder on the path."""
    elsewhere = [part for part in sys.path if part not in ("", str(pytester.path))]
    monkeypatch.setattr(sys, "path", elsewhere)
    pytester.makepyfile(here="class Lacking:\n    pass\n")
    scenario()
    result = run("--windtunnel-scheduler=here:Lacking")
    result.stdout.fnmatch_lines(["*Lacking has neither `execute` nor `enqueue`*"])


def test_the_marker_is_registered_and_read(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.spec("MY-1")
        def test_marked(): pass

        def test_bare(): pass
        """
    )
    result = run("--strict-markers", "-m", "spec")
    result.assert_outcomes(passed=1, deselected=1)
    run("--markers").stdout.fnmatch_lines(["@pytest.mark.spec(*ids): *"])


def test_the_same_from_workers_of_xdist(run: Run, scenario: Scenario) -> None:
    pytest.importorskip("xdist")
    scenario("one")
    scenario("two")
    result = run("-n2", "-p", "xdist")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*scenarios/one.yaml:*: fail: count: 1 of send_text, expected 2*"])
