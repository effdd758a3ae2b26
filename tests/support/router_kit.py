"""A router that lives on from step to step in its world, and the books that are kept on it."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, cast

from windtunnel.checks import CHECKS, CheckResult, Context, judge
from windtunnel.ports.network import Request
from windtunnel.services.wire.task import OWN_ID
from windtunnel.systems.base import NoArgs, Operation, Setup
from windtunnel.systems.router import RouterSystem
from windtunnel.systems.router.calls import CALLS
from windtunnel.systems.router.given import Given
from windtunnel.systems.router.places import CACHE, LEDGER, TERMINAL
from windtunnel.systems.router.policy import Policy
from windtunnel.systems.router.submits import SubmitOptions, TaskArgs
from windtunnel.systems.router.under_test import RouterUnderTest
from windtunnel.trace import Event, Trace
from windtunnel.world import Fault, Ties, WorldSpec
from windtunnel_models.cluster.parcels import Parcel
from windtunnel_models.cluster.part import ClusterPart
from windtunnel_models.cluster.store import SimStore
from windtunnel_models.world import SimWorld

FIFO: Final = Ties()
STORES: Final = {"backend": LEDGER, "dispatcher": CACHE}
"""Host → table of its store → the place that it stands for."""
ALL: Final = 2**31


class LiveRouter:
    """Both programs in a world of their own, whose loop runs only while a step is made."""

    def __init__(
        self, given: Mapping[str, Any] | None = None, *, seed: int = 0, ties: Ties = FIFO
    ) -> None:
        self.given = Given.model_validate(given or {})
        said = self.given.model_dump()
        self.world = SimWorld(WorldSpec(seed, given=said, ties=ties, parts=RouterSystem.parts))
        setup = Setup(self.world, self.given, Policy(), None, planned=(), seed=seed)
        self.system: RouterUnderTest = RouterSystem().build(setup)
        self.cluster = cast("ClusterPart", self.world.parts["cluster"])
        self.submitted: list[str] = []
        self.on: list[Fault] = []
        """The faults that are on, in the order in which they came."""
        self._numbers: Counter[str] = Counter()
        self._under_way: set[asyncio.Task[None]] = set()
        self._do(self.system.start)
        self.world.trace.begin()

    # ------------------------------------------------------------------ steps

    def _do(self, act: Callable[[], Awaitable[Any]]) -> None:
        async def step() -> None:
            await act()

        self.world.loop.run_until_complete(step())

    def now(self, act: Callable[[], object]) -> None:
        """Do something within the loop; nothing else has a turn."""

        async def step() -> None:
            act()

        self._do(step)

    def advance(self, seconds: float, until: str | None = None) -> None:
        """Let time pass; no more than it takes until an event of the kind `until` comes."""

        async def wait() -> None:
            come = asyncio.get_running_loop().create_future()
            stop = self.trace.listen(
                until or "run.ended", lambda _: None if come.done() else come.set_result(None)
            )
            await asyncio.wait({come}, timeout=seconds)
            come.cancel()
            stop()

        self._do(wait)

    # ------------------------------------------------------------------ what is done to it

    def submit(self, count: int, **args: Any) -> list[str]:
        """Have the owner hand over so many tasks at this instant; return their ids."""
        ids = [f"t.{len(self.submitted) + number}" for number in range(count)]
        self.submitted += ids
        said = TaskArgs.model_validate(args)

        def hand_over() -> None:
            for id_ in ids:
                self.system.submit(Operation(id_, "submit", "task", said, SubmitOptions()))

        self.now(hand_over)
        return ids

    def call(self, name: str, **args: Any) -> None:
        """Begin a call; it goes on with the next steps."""
        self._numbers["call"] += 1
        said = CALLS[name].model_validate(args)
        operation = Operation(f"call.{self._numbers['call']}", "call", name, said, NoArgs())

        def begin() -> None:
            task = asyncio.ensure_future(self.system.call(operation))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

        self.now(begin)

    def bring_about(self, do: str, **args: Any) -> Fault:
        """Bring a fault about; raises `FaultError` where that cannot be."""
        self._numbers["fault"] += 1
        fault = Fault(f"fault-{self._numbers['fault']}", do, args)
        self.now(lambda: self.world.inject(fault))
        self.on.append(fault)
        return fault

    def take_back(self, fault: Fault) -> None:
        """Undo a fault."""
        self.on.remove(fault)
        self.now(lambda: self.world.undo(fault))

    def mend_all(self) -> None:
        """Undo every fault, the last first, and switch on what is off."""
        for fault in reversed(tuple(self.on)):
            self.take_back(fault)
        off = [name for name, each in self.cluster.fleet.instances.items() if not each.is_up]
        if off:
            self.take_back(self.bring_about("on", target=off))

    def is_up(self, name: str) -> bool:
        """Tell whether a host or an instance can be taken down."""
        instance = self.cluster.fleet.instances.get(name)
        return self.cluster.hosts.is_up(name) if instance is None else instance.is_up

    # ------------------------------------------------------------------ what is seen of it

    @property
    def trace(self) -> Trace:
        """What the world and the programs have recorded."""
        return self.world.trace

    def store(self, host: str) -> SimStore:
        """Return a host's store, whether its program lives or not."""
        return self.cluster.hosts.store(host)

    def places(self, host: str) -> list[tuple[str, str]]:
        """Return (task, place) for each entry of the tables that a host keeps tasks in."""
        tables = STORES[host].items()
        return [
            (id_, place) for key, place in tables for id_, _ in self.store(host).first(key, ALL)
        ]

    def observe(self) -> Mapping[str, Any]:
        """Return the observable values."""
        seen: list[Mapping[str, Any]] = []
        self.now(lambda: seen.append(self.system.observe()))
        return seen[0]

    def sent(self, side: str) -> list[str]:
        """Return the tasks that a side has taken, in order."""
        return [e.op for e in self.trace.of("task.sent") if e.details["side"] == side]

    def worked_on(self, id_: str) -> Mapping[str, Any]:
        """Return the body of a task as whoever works on it has it."""
        fleet = self.cluster.fleet
        inside = (each.order.payload for each in fleet.instances.values() if each.order)
        outside = (job.body for job in fleet.external._running.values())
        return next(body for body in (*inside, *outside) if body[OWN_ID] == id_)

    def unended_calls(self) -> int:
        """Return how many calls go on."""
        return len(self._under_way)

    def judged(self, check: str, **args: Any) -> CheckResult:
        """Return what a check says of all that has happened."""
        spec = CHECKS[check]
        return judge(spec, self.trace, spec.args.model_validate(args), Context())

    def tap(self) -> list[Request]:
        """Return a list to which every request is added that is sent from now on."""
        network, heard = self.cluster.network, list[Request]()
        send = network.send

        def tapped(parcel: Parcel, delay: int | None = None) -> None:
            if isinstance(parcel.content, Request):
                heard.append(parcel.content)
            send(parcel, delay)

        setattr(network, "send", tapped)  # noqa: B010 - as a method it cannot be assigned
        return heard

    # ------------------------------------------------------------------ its end

    def close(self) -> None:
        """Stop both programs and end the world; raises what went wrong in the background."""
        loop = self.world.loop
        with contextlib.closing(loop):
            self.trace.close()
            self._do(self.system.stop)
            loop.cancel_leftovers()
            loop.run_until_complete(loop.shutdown_asyncgens())
        self.trace.release()


class Books:
    """What must hold whatever happens, kept beside the router, of the world's own events.

    `wrong` says what did not hold. Nothing here is told by the services but `task.refused`.
    """

    def __init__(self, live: LiveRouter) -> None:
        self._live = live
        self._read = 0
        self._slots = live.given.fleet.external
        self._last: dict[str, str] = {}
        self._states: dict[str, str] = {}
        self.at_work: dict[str, list[str]] = {}
        """Where somebody works → on which tasks."""
        self.ended: dict[str, Counter[str]] = {}
        """Task → outcome → pieces of work that ended so."""
        self.refusals: Counter[str] = Counter()
        self.settled: dict[str, str] = {}
        self.told: dict[str, str] = {}
        self.wrong: list[str] = []
        self._hear: dict[str, Callable[[Event], None]] = {
            "instance.changed": self._changes,
            "work.started": self._work_starts,
            "work.ended": self._work_ends,
            "task.refused": self._refused,
            "action.settled": self._settles,
            "caller.settled": self._is_told,
            "host.crashed": self._crashes,
            "error.met": self._errs,
        }

    def look(self) -> None:
        """Enter what has happened since the last look, and look at both stores."""
        trace = self._live.trace
        while self._read < len(trace):
            event = trace[self._read]
            self._read += 1
            if (hear := self._hear.get(event.kind)) is not None:
                hear(event)
        self._look_at_stores()

    def _amiss(self, event: Event, what: str) -> None:
        self.wrong.append(f"{event.time / 1e9} s, #{event.seq}: {event.op or '-'} {what}")

    def _changes(self, event: Event) -> None:
        place = event.resource
        self._states[place] = state = event.details["state"]
        if state != "busy" and self.at_work.get(place):
            self._amiss(event, f"{place} is {state} and works on {self.at_work[place]}")

    def _work_starts(self, event: Event) -> None:
        place = event.resource
        here = self.at_work.setdefault(place, [])
        here.append(event.op)
        most = self._slots if event.details["side"] == "external" else 1
        if len(here) > most:
            self._amiss(event, f"is one too many at {place}, beside {here[:-1]}")
        if place in self._states and self._states[place] != "busy":
            self._amiss(event, f"is begun at {place}, which is {self._states[place]}")

    def _work_ends(self, event: Event) -> None:
        self.at_work[event.resource].remove(event.op)
        self.ended.setdefault(event.op, Counter())[event.outcome] += 1

    def _refused(self, event: Event) -> None:
        self.refusals[event.op] += 1

    def _settles(self, event: Event) -> None:
        if event.op in self.settled:
            self._amiss(event, f"settles again, as {event.outcome}")
        self.settled[event.op] = event.outcome

    def _is_told(self, event: Event) -> None:
        if event.op in self.told:
            self._amiss(event, f"'s owner is told again, {event.outcome}")
        self.told[event.op] = event.outcome
        if self.settled.get(event.op) != event.outcome:
            self._amiss(event, f"'s owner is told {event.outcome}, it is {self.settled}")

    def _crashes(self, event: Event) -> None:
        if event.details["why"] == "raised":
            self._amiss(event, f"the program of {event.resource} raised {event.details['error']}")

    def _errs(self, event: Event) -> None:
        if event.details["error"] == "unknown":
            self._amiss(event, f"the {event.details['party']} met an error that it does not know")

    def _look_at_stores(self) -> None:
        for host in STORES:
            twice = [
                id_
                for id_, n in Counter(id_ for id_, _ in self._live.places(host)).items()
                if n > 1
            ]
            if twice:
                self.wrong.append(f"the {host} has {twice} in two places")
        found = dict(self._live.places("backend"))
        for id_ in self._last.keys() - found.keys():
            self.wrong.append(f"{id_} is lost: it was {self._last[id_]}")
        for id_, place in self._last.items():
            if place in TERMINAL and found.get(id_) != place:
                self.wrong.append(f"{id_} was {place} and is {found.get(id_)}")
        for id_ in found.keys() - set(self._live.submitted):
            self.wrong.append(f"{id_} was never submitted")
        self._last = found

    def where(self) -> dict[str, list[str]]:
        """Return the tasks in each place of the backend's, by the last look."""
        found: dict[str, list[str]] = {}
        for id_, place in self._last.items():
            found.setdefault(place, []).append(id_)
        return found
