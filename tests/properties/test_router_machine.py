"""The router as a state machine: whatever is done to it, what must always hold does.

Both programs live on between the steps in their world. After each step the books that the test
keeps are looked at; in the end all faults are undone, and every task must end and every place be
free again.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from router_kit import Books, LiveRouter
from windtunnel.checks import Verdict
from windtunnel.policies.router.split import split
from windtunnel.units import MS, SECOND
from windtunnel.world import TieOrder, Ties

LONGEST_S: Final = 600.0
"""So long after the last fault, and twice the work that there is, every task is over."""
PROBED_S: Final = 0.9
ROUNDS: Final = 3
"""A task fails after so many rounds of refusals, and before that only if work on it has failed."""
BRIDGES: Final = ["bridge-0", "bridge-1"]
INSTANCES: Final = [f"inst-{number}" for number in range(4)]
HOSTS: Final = ["backend", "dispatcher", *BRIDGES]
LINKS: Final = [
    *(["backend", "dispatcher"], ["dispatcher", "bridge-0"]),
    *(["dispatcher", "bridge-1"], ["backend", "external"]),
]
SERVERS: Final = [
    {"target": "dispatcher", "path": "/api/task"},
    {"target": "dispatcher", "path": "/api/auth/login"},
    {"target": "dispatcher", "path": "/api/health"},
    {"target": "external", "path": "/task/openapi/create"},
    {"target": "external", "path": "/task/openapi/outputs"},
    {"target": "backend", "path": "/callback"},
]
MOST: Final = 4
"""So many faults are on at once."""
Wait = tuple[float, str | None]
WAIT: Final[st.SearchStrategy[Wait]] = st.one_of(
    st.sampled_from([0.0, 0.001, 0.004, 0.02, 0.1, 0.4, 1.0, 3.0, 8.0, 20.0, 60.0]).map(
        lambda seconds: (seconds, None)
    ),
    st.sampled_from(
        [
            *("task.moved", "task.sent", "task.accepted", "task.assigned", "task.requeued"),
            *("work.started", "work.ended", "action.settled", "webhook.tried", "capacity.known"),
        ]
    ).map(lambda kind: (10.0, kind)),
)
"""How long each step lasts: so many seconds, or until the next event of a kind comes."""
TIMES: Final = st.integers(1, 4)
OFTEN: Final = st.none() | TIMES
"""None: as long as the fault is on."""


def some(do: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[str, Any]]:
    """Make faults of a kind with these fields."""
    return st.tuples(st.just(do), st.fixed_dictionaries(fields))


def at_server(do: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[str, Any]]:
    """Make faults of what a server answers, a few times or as long as they are on."""
    said = st.fixed_dictionaries({"times": OFTEN, **fields})
    return st.builds(lambda one, other: (do, one | other), st.sampled_from(SERVERS), said)


ONE_OF_ALL: Final = st.sampled_from([*HOSTS, "external", *INSTANCES]).map(lambda name: [name])
A_WORKER: Final = st.sampled_from(["external", *INSTANCES]).map(lambda name: [name])
SOME_INSTANCES: Final = st.lists(st.sampled_from(INSTANCES), min_size=1, max_size=3, unique=True)
LINK: Final = st.sampled_from(LINKS)
PROGRAM: Final = st.sampled_from(["backend", "dispatcher"])
SHARE: Final = st.sampled_from([0.3, 1.0])
FAULTS: Final = st.one_of(
    some("crash", target=ONE_OF_ALL),
    some("crash", target=PROGRAM.map(lambda name: [name])),
    some("crash", target=SOME_INSTANCES),
    some("off", target=SOME_INSTANCES),
    some("partition", target=ONE_OF_ALL),
    some("partition", target=SOME_INSTANCES),
    some("silent", between=LINK),
    some("flap", between=LINK),
    some("lose", between=LINK, times=TIMES),
    some("lose", between=LINK, share=SHARE),
    some("duplicate", between=LINK, share=SHARE),
    some("delay", between=LINK, times=OFTEN, by=st.sampled_from([2 * MS, SECOND, 7 * SECOND])),
    at_server("reject", status=st.sampled_from([401, 429, 500, 503])),
    at_server("unanswered", after=st.booleans()),
    at_server("accept_late", by=st.sampled_from([SECOND, 29_900 * MS, 40 * SECOND])),
    some("store_down", target=PROGRAM),
    some("fail_work", target=A_WORKER, times=TIMES),
    some("slow_work", target=A_WORKER, by=st.sampled_from([0.5, 6.0])),
    some("occupy", slots=st.integers(1, 3)),
)
BEATS: Final = st.sampled_from(
    [{"heartbeat": "1s", "dead_after": "3s"}, {"heartbeat": "10s", "dead_after": "30s"}]
)
SIZES: Final = st.fixed_dictionaries({"internal": st.integers(1, 4), "external": st.integers(0, 3)})
GIVEN: Final = st.fixed_dictionaries(
    {
        "fleet": st.builds(lambda size, beat: size | beat, SIZES, BEATS),
        "network": st.fixed_dictionaries(
            {"latency": st.sampled_from(["0s", "1ms", {"min": "1ms", "max": "20ms"}])}
        ),
        "router": st.fixed_dictionaries(
            {"expiry": st.sampled_from(["30s", "30min"]), "queue_max": st.sampled_from([4, 1000])}
        ),
    }
)
ORDERS: Final[tuple[TieOrder, ...]] = ("fifo", "seeded")

logger = logging.getLogger("windtunnel")


class RouterMachine(RuleBasedStateMachine):
    """Tasks, faults of every kind, their end, and time, in any order."""

    live: LiveRouter
    books: Books

    @initialize(given=GIVEN, seed=st.integers(0, 2**16), order=st.sampled_from(ORDERS))
    def make(self, given: Mapping[str, Any], seed: int, order: TieOrder) -> None:
        logger.setLevel(logging.CRITICAL + 1)
        self.live = LiveRouter(given, seed=seed, ties=Ties(order, seed))
        self.books = Books(self.live)
        self.online = self.live.given.online
        self.work_s = 0.0

    # -- what is done to it -------------------------------------------------------------------

    @rule(
        count=st.integers(1, 6),
        work=st.sampled_from([0, 300, 1000, 5000, 20_000]),
        preferred=st.none() | st.sampled_from(INSTANCES),
        wait=WAIT,
    )
    def submit(self, count: int, work: int, preferred: str | None, wait: Wait) -> None:
        self.live.submit(count, work=f"{work}ms", preferred=preferred)
        self.work_s += count * work / 1000
        self.live.advance(*wait)

    @precondition(lambda self: self.live.submitted)
    @rule(back=st.integers(0, 5), wait=WAIT)
    def submit_again(self, back: int, wait: Wait) -> None:
        ids = self.live.submitted
        self.live.call("backend.submit_again", task=ids[-1 - back % len(ids)])
        self.live.advance(*wait)

    @precondition(lambda self: len(self.live.on) < MOST)
    @rule(fault=FAULTS, wait=WAIT)
    def break_something(self, fault: tuple[str, dict[str, Any]], wait: Wait) -> None:
        do, said = fault
        if "target" in said and not isinstance(said["target"], str):
            there = [name for name in said["target"] if self.may_be_hit(do, name)]
            if not there:
                return
            said = said | {"target": there}
        self.live.bring_about(do, **said)
        self.live.advance(*wait)

    @precondition(lambda self: self.live.on)
    @rule(number=st.integers(0, MOST - 1), wait=WAIT)
    def mend(self, number: int, wait: Wait) -> None:
        self.live.take_back(self.live.on[number % len(self.live.on)])
        self.live.advance(*wait)

    def may_be_hit(self, do: str, target: str) -> bool:
        if target in INSTANCES[self.online :]:
            return False
        return do not in ("crash", "off") or self.live.is_up(target)

    # -- what must always hold ----------------------------------------------------------------

    @precondition(lambda self: hasattr(self, "books"))
    @invariant()
    def the_books_are_in_order(self) -> None:
        self.books.look()
        assert not self.books.wrong, "\n".join(self.books.wrong)

    # -- what must hold in the end ------------------------------------------------------------

    def teardown(self) -> None:
        if not hasattr(self, "live"):
            return
        try:
            if sys.exception() is None:
                self.mend_all()
                self.everything_ends()
                self.everything_is_as_it_was()
                self.the_checks_pass()
        finally:
            logger.setLevel(logging.NOTSET)
            self.live.close()

    def mend_all(self) -> None:
        self.live.mend_all()
        self.live.advance(LONGEST_S + 2 * self.work_s)
        self.the_books_are_in_order()

    def everything_ends(self) -> None:
        books = self.books
        ids = set(self.live.submitted)
        assert books.settled.keys() == ids, f"{ids - books.settled.keys()} go on: {books.where()}"
        assert books.told == books.settled
        for id_, outcome in books.settled.items():
            ended = books.ended.get(id_, Counter())
            if outcome == "done":
                assert ended.get("done"), f"{id_} is done, and nobody has done it"
            elif outcome == "failed":
                tried = ended.get("failed") or ended.get("aborted") or books.refusals[id_] >= ROUNDS
                assert tried, f"{id_} has failed without a reason"
        assert self.live.unended_calls() == 0

    def everything_is_as_it_was(self) -> None:
        """No place is taken any more, and the next tasks go where there is room."""
        left = {place: self.live.observe()[place] for place in OPEN}
        assert not any(left.values()), left
        assert not any(self.books.at_work.values()), self.books.at_work
        external = self.live.given.fleet.external
        before = self.live.observe()
        assert (before["degraded"], before["available"]) == (False, self.online)
        count = self.online + external + 2
        self.live.submit(count, work="1s")
        self.live.advance(PROBED_S)
        after = self.live.observe()
        went = {side: after[side] - before[side] for side in ("to_internal", "to_external")}
        inside, outside, waiting = map(len, split(range(count), self.online, external))
        assert went == {"to_internal": inside, "to_external": outside}
        assert after["waiting"] == waiting
        self.live.advance(60)
        self.the_books_are_in_order()
        assert set(self.live.submitted) == self.books.told.keys()

    def the_checks_pass(self) -> None:
        for check, args in CHECKS_AT_END:
            result = self.live.judged(check, **args)
            assert result.verdict in (Verdict.PASS, Verdict.VACUOUS), f"{check}: {result.message}"


OPEN: Final = (
    *("waiting", "sending", "inside", "outside"),
    *("pending", "processing", "offered"),
)
CHECKS_AT_END: Final[list[tuple[str, dict[str, Any]]]] = [
    ("balance", {}),
    ("conservation", {"accepted_once": True}),
]

TestRouterMachine = pytest.mark.spec(
    *("RT-R3", "RT-S4", "RT-C1", "RT-C2", "RT-C3", "RT-B3", "RT-B4", "RT-D3", "RT-P4", "F-R9")
)(RouterMachine.TestCase)
TestRouterMachine.settings = settings(max_examples=100, stateful_step_count=25)
