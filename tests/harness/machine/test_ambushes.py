"""Ambushes: who waits for whom, how often, and that nobody costs nothing."""

from __future__ import annotations

from windtunnel.machine.ambushes import NOTHING_MET, Ambush, Ambushes, Met


def of(ambushes: Ambushes, *names: str) -> Met:
    return ambushes.meet(names, "op")


def lay(ambushes: Ambushes, *targets: str, felt: list[str] | None = None, **how: int) -> Ambush:
    heard = [] if felt is None else felt
    ambush = Ambush(frozenset(targets), heard.append, **how)  # type: ignore[arg-type] # any field
    ambushes.lay(ambush)
    return ambush


def test_a_command_meets_what_waits_for_one_of_its_names() -> None:
    ambushes, felt = Ambushes(), list[str]()
    lay(ambushes, "click", "verify", felt=felt, slower=5)
    assert of(ambushes, "click_send", "click") == Met(slower=5)
    assert of(ambushes, "verify", "capture") == Met(slower=5)
    assert of(ambushes, "key_down", "key") is NOTHING_MET
    assert felt == ["op", "op"]


def test_several_add_up_and_the_first_error_counts() -> None:
    ambushes = Ambushes()
    lay(ambushes, "click", slower=5)
    lay(ambushes, "click", slower=7, hangs=1)
    lay(ambushes, "click", code="A")  # type: ignore[arg-type]
    lay(ambushes, "click", code="B")  # type: ignore[arg-type]
    assert of(ambushes, "click") == Met(hangs=True, slower=12, code="A")


def test_times_run_out() -> None:
    ambushes = Ambushes()
    ambush = lay(ambushes, "click", slower=5, left=2)
    assert [of(ambushes, "click").slower for _ in range(3)] == [5, 5, 0]
    assert ambush not in ambushes
    assert not ambushes.targets


def test_lifting_is_for_that_very_one_and_can_be_done_twice() -> None:
    ambushes, felt = Ambushes(), list[str]()
    first, second = (lay(ambushes, "click", felt=felt, slower=5) for _ in range(2))
    ambushes.lift(first)
    ambushes.lift(first)
    assert (first in ambushes, second in ambushes) == (False, True)
    assert of(ambushes, "click") == Met(slower=5)
    ambushes.lift(second)
    assert ambushes.targets == frozenset()
