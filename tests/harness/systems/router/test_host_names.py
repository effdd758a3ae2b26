"""The host names: what a scenario may aim at, and what a slip is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from windtunnel.systems.router.host_names import (
    AnyName,
    Anything,
    HostName,
    InstanceName,
    Instances,
    ProgramName,
    WorkerName,
    bridge_name,
    instance_name,
)

HOSTS = ("backend", "dispatcher", "external", "bridge-0", "bridge-17")


def read(type_: Any, value: Any) -> Any:
    return TypeAdapter(type_).validate_python(value)


@given(st.integers(0, 999_999))
def test_every_number_makes_a_name(number: int) -> None:
    assert read(InstanceName, instance_name(number)) == f"inst-{number}"
    assert read(HostName, bridge_name(number)) == f"bridge-{number}"


@pytest.mark.parametrize(
    ("type_", "good"),
    [
        (HostName, HOSTS),
        (InstanceName, ("inst-3",)),
        (ProgramName, ("backend", "dispatcher")),
        (WorkerName, ("external", "inst-3")),
        (AnyName, (*HOSTS, "inst-3")),
    ],
)
def test_each_type_takes_its_names_and_no_others(type_: Any, good: tuple[str, ...]) -> None:
    for name in (*HOSTS, "inst-3"):
        if name in good:
            assert read(type_, name) == name
        else:
            with pytest.raises(ValidationError):
                read(type_, name)


@pytest.mark.parametrize("name", ["inst-", "inst-01", "inst-x", "Inst-0", "inst-0 ", "bridge", ""])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="is no host or instance"):
        read(AnyName, name)


@pytest.mark.parametrize(
    ("name", "near"), [("dispacher", "dispatcher"), ("inst0", "inst-0"), ("Backend", "backend")]
)
def test_a_slip_is_told_the_close_name(name: str, near: str) -> None:
    with pytest.raises(ValidationError, match=f"did you mean `{near}`"):
        read(AnyName, name)


def test_one_name_is_a_list_of_one() -> None:
    assert read(Instances, "inst-2") == ("inst-2",)
    assert read(Anything, ["inst-2", "backend"]) == ("inst-2", "backend")
    with pytest.raises(ValidationError):
        read(Instances, [])
