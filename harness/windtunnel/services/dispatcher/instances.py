"""The instances: what the dispatcher believes of each, by what its bridge has said (RT-W4).

Waits for nothing: `now` is an argument, in nanoseconds. Imports the clock, the note, the run and
the router's choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from windtunnel.policies.router.choice import Candidate
from windtunnel.services.clock import iso
from windtunnel.services.dispatcher.entry import Assignment
from windtunnel.services.dispatcher.run import Run
from windtunnel.services.note import Note

Status = Literal["online", "busy", "offline"]

MISSED: Final = 2
"""An assignment that its instance does not name so many heartbeats on has been lost."""
SOMETHING: Final = Run("", 0)
"""What an instance is busy with that was busy when it should not have been."""


@dataclass(slots=True)
class Instance:
    """One instance. It is busy with `run`, which is ours, or one that we have given up on."""

    candidate: Candidate
    heard_at: int
    """When a bridge last named it."""
    reached: bool = False
    """Whether it can be given tasks."""
    lost: bool = False
    """Whether it counts no longer: it went, or was silent for too long."""
    run: Run | None = None
    ours: bool = False
    """Whether the run is one that the cache queue holds as processing here."""
    seen_at: int = 0
    """When the run was given to it, or when it last said that it has it."""
    lacked: bool = False
    """Whether it has since said that it has not."""
    began_at: int = 0
    shown: tuple[Status, Run | None] | None = None
    """What was told of it last."""
    view: Mapping[str, Any] | None = None
    """How a report shows it, until it changes."""
    number: int = 0
    """Its place in the order in which they came."""

    @property
    def status(self) -> Status:
        """What it is, as RT-W4 names it."""
        if not self.reached:
            return "offline"
        return "online" if self.run is None else "busy"


class Instances:
    """The table of the instances; `changed` is called whenever one of them is seen differently.

    `heartbeat` and `dead_after` in nanoseconds.
    """

    def __init__(
        self, *, heartbeat: int, dead_after: int, note: Note, changed: Callable[[], None]
    ) -> None:
        self._missed = MISSED * heartbeat
        self._dead_after = dead_after
        self._note = note
        self._on_change = changed
        self._all: dict[str, Instance] = {}
        # number → who can be given a task
        self._free: dict[int, Candidate] = {}

    # What bridges say.

    def heard(self, bridge: str, id_: str, said: Run | None, now: int) -> Instance:
        """Take in that a bridge reaches an instance, and which run it says it has."""
        instance = self._all.get(id_)
        if instance is None or instance.candidate.bridge != bridge:
            candidate = Candidate(id_, bridge, 0)
            instance = self._all[id_] = _moved(instance, candidate, now, len(self._all))
        if not instance.reached:
            instance.reached, instance.lost = True, False
            if not instance.lacked:
                # It has had no time to say what it was given while it was out of reach.
                instance.seen_at = now
        instance.heard_at = now
        if said == instance.run:
            instance.seen_at, instance.lacked = now, False
        elif instance.ours:
            instance.lacked = True
        else:
            instance.run, instance.began_at = said, now
        self._tell(instance)
        return instance

    def lacks(self, instance: Instance, said: Run | None, now: int) -> bool:
        """Tell whether what it was given has been lost, and count it as free of that if so."""
        if not instance.ours or said == instance.run or now - instance.seen_at < self._missed:
            return False
        instance.run, instance.ours, instance.began_at = said, False, now
        self._tell(instance)
        return True

    def went(self, id_: str, why: str) -> bool:
        """Take in that an instance is no more; False where that is known."""
        instance = self._all.get(id_)
        if instance is None or instance.lost:
            return False
        self._lose(instance, why)
        return True

    def unreached(self, bridge: str) -> None:
        """Take in that a bridge's channel is gone; what its instances have may go on there."""
        for instance in self._all.values():
            if instance.candidate.bridge == bridge and instance.reached:
                instance.reached = False
                self._tell(instance, "disconnected")

    # What time says.

    def overdue(self, now: int) -> int:
        """Lose the instances that were silent for too long, and return how many they are."""
        silent = [
            instance
            for instance in self._all.values()
            if not instance.lost and now >= instance.heard_at + self._dead_after
        ]
        for instance in silent:
            self._lose(instance, "silent")
        return len(silent)

    def overdue_at(self, instance: Instance) -> int:
        """Return the instant at which an instance has been silent for too long, if it is."""
        return instance.heard_at + self._dead_after

    def next_overdue(self) -> int | None:
        """Return the earliest instant at which one may have been silent for too long."""
        heard = [instance.heard_at for instance in self._all.values() if not instance.lost]
        return min(heard) + self._dead_after if heard else None

    def _lose(self, instance: Instance, why: str) -> None:
        instance.reached, instance.lost = False, True
        instance.run, instance.ours = None, False
        self._tell(instance, why)

    # What the dispatcher does.

    def restored(self, was: Assignment, now: int) -> None:
        """Expect an instance to be at work as it was before a restart (RT-B4).

        Unless its bridge has named it already it is not reached yet.
        """
        id_ = was.instance
        instance = self._all.get(id_)
        if instance is None:
            candidate = Candidate(id_, was.bridge, 0)
            instance = self._all[id_] = Instance(candidate, now, number=len(self._all))
        instance.run, instance.ours = was.run, True
        instance.seen_at, instance.began_at = now, was.started_at
        instance.lacked = False
        self._tell(instance)

    def assign(self, id_: str, run: Run, now: int) -> None:
        """Count an instance as busy with a run of ours, from now on (RT-S4)."""
        instance = self._all[id_]
        instance.run, instance.ours = run, True
        instance.seen_at = instance.began_at = now
        instance.lacked = False
        self._tell(instance)

    def free(self, id_: str, run: Run) -> None:
        """Count an instance as free, if it is that run it has."""
        instance = self._all.get(id_)
        if instance is not None and instance.run == run:
            instance.run, instance.ours = None, False
            self._tell(instance)

    def give_up(self, id_: str, run: Run) -> None:
        """Let an instance finish a run that is ours no longer; it stays busy until it says so."""
        if self.holds(id_, run):
            self._all[id_].ours = False

    def refused(self, id_: str, run: Run) -> None:
        """Take in that an instance was busy with something else when it was given a run."""
        if self.holds(id_, run):
            instance = self._all[id_]
            instance.run, instance.ours = SOMETHING, False
            self._tell(instance)

    # What is asked.

    def holds(self, id_: str, run: Run) -> bool:
        """Tell whether an instance is counted as busy with that run of ours."""
        instance = self._all.get(id_)
        return instance is not None and instance.ours and instance.run == run

    def is_of(self, id_: str, bridge: str) -> bool:
        """Tell whether an instance is known as that bridge's."""
        instance = self._all.get(id_)
        return instance is not None and instance.candidate.bridge == bridge

    def is_free(self, id_: str) -> bool:
        """Tell whether an instance can be given a task."""
        instance = self._all[id_]
        return instance.reached and instance.run is None

    def free_ones(self) -> list[Candidate]:
        """Return the instances that can be given a task, in the order in which they came."""
        return [self._free[number] for number in sorted(self._free)]

    @property
    def total(self) -> int:
        """How many are known."""
        return len(self._all)

    @property
    def online(self) -> int:
        """How many are reached; busy ones are among them (RT-W4)."""
        return sum(instance.reached for instance in self._all.values())

    @property
    def busy(self) -> int:
        """How many are reached and busy."""
        return sum(i.reached and i.run is not None for i in self._all.values())

    @property
    def present(self) -> int:
        """How many are not lost: those too whose bridge is being waited for."""
        return sum(not instance.lost for instance in self._all.values())

    def views(self) -> dict[str, list[Mapping[str, Any]]]:
        """Return bridge → how a report shows its instances (RT-W4)."""
        shown: dict[str, list[Mapping[str, Any]]] = {}
        for instance in self._all.values():
            if instance.view is None:
                instance.view = _view(instance)
            shown.setdefault(instance.candidate.bridge, []).append(instance.view)
        return shown

    def _tell(self, instance: Instance, why: str | None = None) -> None:
        if instance.run is None and instance.reached:
            self._free[instance.number] = instance.candidate
        else:
            self._free.pop(instance.number, None)
        before, shown = instance.shown, (instance.status, instance.run)
        if shown == before:
            return
        instance.shown, instance.view = shown, None
        if before is None or shown[0] != before[0]:
            details = {"instance": instance.candidate.id, "status": shown[0]}
            if why is not None:
                details["why"] = why
            self._note("instance.known", "", details)
        self._on_change()


def _moved(old: Instance | None, candidate: Candidate, now: int, number: int) -> Instance:
    """Return a new record; what an instance has goes with it to another bridge."""
    instance = Instance(candidate, now, number=number)
    if old is not None:
        instance.number = old.number
        instance.run, instance.ours, instance.began_at = old.run, old.ours, old.began_at
        instance.seen_at, instance.lacked = old.seen_at, old.lacked
        instance.shown = old.shown
    return instance


def _view(instance: Instance) -> Mapping[str, Any]:
    run = instance.run
    current = None
    if run is not None and run is not SOMETHING:
        current = {"taskId": run.task, "startTime": iso(instance.began_at)}
    return {
        "instanceId": instance.candidate.id,
        "status": instance.status,
        "currentTask": current,
    }
