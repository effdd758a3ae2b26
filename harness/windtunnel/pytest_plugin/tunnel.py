"""What the fixture `windtunnel` gives a test: simulated time, and scenarios to play.

Imports pytest, the selection and what plays it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, TypeVar

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.errors import PluginError, ScenarioError
from windtunnel.pytest_plugin.collecting import shown
from windtunnel.pytest_plugin.failures import CellsFailed, failure_text, headline
from windtunnel.pytest_plugin.playing import play
from windtunnel.pytest_plugin.simulation import Main, simulate, spec_of
from windtunnel.scenario.playing.pool import Played
from windtunnel.scenario.results import CellResult
from windtunnel.scenario.selecting.selection import Request, select

T = TypeVar("T")


class Tunnel:
    """The fixture `windtunnel`, one for the whole session: it keeps nothing between calls.

    A coroutine of yours in simulated time, where an hour of waiting takes milliseconds::

        def test_the_second_waits_for_the_delay(windtunnel):
            async def main():
                scheduler = MyScheduler(send_delay_ms=3000)
                await scheduler.start()
                await scheduler.enqueue(act)
                await scheduler.enqueue(act)
                await scheduler.stop()
                return asyncio.get_running_loop().time()

            assert windtunnel.run(main(), deadline="10s") == 3.0

    The same beside a desktop, whose commands and effects are in the trace::

        def test_a_click_is_one_command(windtunnel):
            async def main(world):
                await world.ports.desktop.click("search")
                return world.trace

            trace = windtunnel.run(main, given={"latencies": {"click": "100ms"}})
            assert len(list(trace.of("command.ended"))) == 1

    A scenario, from a file or as a text, with the scheduler of the file or with yours::

        def test_my_scheduler_drains(windtunnel):
            windtunnel.assert_passes("scenarios/drain.yaml", scheduler=MyScheduler)
    """

    def __init__(self, config: pytest.Config, folders: pytest.TempPathFactory) -> None:
        self._config = config
        self._folders = folders
        self._folder: Path | None = None

    def run(
        self,
        main: Main[T],
        *,
        seed: int = 0,
        deadline: str = "1h",
        wall: str = "60s",
        given: dict[str, Any] | None = None,
        system: str = "ui",
    ) -> T:
        """Run a coroutine in simulated time and return its result.

        `main` is a coroutine, or a function that takes the world (`.ports`, `.trace`) and makes
        one. `deadline` bounds simulated time, `wall` real time; both are durations with a unit.
        `given` says what the world is like, as a scenario of the `system` does. Raises what the
        coroutine raises, and `SimulationError` where it comes to no end: deadlock, deadline, busy
        spin, a lost exception in the background.
        """
        __tracebackhide__ = True
        spec = spec_of(seed=seed, deadline=deadline, wall=wall, given=given, system=system)
        return simulate(main, spec)

    def play(
        self,
        scenario: str | Path,
        *,
        scheduler: str | type | None = None,
        policy: str | None = None,
        seed: int | None = None,
        expression: str | None = None,
    ) -> tuple[CellResult, ...]:
        """Play the cells of a scenario and return their results, in order.

        `scenario` is a path (from the root of the tests' project, from here, or of a bundled
        scenario), a folder, or the text of a scenario, known by its line breaks. The others are
        as on the command line: `scheduler` is a class of yours, or its `module:Class`;
        `expression` is that of `-k`. Raises `ScenarioError` with every mistake of the file, and
        `SelectionError` where there is no such file.
        """
        return tuple(
            one.result for one in self._play(scenario, scheduler, policy, seed, expression)
        )

    def assert_passes(
        self,
        scenario: str | Path,
        *,
        scheduler: str | type | None = None,
        policy: str | None = None,
        seed: int | None = None,
        expression: str | None = None,
    ) -> tuple[CellResult, ...]:
        """Play the cells as `play` does; the test fails unless every one of them passes.

        A cell that was skipped has not passed: name what can run by `expression`. What failed is
        told with its check, its place, the events around it and the command that replays it.
        """
        __tracebackhide__ = True
        played = self._play(scenario, scheduler, policy, seed, expression)
        if not played:
            raise AssertionError("no cell was selected")
        text = failure_text(_named(scenario), played, fine=(Verdict.PASS,))
        if text:
            raise CellsFailed(f"{headline(played, fine=(Verdict.PASS,))}\n{text}")
        return tuple(one.result for one in played)

    def _play(
        self,
        scenario: str | Path,
        scheduler: str | type | None,
        policy: str | None,
        seed: int | None,
        expression: str | None,
    ) -> tuple[Played, ...]:
        __tracebackhide__ = True
        request = Request(
            paths=(self._path(scenario),),
            expression=expression,
            policy=policy,
            scheduler=_target(scheduler),
            seed=seed if seed is not None else self._config.getoption("windtunnel_seed"),
            allow_code=True,  # who writes the test may import what the file names
        )
        selection = select(request)
        if selection.problems:
            raise ScenarioError(selection.problems)
        return play(selection.cells, request, self._config)

    def _path(self, scenario: str | Path) -> str:
        """Return the path as the selection takes it; a text is put into a file, for the replay."""
        if isinstance(scenario, str) and "\n" in scenario:
            return shown(self._written(scenario))
        from_root = self._config.rootpath / scenario
        return shown(from_root) if from_root.exists() else str(scenario)

    def _written(self, text: str) -> Path:
        if self._folder is None:
            self._folder = self._folders.mktemp("windtunnel")
        name = hashlib.sha256(text.encode()).hexdigest()[:12]
        path = self._folder / f"{name}.yaml"
        path.write_text(text, encoding="utf-8")
        return path


def _named(scenario: str | Path) -> str:
    return "the scenario" if "\n" in str(scenario) else str(scenario)


def _target(scheduler: str | type | None) -> str | None:
    """Return `module:Class`; raises `PluginError` for a class that has no name to be found by."""
    if scheduler is None or isinstance(scheduler, str):
        return scheduler
    if "<locals>" in scheduler.__qualname__:
        raise PluginError(
            f"{scheduler.__qualname__} stands inside a function, where no worker can find it: "
            "define the class at the top of its module"
        )
    return f"{scheduler.__module__}:{scheduler.__qualname__}"
