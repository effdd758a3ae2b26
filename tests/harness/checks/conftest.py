"""A story: a small trace told step by step, and the checks run over it.

Times are whole milliseconds, given to `at`; what follows happens at that instant.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import pytest

from windtunnel.canonical import check_event
from windtunnel.checks import CHECKS, CheckResult, Context, judge
from windtunnel.trace import Trace
from windtunnel.units import MS
from windtunnel.world import RunEnd

LIMIT = RunEnd("limit", "the limit of 60 s real time was reached")


class Story:
    """Builds a trace; every step returns the story itself."""

    def __init__(self) -> None:
        self.now = 0
        self.trace = Trace(lambda: self.now * MS)
        self.classes: dict[str, str] = {}
        self.routes: dict[str, str] = {}

    def at(self, ms: int) -> Self:
        self.now = ms
        return self

    def record(self, kind: str, **fields: Any) -> Self:
        self.trace.record(kind, **fields)
        check_event(self.trace[len(self.trace) - 1])
        return self

    def submit(
        self,
        *ops: str,
        class_: str = "send_text",
        priority: int = 2,
        via: str = "execute",
        actor: str = "route",
        **more: object,
    ) -> Self:
        for op in ops:
            self.classes[op] = class_
            details = {"priority": priority, "via": via, **more}
            self.record("action.submitted", op=op, class_=class_, actor=actor, details=details)
        return self

    def start(self, op: str) -> Self:
        return self.record("action.started", op=op, class_=self.class_of(op))

    def settle(self, op: str, outcome: str = "done", **details: object) -> Self:
        return self._end("action.settled", op, outcome, details)

    def answer(self, op: str, outcome: str = "done", **details: object) -> Self:
        return self._end("caller.settled", op, outcome, details)

    def close(self, op: str, outcome: str = "done", **details: object) -> Self:
        """End an operation and tell its caller; only the caller hears more than the code."""
        code = {name: value for name, value in details.items() if name == "code"}
        return self.settle(op, outcome, **code).answer(op, outcome, **details)

    def receive(self, *ops: str, class_: str = "route.send_text") -> Self:
        for op in ops:
            self.routes[op] = class_
            self.record("request.received", op=op, class_=class_)
        return self

    def respond(self, op: str, outcome: str = "done", status: int = 200, **details: object) -> Self:
        fields = {"op": op, "class_": self.routes.get(op, "route.send_text"), "outcome": outcome}
        return self.record("request.answered", **fields, details={"status": status, **details})

    def deliver(self, op: str, to: str, text: str = "hello") -> Self:
        fields = {"op": op, "class_": self.class_of(op), "resource": to}
        return self.record("message.delivered", **fields, details={"text": text})

    def drain(self, *, drained: bool = True, actor: str = "scheduler") -> Self:
        return self.record("drain.ended", actor=actor, details={"drained": drained})

    def fault(self, op: str = "fault-0", kind: str = "fault.injected") -> Self:
        return self.record(kind, op=op, class_="kill", actor="fault")

    def open_window(self, ms: int) -> Self:
        details = {"left": ms * MS, "pending": 0}
        return self.record("window.opened", details=details)

    def begin(
        self,
        op: str,
        command: str = "click",
        step: int = 0,
        on: str = "display",
        class_: str = "",
    ) -> Self:
        details = {"command": command, "step": step}
        class_ = class_ or self.class_of(op)
        return self.record("command.started", op=op, class_=class_, resource=on, details=details)

    def over(
        self,
        op: str,
        command: str = "click",
        step: int = 0,
        on: str = "display",
        class_: str = "",
    ) -> Self:
        details = {"command": command, "step": step}
        class_ = class_ or self.class_of(op)
        fields = {"op": op, "class_": class_, "resource": on, "outcome": "done"}
        return self.record("command.ended", **fields, details=details)

    def kill(self, op: str = "", actor: str = "", on: str = "wechat") -> Self:
        fields = {"op": op, "actor": actor, "resource": on}
        return self.record("process.killed", **fields, details={"pid": 7})

    def move(self, op: str, source: str = "", goal: str = "", host: str = "backend") -> Self:
        """Move a task from place to place by one commit; `""` stands for nowhere."""
        details = {name: at for name, at in (("from", source), ("to", goal)) if at}
        return self.record("task.moved", op=op, actor=host, details=details)

    def work(self, op: str, on: str = "inst-0", side: str = "internal") -> Self:
        return self.record("work.started", op=op, resource=on, details={"side": side})

    def worked(
        self, op: str, on: str = "inst-0", side: str = "internal", outcome: str = "done"
    ) -> Self:
        fields = {"op": op, "resource": on, "outcome": outcome}
        return self.record("work.ended", **fields, details={"side": side})

    def sent(self, op: str, side: str = "internal") -> Self:
        return self.record("task.sent", op=op, details={"side": side, "request": f"md-{op}"})

    def assign(self, op: str, instance: str = "inst-0") -> Self:
        details = {"instance": instance, "bridge": "bridge-0", "retries": 0}
        return self.record("task.assigned", op=op, details=details)

    def release(self, op: str, instance: str = "inst-0", why: str = "done") -> Self:
        return self.record("task.released", op=op, details={"instance": instance, "why": why})

    def decide(self, waiting: int, free: tuple[int, int], to: tuple[int, int]) -> Self:
        """Split what waits; the pairs are (inside, outside)."""
        details = {"waiting": waiting, "internal": free[0], "external": free[1]}
        details |= {"to_internal": to[0], "to_external": to[1]}
        return self.record("route.decided", details=details)

    def degrade(self, reason: str = "channel_closed", since: int | None = None) -> Self:
        """Degrade the router; `since` is in milliseconds, now if not given."""
        after = 0 if since is None else (self.now - since) * MS
        return self.record("router.degraded", details={"reason": reason, "after": after})

    def recover(self) -> Self:
        return self.record("router.recovered", details={"after": 0})

    def health(self, *checks: bool) -> Self:
        for healthy in checks:
            score = 1.0 if healthy else 0.4
            self.record("health.checked", details={"healthy": healthy, "score": score})
        return self

    def observe(self, **values: object) -> Self:
        return self.record("world.observed", details={"values": values})

    def play(self, steps: Iterable[tuple[int, int]]) -> Self:
        """Tell a random story that is possible: (ms that pass, number of an operation).

        Each mention takes the operation one phase further: submitted, started, settled, answered.
        Operations 5 and 6 never start, 7 goes past the scheduler; priorities are the number
        modulo 3.
        """
        for passed, number in steps:
            op = f"op.{number}"
            phases = ["submitted", "started", "settled", "answered"]
            if number in (5, 6):
                phases.remove("started")
            done = sum(1 for event in self.trace if event.op == op)
            self.at(self.now + passed)
            if done < len(phases):
                self._step(op, phases[done], number)
        return self

    def check(self, name: str, args: Any = None, end: RunEnd | None = None) -> CheckResult:
        """Judge the trace as it is by a check with arguments as they stand in a file."""
        spec = CHECKS[name]
        context = Context(end or RunEnd("finished"), {"tasks": 3})
        return judge(spec, self.trace, spec.args.model_validate(args or {}), context)

    def after_a_limit(self, name: str, args: Any = None) -> CheckResult:
        return self.check(name, args, LIMIT)

    def class_of(self, op: str) -> str:
        return self.classes.get(op, "send_text")

    def _end(self, kind: str, op: str, outcome: str, details: dict[str, object]) -> Self:
        fields = {"op": op, "class_": self.class_of(op), "outcome": outcome}
        return self.record(kind, **fields, details=details)

    def _step(self, op: str, phase: str, number: int) -> None:
        match phase:
            case "submitted":
                via = "direct" if number == 7 else "execute"
                class_ = "even" if number % 2 == 0 else "odd"
                self.submit(op, class_=class_, priority=number % 3, via=via)
            case "started":
                self.start(op)
            case "settled":
                self.settle(op)
            case _:
                self.answer(op)


@pytest.fixture(scope="session")
def new_story() -> type[Story]:
    """Give the class, for tests that tell many stories."""
    return Story


@pytest.fixture
def story() -> Story:
    """Give a fresh story."""
    return Story()
