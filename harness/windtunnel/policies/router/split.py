"""The split: which of the waiting tasks go inside, which outside, which wait (RT-S1 to S3).

Imports nothing of the project.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Split(NamedTuple, Generic[T]):
    """The three parts of a batch; one after another they are the batch, in its order."""

    inside: Sequence[T]
    outside: Sequence[T]
    waiting: Sequence[T]


def split(waiting: Iterable[T], internal: int, external: int) -> Split[T]:
    """Part a batch: the first `internal` tasks inside, the next `external` outside (RT-S1, S5).

    Capacities are numbers of tasks; one below 0 counts as 0. A batch of one is a batch. Each task
    is looked at once.
    """
    tasks = iter(waiting)
    inside = list(islice(tasks, max(0, internal)))
    outside = list(islice(tasks, max(0, external)))
    return Split(inside, outside, list(tasks))
