"""The plug-in: its vocabulary is whole, and scenarios find it by name."""

from __future__ import annotations

from windtunnel.checks import CHECKS
from windtunnel.scenario.systems import load_system
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
