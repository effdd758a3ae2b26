"""The capacity book: what the backend knows of the capacity inside and outside (RT-S1, S4).

Between two reports of the dispatcher a task that was sent counts at once, as a reservation
(F-R10), until a report counts it there (F-R11). Imports the router's options.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Final

from windtunnel.policies.router.router_options import RouterOptions

INTERNAL_CAPACITY_MAX: Final = 30
EXTERNAL_CAPACITY_MAX: Final = 10

NEXT: Final = 0
"""In the place of a report's sequence number: whichever comes next."""


class CapacityBook:
    """Free capacity on both sides, as `split` takes it: numbers of tasks.

    Reports are numbered by the dispatcher, with growing `sequence` from 1 on. A reservation is
    numbered by the book, from 1 on; the dispatcher's answer to the submission says from which
    report on its task is counted there, and with that report the reservation goes. So reserved and
    busy together are never more than was online by the last report.

    `reserve=False`: nothing is reserved. `reports="erase"`: every report takes all that is reserved
    as counted, late or not.
    """

    __slots__ = (
        "_busy",
        "_due",
        "_external_max",
        "_held",
        "_internal_max",
        "_last",
        "_made",
        "_online",
        "_options",
        "_outside",
    )

    def __init__(
        self,
        options: RouterOptions,
        internal_max: int = INTERNAL_CAPACITY_MAX,
        external_max: int = EXTERNAL_CAPACITY_MAX,
    ) -> None:
        self._options = options
        self._internal_max = internal_max
        self._external_max = external_max
        self._online = 0
        self._busy = 0
        self._last = NEXT
        self._made = 0
        self._outside = 0
        # number → the report that counts it, None while that is not known
        self._held: dict[int, int | None] = {}
        # heap of (report, number); what was released meanwhile is passed over
        self._due: list[tuple[int, int]] = []

    @property
    def reserved(self) -> int:
        """How many tasks were sent inside that no report has counted yet."""
        return len(self._held)

    @property
    def outside_running(self) -> int:
        """How many tasks run outside."""
        return self._outside

    def report(self, online: int, busy: int, sequence: int) -> bool:
        """Take a report: instances online, and those of them busy.

        Returns False, and changes nothing, for one that is older than the last of this link.
        """
        erase = self._options.reports == "erase"
        if sequence < self._last and not erase:
            return False
        self._online = online
        self._busy = busy
        self._last = sequence
        if erase:
            self._held.clear()
            self._due.clear()
        while self._due and self._due[0][0] <= sequence:
            self._held.pop(heappop(self._due)[1], None)
        return True

    def new_link(self) -> None:
        """Count the reports anew: the dispatcher may have begun to count anew, too.

        What it has answered so far is counted in the first report that comes by the new link.
        """
        self._last = NEXT
        self._held = {number: due if due is None else NEXT for number, due in self._held.items()}
        self._due = [(NEXT, number) for number, due in self._held.items() if due is not None]
        heapify(self._due)

    def unknown(self) -> None:
        """Forget the last report, which has run out: until the next there is nothing inside."""
        self._online = self._busy = 0

    def reserve_inside(self) -> int:
        """Count a task that is being sent inside, and return its reservation's number."""
        self._made += 1
        if self._options.reserve:
            self._held[self._made] = None
        return self._made

    def accepted(self, number: int, report: int | None) -> None:
        """Take it that the dispatcher counts a submission's task from that report on.

        That report may have come already; None, where it was not said: the one after the last.
        Nothing happens for a reservation that is gone.
        """
        if number not in self._held:
            return
        if report is None:
            report = self._last + 1
        if self._last and report <= self._last:
            del self._held[number]
        else:
            self._held[number] = report
            heappush(self._due, (report, number))

    def release_inside(self, number: int) -> None:
        """Take back a reservation: its submission was refused or failed, or goes elsewhere.

        Nothing happens for one that is gone.
        """
        self._held.pop(number, None)

    def begin_outside(self) -> None:
        """Count a task that is being sent outside."""
        self._outside += 1

    def end_outside(self) -> None:
        """Count a task outside as ended, or as never begun. Raises ValueError when none runs."""
        if not self._outside:
            raise ValueError("no task runs outside that could end")
        self._outside -= 1

    def internal(self) -> int:
        """Return how many tasks may go inside, or 0 where that is unknown.

        What is online, the maximum at most, less what is busy and what is reserved: so the maximum
        bounds what runs inside at once, not only what one decision sends.
        """
        if self._options.inside == "online":
            return max(0, min(self._internal_max, self._online - len(self._held)))
        return max(0, min(self._internal_max, self._online) - self._busy - len(self._held))

    def external(self) -> int:
        """Return how many tasks may go outside: the maximum less what runs there."""
        if self._options.outside == "maximum":
            return self._external_max
        return max(0, self._external_max - self._outside)
