"""The instance: one task at a time, once each, and what comes over a line that may be cut."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from fleet_kit import Ear, Yard, body, order
from windtunnel.services.wire.task import result_of
from windtunnel.units import SECOND
from windtunnel_models.cluster.instance import KEPT, Instance, Order, Result


def felt_by(felt: list[str]) -> Any:
    return felt.append


def now(instance: Instance) -> tuple[str, str | None]:
    return instance.state, instance.op


def outcomes(ear: Ear) -> list[tuple[str, int, str]]:
    """Give (task, attempt, error or `done`) of what was heard."""
    return [(each.task, each.attempt, each.error or "done") for each in ear.heard]


def test_works_and_says_what_came_of_it() -> None:
    yard = Yard()
    yard.instance.give(order("t", 2))
    assert now(yard.instance) == ("busy", "t")
    yard.pass_time(2 * SECOND)
    assert now(yard.instance) == ("idle", None)
    assert yard.ear.heard == [Result("inst-0", "md-t", 1, result_of(body("t", 2)), None)]
    assert yard.told() == [
        (0, "instance.changed", "inst-0", "busy"),
        (0, "work.started", "t", "inst-0"),
        (2, "work.ended", "t", "inst-0", "done"),
        (2, "instance.changed", "inst-0", "idle"),
    ]


def test_an_order_that_it_has_or_had_is_passed_over() -> None:
    yard = Yard()
    for _ in range(3):
        yard.instance.give(order("t"))
    yard.pass_time(SECOND)
    yard.instance.give(order("t"))
    assert yard.instance.state == "idle"
    yard.instance.give(order("t", attempt=2))
    yard.pass_time(SECOND)
    assert outcomes(yard.ear) == [("md-t", 1, "done"), ("md-t", 2, "done")]


def test_remembers_a_thousand_orders() -> None:
    yard = Yard()
    for number in range(KEPT + 1):
        yard.instance.give(order(f"t{number}", 0))
        yard.pass_time(0)
    yard.instance.give(order("t1", 0))
    assert now(yard.instance) == ("idle", None)
    yard.instance.give(order("t0", 0))
    assert now(yard.instance) == ("busy", "t0")


def test_another_order_while_it_is_busy_is_refused_at_once() -> None:
    yard = Yard()
    yard.instance.give(order("a"))
    yard.instance.give(order("b"))
    assert outcomes(yard.ear) == [("md-b", 1, "busy")]
    yard.pass_time(SECOND)
    assert outcomes(yard.ear)[1:] == [("md-a", 1, "done")]
    yard.instance.give(order("b"))
    assert yard.instance.op == "b"  # it never had it


def test_what_cannot_be_worked_on_is_refused_at_once() -> None:
    yard = Yard()
    yard.instance.give(Order("md-t", 1, {}))
    assert (yard.instance.state, len(yard.ear.heard)) == ("idle", 1)
    assert "client_task_id" in (yard.ear.heard[0].error or "")


def test_a_crash_loses_the_work_and_is_noticed() -> None:
    yard = Yard()
    yard.instance.give(order("t"))
    yard.pass_time(SECOND // 2)
    yard.instance.go_down("crashed", "f")
    assert (yard.instance.op, yard.instance.is_up, yard.ear.noticed) == (None, False, ["crashed"])
    yard.pass_time(5 * SECOND)
    yard.instance.come_up("f")
    yard.instance.give(order("t"))  # it has forgotten that it had it
    yard.pass_time(SECOND)
    assert yard.ear.noticed == ["crashed", "idle"]
    assert outcomes(yard.ear) == [("md-t", 1, "done")]
    assert yard.told("work.ended", "instance.changed")[1:4] == [
        (0.5, "work.ended", "t", "inst-0", "aborted"),
        (0.5, "instance.changed", "inst-0", "crashed"),
        (5.5, "instance.changed", "inst-0", "idle"),
    ]


def test_who_gives_an_order_to_what_is_down_is_told_again() -> None:
    yard = Yard()
    yard.instance.go_down("off")
    yard.instance.give(order("t"))
    assert (yard.ear.noticed, yard.ear.heard) == (["off", "off"], [])


def test_comes_up_on_the_account_on_which_it_went_down() -> None:
    yard = Yard()
    yard.instance.go_down("off", "a")
    yard.instance.go_down("crashed", "b")
    assert (yard.instance.state, yard.instance.is_down_by("b")) == ("off", False)
    yard.instance.come_up("b")
    assert yard.instance.is_down_by("a")
    yard.instance.come_up("a")
    yard.instance.come_up("a")
    assert yard.instance.is_up
    yard.instance.go_down("off", "a")
    yard.instance.come_up()
    assert (yard.instance.is_up, len(yard.ear.noticed)) == (True, 4)


def test_over_a_cut_line_orders_are_lost_and_results_are_kept() -> None:
    yard = Yard()
    felt: list[str] = []
    yard.instance.give(order("a"))
    yard.instance.cut("f", felt_by(felt))
    assert not yard.instance.answers()
    yard.instance.give(order("b"))
    yard.pass_time(SECOND)
    assert (yard.instance.state, yard.ear.heard) == ("idle", [])
    assert felt == ["", "b", "a"]
    yard.instance.mend("f")
    assert yard.instance.answers()
    assert outcomes(yard.ear) == [("md-a", 1, "done")]
    assert yard.instance.op is None
    yard.instance.give(order("b"))
    assert yard.instance.op == "b"


def test_a_line_cut_twice_is_mended_twice() -> None:
    yard = Yard()
    for name in "ab":
        yard.instance.cut(name, felt_by([]))
    yard.instance.mend("a")
    yard.instance.mend("a")
    assert (yard.instance.answers(), yard.instance.is_cut_by("b")) == (False, True)
    yard.instance.mend("b")
    assert yard.instance.answers()


def test_a_crash_behind_a_cut_line_is_noticed_when_it_is_mended() -> None:
    yard = Yard()
    yard.instance.give(order("a"))
    yard.instance.cut("f", felt_by([]))
    yard.instance.give(order("b"))
    yard.instance.go_down("crashed", "g")
    assert yard.ear.noticed == []
    yard.instance.mend("f")
    assert (yard.ear.noticed, yard.ear.heard, yard.instance.op) == (["crashed"], [], None)


def test_keeps_what_nobody_hears() -> None:
    yard = Yard()
    yard.ear.deaf = True
    yard.instance.give(order("a"))
    yard.pass_time(SECOND)
    yard.instance.give(order("b"))
    yard.pass_time(SECOND)
    ear = Ear()
    yard.instance.listen(ear)
    yard.instance.give(order("c"))
    yard.pass_time(SECOND)
    assert [each.task for each in ear.heard] == ["md-a", "md-b", "md-c"]
    assert yard.ear.heard == []


def test_who_listens_anew_hears_nothing_over_a_cut_line() -> None:
    yard, ear = Yard(), Ear()
    yard.instance.give(order("a"))
    yard.instance.cut("f", felt_by([]))
    yard.pass_time(SECOND)
    yard.instance.listen(ear)
    assert ear.heard == []
    yard.instance.mend("f")
    assert outcomes(ear) == [("md-a", 1, "done")]


def test_what_it_has_kept_is_lost_when_it_goes_down() -> None:
    yard = Yard()
    yard.instance.give(order("a"))
    yard.instance.cut("f", felt_by([]))
    yard.pass_time(SECOND)
    yard.instance.go_down("crashed")
    yard.instance.come_up()
    yard.instance.mend("f")
    assert yard.ear.heard == []


def test_tells_what_is_read_and_written() -> None:
    yard = Yard()
    heard: list[tuple[str, str]] = []
    yard.log.listener = lambda resource, mode: heard.append((resource, mode))
    yard.instance.answers()
    assert heard == [("instance.inst-0", "read")]
    yard.instance.give(order("t"))
    assert heard[1:] == [("instance.inst-0", "read"), ("instance.inst-0", "write")]
    yard.pass_time(SECOND)
    assert heard[3:] == [("instance.inst-0", "write")]


# ---------------------------------------------------------------- against a plain model


@dataclass
class Model:
    """What an instance is to do, in the plainest words: it has the clock as an argument."""

    up: bool = True
    cut: bool = False
    listens: bool = True
    order: Order | None = None
    ends: int = 0
    had: set[tuple[str, int]] = field(default_factory=set)
    going: deque[tuple[str, int, str]] = field(default_factory=deque)
    heard: list[tuple[str, int, str]] = field(default_factory=list)
    begun: int = 0
    ended: int = 0

    def take(self, order: Order, now: int) -> None:
        if not self.up or order[:2] in self.had:
            return
        if self.order is not None:
            self.going.append((order.task, order.attempt, "busy"))
        else:
            self.had.add(order[:2])
            self.order, self.ends = order, now + order.payload["work_ns"]
            self.begun += 1

    def pass_to(self, now: int) -> None:
        if self.order is not None and self.ends <= now:
            self.going.append((self.order.task, self.order.attempt, "done"))
            self.order = None
            self.ended += 1
        self.flow()

    def flow(self) -> None:
        while self.going and self.listens and not self.cut:
            self.heard.append(self.going.popleft())

    def go_down(self) -> None:
        self.up = False
        self.ended += self.order is not None
        self.order = None
        self.had.clear()
        self.going.clear()


class InstanceMachine(RuleBasedStateMachine):
    """Whatever befalls an instance, it does what the model does."""

    def __init__(self) -> None:
        super().__init__()
        self.yard = Yard()
        self.model = Model()
        self.given: dict[tuple[str, int], Order] = {}

    @rule(op=st.sampled_from("abc"), attempt=st.integers(1, 3), work=st.integers(0, 5))
    def give(self, op: str, attempt: int, work: int) -> None:
        given = self.given.setdefault((f"md-{op}", attempt), order(op, work / 1e9, attempt))
        self.yard.instance.give(given)
        if not self.model.cut:
            self.model.take(given, self.yard.env.now)
            self.model.flow()

    @rule(ns=st.integers(0, 7))
    def pass_time(self, ns: int) -> None:
        self.yard.pass_time(ns)
        self.model.pass_to(self.yard.env.now)

    @precondition(lambda self: not self.model.cut)
    @rule()
    def cut(self) -> None:
        self.yard.instance.cut("f", felt_by([]))
        self.model.cut = True

    @precondition(lambda self: self.model.cut)
    @rule()
    def mend(self) -> None:
        self.yard.instance.mend("f")
        self.model.cut = False
        self.model.flow()

    @precondition(lambda self: self.model.up)
    @rule(state=st.sampled_from(["crashed", "off"]))
    def go_down(self, state: Any) -> None:
        self.yard.instance.go_down(state)
        self.model.go_down()

    @precondition(lambda self: not self.model.up)
    @rule()
    def come_up(self) -> None:
        self.yard.instance.come_up()
        self.model.up = True

    @rule()
    def listen_or_not(self) -> None:
        ear, model = self.yard.ear, self.model
        model.listens = not model.listens
        ear.deaf = not model.listens
        if model.listens:
            self.yard.instance.listen(ear)
        model.flow()

    @invariant()
    def is_what_the_model_is(self) -> None:
        instance: Instance = self.yard.instance
        assert instance.order == self.model.order
        assert (instance.is_up, instance.answers()) == (
            self.model.up,
            self.model.up and not self.model.cut,
        )
        assert outcomes(self.yard.ear) == self.model.heard

    @invariant()
    def works_on_one_task_at_a_time_and_ends_each(self) -> None:
        at_work: list[str] = []
        for event in self.yard.trace.of("work.started", "work.ended"):
            if event.kind == "work.started":
                assert at_work == []
                at_work.append(event.op)
            else:
                assert at_work.pop() == event.op
        assert at_work == ([] if self.model.order is None else [self.yard.instance.op])
        counts = [len(list(self.yard.trace.of(f"work.{what}"))) for what in ("started", "ended")]
        assert counts == [self.model.begun, self.model.ended]

    @invariant()
    def says_nothing_but_of_what_it_was_given(self) -> None:
        for result in self.yard.ear.heard:
            payload = self.given[result.task, result.attempt].payload
            assert result.result == (None if result.error else result_of(payload))


InstanceMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=40)
TestInstanceMachine = InstanceMachine.TestCase
