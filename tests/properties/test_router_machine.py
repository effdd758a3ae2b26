"""The router as a state machine: whatever is done to it, what must always hold does.

Both programs live on between the steps in their world. After each step the books that the test
keeps are looked at; in the end all faults are undone, and every task must end and every place be
free again.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from router_kit import Books, LiveRouter
from windtunnel.checks import Verdict
from windtunnel.policies.router.split import split
from windtunnel.units import MS, SECOND
from windtunnel.world import Ties

LONGEST_S: Final = 600.0
"""So long after the last fault every task is over and everything is as it was."""
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
    ("dispatcher", "/api/task"),
    ("dispatcher", "/api/auth/login"),
    ("dispatcher", "/api/health"),
    ("external", "/task/openapi/create"),
    ("external", "/task/openapi/outputs"),
    ("backend", "/callback"),
]
TIMES: Final = st.integers(1, 4)
STATUSES: Final = [401, 429, 500, 503]
WAITS: Final = [0.001, 0.01, 0.1, 0.4, 1.0, 3.0, 8.0, 20.0, 60.0]

logger = logging.getLogger("windtunnel")


class RouterMachine(RuleBasedStateMachine):
    """Tasks, faults of every kind, their end, and time, in any order."""

    live: LiveRouter
    books: Books

    @initialize(
        internal=st.integers(1, 4),
        external=st.integers(0, 3),
        latency=st.sampled_from(["0s", "1ms", {"min": "1ms", "max": "20ms"}]),
        beat=st.sampled_from([1, 10]),
        expiry=st.sampled_from(["30s", "30min"]),
        queue=st.sampled_from([4, 1000]),
        seed=st.integers(0, 2**16),
        order=st.sampled_from(["fifo", "seeded"]),
    )
    def make(
        self,
        internal: int,
        external: int,
        latency: Any,
        beat: int,
        expiry: str,
        queue: int,
        seed: int,
        order: Any,
    ) -> None:
        logger.setLevel(logging.CRITICAL + 1)
        fleet = {"internal": internal, "external": external}
        self.live = LiveRouter(
            {
                "fleet": {**fleet, "heartbeat": f"{beat}s", "dead_after": f"{3 * beat}s"},
                "network": {"latency": latency},
                "router": {"expiry": expiry, "queue_max": queue},
            },
            seed=seed,
            ties=Ties(order, seed),
        )
        self.books = Books(self.live)
        self.online = internal

    # -- what is done to it -------------------------------------------------------------------

    @rule(
        count=st.integers(1, 6),
        work=st.sampled_from(["0s", "300ms", "1s", "5s"]),
        preferred=st.none() | st.sampled_from(INSTANCES),
    )
    def submit(self, count: int, work: str, preferred: str | None) -> None:
        self.live.submit(count, work=work, preferred=preferred)

    @precondition(lambda self: self.live.submitted)
    @rule(back=st.integers(0, 5))
    def submit_again(self, back: int) -> None:
        ids = self.live.submitted
        self.live.call("backend.submit_again", task=ids[-1 - back % len(ids)])

    @rule(seconds=st.sampled_from(WAITS))
    def let_time_pass(self, seconds: float) -> None:
        self.live.advance(seconds)

    @rule(whom=st.sampled_from([*HOSTS, "external", *INSTANCES]))
    def crash(self, whom: str) -> None:
        if self.is_there(whom) and self.live.is_up(whom):
            self.live.bring_about("crash", target=[whom])

    @rule(whom=st.sets(st.sampled_from(INSTANCES), min_size=1))
    def switch_off(self, whom: set[str]) -> None:
        there = [name for name in sorted(whom) if self.is_there(name) and self.live.is_up(name)]
        if there:
            self.live.bring_about("off", target=there)

    @rule(whom=st.sampled_from([*HOSTS, "external", *INSTANCES]))
    def cut_off(self, whom: str) -> None:
        if self.is_there(whom):
            self.live.bring_about("partition", target=[whom])

    @rule(do=st.sampled_from(["silent", "flap"]), between=st.sampled_from(LINKS))
    def break_link(self, do: str, between: list[str]) -> None:
        self.live.bring_about(do, between=between)

    @rule(
        do=st.sampled_from(["lose", "duplicate", "delay"]),
        between=st.sampled_from(LINKS),
        share=st.sampled_from([0.3, 1.0]),
        times=st.none() | TIMES,
        by=st.sampled_from([2 * MS, 900 * MS, 7 * SECOND]),
    )
    def disturb(self, do: str, between: list[str], share: float, times: Any, by: int) -> None:
        if do == "delay":
            self.live.bring_about(do, between=between, by=by, times=times)
        else:
            measure = {"share": share} if times is None else {"times": times}
            self.live.bring_about(do, between=between, **measure)

    @rule(
        server=st.sampled_from(SERVERS),
        how=st.one_of(
            st.sampled_from(STATUSES).map(lambda status: ("reject", {"status": status})),
            st.booleans().map(lambda after: ("unanswered", {"after": after})),
            st.sampled_from([SECOND, 29_900 * MS, 40 * SECOND]).map(
                lambda by: ("accept_late", {"by": by})
            ),
        ),
        times=st.none() | TIMES,
    )
    def answer_otherwise(
        self, server: tuple[str, str], how: tuple[str, dict[str, Any]], times: int | None
    ) -> None:
        (target, path), (do, said) = server, how
        self.live.bring_about(do, target=target, path=path, times=times, **said)

    @rule(whom=st.sampled_from(["backend", "dispatcher"]))
    def take_store_down(self, whom: str) -> None:
        self.live.bring_about("store_down", target=whom)

    @rule(
        whom=st.sampled_from(["external", *INSTANCES]),
        how=st.one_of(
            TIMES.map(lambda times: ("fail_work", {"times": times})),
            st.sampled_from([0.5, 6.0]).map(lambda by: ("slow_work", {"by": by})),
        ),
    )
    def spoil_work(self, whom: str, how: tuple[str, dict[str, Any]]) -> None:
        do, said = how
        if self.is_there(whom):
            self.live.bring_about(do, target=[whom], **said)

    @rule(slots=st.integers(1, 3))
    def occupy(self, slots: int) -> None:
        self.live.bring_about("occupy", slots=slots)

    @precondition(lambda self: self.live.on)
    @rule(number=st.integers(0, 9))
    def mend(self, number: int) -> None:
        self.live.take_back(self.live.on[number % len(self.live.on)])

    def is_there(self, target: str) -> bool:
        return not target.startswith("inst-") or int(target.removeprefix("inst-")) < self.online

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
        self.live.advance(LONGEST_S)
        self.the_books_are_in_order()

    def everything_ends(self) -> None:
        books = self.books
        ids = set(self.live.submitted)
        assert books.settled.keys() == ids, f"{ids - books.settled.keys()} go on: {books.where()}"
        assert books.told == books.settled
        for id_, outcome in books.settled.items():
            ended = books.ended.get(id_, {})
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
TestRouterMachine.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)
