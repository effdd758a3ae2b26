"""The plug-in: its vocabulary is whole, and scenarios find it by name."""

from __future__ import annotations

import pytest

from windtunnel.checks import CHECKS, Verdict
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.playing.single_run import run_once
from windtunnel.scenario.reading.loading import parse_scenario
from windtunnel.scenario.systems import load_system
from windtunnel.services.backend.backend import Backend
from windtunnel.systems.router import RouterSystem
from windtunnel.systems.router.calls import CALLS
from windtunnel.systems.router.given import Given


def test_it_is_found_by_its_name() -> None:
    assert isinstance(load_system("router"), RouterSystem)
    assert RouterSystem.name == "router"


def test_a_task_needs_no_arguments_and_runs_no_commands() -> None:
    system = RouterSystem()
    assert system.args_optional(Given(), "task")
    assert system.commands(Given(), "task") == ()


def test_its_default_checks_can_be_made() -> None:
    for name, args in RouterSystem.default_checks.items():
        CHECKS[name].args.model_validate(args)


def test_a_call_is_named_by_whom_it_reaches() -> None:
    assert {name.partition(".")[0] for name in CALLS} == {"backend", "dispatcher"}


@pytest.mark.spec("RT-X2")
def test_a_program_that_raises_is_red_in_every_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the scenario expects nothing of it."""

    def raises(self: Backend) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Backend, "_resume", raises)
    text = """
        {format: 1, name: n, system: router, policy: specified, until: 1s,
         timeline: [{at: 0s, call: dispatcher.health, id: h}],
         expect: [{count: {of: kind:work.started, equals: 0}}]}
    """
    (cell,) = expand(parse_scenario(text, "n.yaml"))
    result = run_once(cell)
    assert result.verdict is Verdict.FAIL
    (told,) = [check for check in result.checks if check.name == "no_crash"]
    assert told.verdict is Verdict.FAIL
    assert "the program of backend raised ZeroDivisionError" in told.message
