"""The fixture: coroutines in simulated time, scenarios by path and by text, own schedulers."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel import builtin, units
from windtunnel.checks.base import Verdict
from windtunnel.errors import PluginError, ScenarioError
from windtunnel.pytest_plugin.failures import CellsFailed
from windtunnel.pytest_plugin.tunnel import Tunnel
from windtunnel.scenario.selecting.files import SelectionError
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from windtunnel.trace import Trace
from windtunnel.world import World

SEND = """\
format: 1
name: one-send
system: ui
policy: specified
let: {number: 1}
matrix: {seed: [0]}
timeline:
  - {at: 0s, submit: send_text, id: send, args: {to: alice, text: hello}}
expect:
  - count: {of: send_text, equals: $number}
"""
RED = SEND.replace("number: 1", "number: 2")


class Own(UIActionScheduler):
    """A scheduler class of a test module."""


class Idle:
    """Answers at once and never calls the action."""

    async def execute(self, action: object, **submission: object) -> None:
        """Take an action."""


class Stuck:
    """Never comes to an end, and cannot be stopped then."""

    async def execute(self, action: object, **submission: object) -> None:
        """Take an action."""
        for _ in itertools.count():
            await asyncio.sleep(0)

    async def stop(self) -> None:
        """Fail."""
        raise ValueError("stuck")


@given(seconds=st.integers(1, 1000))
def test_a_coroutine_in_simulated_time_under_hypothesis(windtunnel: Tunnel, seconds: int) -> None:
    async def main() -> float:
        await asyncio.sleep(seconds)
        return asyncio.get_running_loop().time()

    assert windtunnel.run(main(), deadline="1h") == seconds


def test_a_click_is_one_command(windtunnel: Tunnel) -> None:
    async def main(world: World) -> Trace:
        assert world.ports.desktop is not None
        await world.ports.desktop.click("search")
        return world.trace

    trace = windtunnel.run(main, given={"latencies": {"click": "100ms"}})
    (ended,) = trace.of("command.ended")
    assert (ended.time, ended.details["command"]) == (100 * units.MS, "click")


def test_a_scenario_by_text(windtunnel: Tunnel) -> None:
    (result,) = windtunnel.play(SEND)
    assert (result.verdict, result.scenario) == (Verdict.PASS, "one-send")
    assert windtunnel.assert_passes(SEND)[0].digest == result.digest


def test_a_scenario_that_is_red_fails_with_its_text_and_replays(windtunnel: Tunnel) -> None:
    (result,) = windtunnel.play(RED)
    assert result.verdict is Verdict.FAIL
    assert Path(result.file).read_text(encoding="utf-8") == RED
    with pytest.raises(CellsFailed, match="count: 1 of send_text, expected 2") as caught:
        windtunnel.assert_passes(RED)
    assert f"replay: {result.replay}" in str(caught.value)
    assert str(caught.value).startswith("fail: count: 1 of send_text, expected 2")


def test_a_skipped_cell_has_not_passed(windtunnel: Tunnel, monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = {"worlds": {"real": "nowhere.to.be:World"}}
    monkeypatch.setattr(builtin, "BUILTIN", {**builtin.BUILTIN, **worlds})
    real = SEND.replace("policy:", "world: [real]\npolicy:")
    with pytest.raises(CellsFailed, match="the real world is not part"):
        windtunnel.assert_passes(real)


def test_nothing_selected_has_not_passed(windtunnel: Tunnel) -> None:
    with pytest.raises(AssertionError, match="no cell was selected"):
        windtunnel.assert_passes(SEND, expression="no-such-cell")


def test_a_class_of_the_test_is_the_scheduler(windtunnel: Tunnel) -> None:
    (result,) = windtunnel.assert_passes(SEND, scheduler=Own)
    assert result.scheduler == f"{Own.__module__}:Own"


def test_a_caller_told_done_of_an_action_never_called_is_the_reason(windtunnel: Tunnel) -> None:
    """Not that nothing is left to do, though nothing is known to wait."""
    (result,) = windtunnel.play(SEND, scheduler=Idle)
    assert result.verdict is Verdict.FAIL
    assert result.reason.startswith("conservation: send was answered as done at 0s, before")


def test_what_is_found_after_the_limit_of_real_time_is_no_failure(windtunnel: Tunnel) -> None:
    """The alarm breaks off the scheduler, and its stop fails on that: no mistake of its own."""
    (result,) = windtunnel.play(f"{SEND}limits: {{wall: 100ms}}\n", scheduler=Stuck)
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason.startswith("still running after 0.1 s of real time")


def test_a_class_that_no_worker_can_find_is_refused(windtunnel: Tunnel) -> None:
    class Hidden(UIActionScheduler):
        pass

    with pytest.raises(PluginError, match="define the class at the top of its module"):
        windtunnel.play(SEND, scheduler=Hidden)


def test_mistakes_of_a_text_and_a_path_that_is_not_there(windtunnel: Tunnel) -> None:
    with pytest.raises(ScenarioError, match=r"yaml:5:1: error: unknown field `lett`"):
        windtunnel.play(SEND.replace("let:", "lett:"))
    with pytest.raises(SelectionError, match="no such file or folder"):
        windtunnel.play("no-such-file.yaml")


def test_a_path_is_from_the_root_whatever_the_folder(
    pytester: pytest.Pytester, run: Callable[..., pytest.RunResult]
) -> None:
    pytester.mkdir("deep")
    (pytester.path / "deep" / "one.yaml").write_text(SEND)
    pytester.makepyfile(
        """
        def test_it(windtunnel, monkeypatch, tmp_path):
            monkeypatch.chdir(tmp_path)
            assert len(windtunnel.assert_passes("deep/one.yaml", seed=5)) == 1
        """
    )
    run().assert_outcomes(passed=1)


def test_a_failure_shows_the_line_of_the_test_alone(
    pytester: pytest.Pytester, run: Callable[..., pytest.RunResult]
) -> None:
    (pytester.path / "red.yaml").write_text(RED)
    pytester.makepyfile(
        """
        import asyncio

        def test_red(windtunnel):
            windtunnel.assert_passes("red.yaml")

        def test_late(windtunnel):
            windtunnel.run(asyncio.sleep(11), deadline="10s")
        """
    )
    result = run()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(['>       windtunnel.assert_passes("red.yaml")', "*replay: *"])
    result.stdout.fnmatch_lines([">       windtunnel.run(asyncio.sleep(11)*", "*10s of simulated*"])
    for inside in ("tunnel.py", "simulation.py"):
        result.stdout.no_fnmatch_line(f"*{inside}:*")
