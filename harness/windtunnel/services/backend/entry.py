"""The entry: one task as the backend's ledger has it, and its text in the store.

Imports the answer and the wire form of a task.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii as quoted
from typing import Final, Literal

from windtunnel.services.backend.answer import Answer, Status
from windtunnel.services.wire.task import Task

Side = Literal["internal", "external"]
Place = Literal["waiting", "sending", "inside", "outside", "done", "failed", "expired"]
"""A table of the store; a task that was taken in is in exactly one of them."""

OVER: Final[tuple[Status, ...]] = ("done", "failed", "expired")
"""The places that a task does not leave."""


_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def dumps(value: object) -> str:
    """Return the JSON text of a value; raises TypeError or ValueError where it has none."""
    try:
        return _ENCODER.encode(value)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def is_json(value: object) -> bool:
    """Tell whether a value has a JSON text: what others send is any object of ours (RT-X2)."""
    if value is None or isinstance(value, str):  # nearly always
        return True
    try:
        dumps(value)
    except (TypeError, ValueError):
        return False
    return True


@dataclass(slots=True, eq=False)
class Entry:
    """A task and where it is; only the ledger moves it.

    Its other fields are changed just before a move, which has the store know of them, and
    `external` never while it waits.
    """

    number: int
    """Tasks wait in the order of their numbers: that in which they were taken in."""
    id: str
    """The task's."""
    task: Task
    text: str
    """The task as JSON, made once."""
    place: Place = "waiting"
    stored: Place | None = None
    """Where the store has it; None: nowhere yet."""
    side: Side | None = None
    """Where it is sent, or was sent last."""
    external: bool = False
    """Marked to be completed outside (RT-H6)."""
    offered: bool = False
    """Taken over from the dispatcher, which had offered it (RT-D5)."""
    rounds: int = 0
    """How many rounds of errors it has behind it (RT-K1)."""
    doubt_inside: bool = False
    """Whether the dispatcher may have it: a submission was not answered, and it was not asked."""
    doubt_outside: bool = False
    """Whether the external platform may have it, by a submission that was not answered."""
    request: str = ""
    """By which the platform knows it; empty while it is not known there."""
    answer: Answer | None = None
    """What became of it, once that is so."""
    reservation: int | None = None
    """Of its place inside, in the capacity book; not stored."""
    resumed: bool = False
    """Whether a former life was sending it: its platform may have it; not stored."""
    asked: float = 0.0
    """When its platform took it or was last asked for it, seconds; not stored."""
    until: float = math.inf
    """While it is inside or outside in doubt: when it is given up there, seconds; not stored."""

    @property
    def over(self) -> bool:
        """Whether it has been decided what became of it."""
        return self.answer is not None


def new_entry(number: int, task: Task) -> Entry:
    """Return the entry of a new task; raises TypeError or ValueError for what is no JSON."""
    return Entry(number, task.id, task, dumps({"body": dict(task.body), "platform": task.platform}))


def to_text(entry: Entry) -> str:
    """Return what the store keeps of an entry."""
    if entry.answer is not None:
        return _ending(entry.answer, entry)
    # Written by hand around what is JSON already: each move of each task comes here.
    side = f',"side":"{entry.side}"' if entry.side is not None else ""
    request = f',"request":{quoted(entry.request)}' if entry.request else ""
    external = ',"external":true' if entry.external else ""
    offered = ',"offered":true' if entry.offered else ""
    rounds = f',"rounds":{entry.rounds}' if entry.rounds else ""
    marks = f"{side}{request}{external}{offered}{rounds}"
    if entry.doubt_inside or entry.doubt_outside:
        marks += _doubts(entry)
    return f'{{"number":{entry.number}{marks},"task":{entry.text}}}'


def _doubts(entry: Entry) -> str:
    inside = ',"doubt_inside":true' if entry.doubt_inside else ""
    outside = ',"doubt_outside":true' if entry.doubt_outside else ""
    return inside + outside


def _ending(answer: Answer, entry: Entry) -> str:
    return dumps(
        {
            "status": answer.status,
            "result": answer.result,
            "error": answer.error,
            "offered": entry.offered,
        }
    )


def from_text(id_: str, place: Place, text: str) -> Entry:
    """Return the entry that the store keeps of a task that is not over."""
    said = json.loads(text)
    kept = said.pop("task")
    task = Task(id_, kept["body"], kept["platform"])
    return Entry(id=id_, task=task, text=dumps(kept), place=place, stored=place, **said)


def answer_from(id_: str, text: str) -> tuple[Answer, bool]:
    """Return what the store keeps of a task that is over, and whether it had been offered."""
    said = json.loads(text)
    return Answer(id_, said["status"], said["result"], said["error"]), said["offered"]
