"""The store of a simulated host: tables that outlive its programs, and who is told of them.

Imports the tables, the log of accesses and the port.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import Context, copy_context
from itertools import islice
from types import MappingProxyType
from typing import Final

from windtunnel.faults import Felt
from windtunnel.ports.hosts import Moved
from windtunnel.ports.store import Change, Condition, Drop, Has, Lacks, Put, Trim
from windtunnel.units import from_seconds
from windtunnel.wechat.accesses import Mode
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.tables import Table
from windtunnel_models.loop.environment import SimEnvironment

Told = Callable[[Sequence[Moved]], None]
Watcher = tuple[Told, Context, frozenset[str]]
"""Who is told, in which context (not in that of the program that commits, nor in its life), and of
which tables."""
Moves = list[tuple[str, str, bool]]
"""(id, key, whether it is there now), as in `Moved`, in order."""
_new: Final = tuple.__new__
"""What `Moved(…)` does in the end: there are several for each task."""

CLUSTER_ACCESSES: Final[Mapping[str, Mode]] = MappingProxyType(
    {
        **dict.fromkeys(("get", "first", "last", "count", "Has", "Lacks"), "read"),
        **dict.fromkeys(("Put", "Drop", "Trim"), "write"),
    }
)
"""Call of a store, condition or change → what it does to `store.HOST.KEY`.

An entry that expires is a write by nobody: it is not reported.
"""


class SimStore:
    """The tables of one host. A program has them through `HostStore`."""

    def __init__(self, env: SimEnvironment, log: AccessLog, name: str) -> None:
        self._env = env
        self._log = log
        self._name = name
        self._tables: dict[str, Table] = {}
        self._watchers: list[Watcher] = []
        self._watched: dict[str, None] = {}
        """The tables that anybody watches."""
        self._awake = math.inf  # the instant of the earliest timer for what expires
        self.outages: dict[str, Felt] = {}
        """Fault → who is told of each call that fails by it; empty: it answers."""

    # ------------------------------------------------------------------ reading

    def get(self, key: str, id_: str) -> str | None:
        """See the port."""
        return self._read(key).get(id_)

    def first(self, key: str, count: int) -> list[tuple[str, str]]:
        """See the port."""
        return list(islice(self._read(key), max(count, 0)))

    def last(self, key: str, count: int) -> list[tuple[str, str]]:
        """See the port."""
        return list(islice(reversed(self._read(key)), max(count, 0)))[::-1]

    def count(self, key: str) -> int:
        """See the port."""
        return len(self._read(key))

    def _read(self, key: str) -> Table:
        table = self._table(key)
        if self._log.listener is not None:
            self._log.report(table.resource, "read")
        return table

    def _table(self, key: str) -> Table:
        """Return a table without what is gone by now."""
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = Table(f"store.{self._name}.{key}")
        elif table.soonest <= self._env.now and (gone := table.expire(self._env.now)):
            self._tell([(id_, key, False) for id_ in gone])
        return table

    # ------------------------------------------------------------------ committing

    def commit(self, changes: Sequence[Change], given: Sequence[Condition]) -> bool:
        """See the port."""
        if given and not all(map(self._holds, given)):
            return False
        moves: Moves = []
        for change in changes:
            if type(change) is Put:
                self._put(change, moves)
            elif type(change) is Drop:
                if self._write(change.key).drop(change.id):
                    moves.append((change.id, change.key, False))
            elif type(change) is Trim:
                trimmed = self._write(change.key).trim(max(change.newest, 0))
                moves.extend((id_, change.key, False) for id_ in trimmed)
            else:
                raise TypeError(f"a change is a Put, a Drop or a Trim, not {change!r}")
        if moves and self._watched:
            self._tell(moves)
        return True

    def _holds(self, condition: Condition) -> bool:
        value = self._read(condition.key).get(condition.id)
        if type(condition) is Lacks:
            return value is None
        if type(condition) is Has:
            return value is not None and condition.value in (None, value)
        raise TypeError(f"a condition is a Has or a Lacks, not {condition!r}")

    def _put(self, put: Put, moves: Moves) -> None:
        until = math.inf
        if put.expires_s is not None:
            until = self._env.now + max(from_seconds(put.expires_s), 1)
        if self._write(put.key).put(put.id, put.value, until, head=put.head):
            moves.append((put.id, put.key, True))
        if until != math.inf and put.key in self._watched:
            self._wake_at(until)

    def _write(self, key: str) -> Table:
        table = self._table(key)
        if self._log.listener is not None:
            self._log.report(table.resource, "write")
        return table

    # ------------------------------------------------------------------ watching

    def watch(self, keys: Collection[str], told: Told) -> None:
        """See `windtunnel.ports.hosts.Hosts.watch`."""
        self._watchers.append((told, copy_context(), frozenset(keys)))
        self._watched.update(dict.fromkeys(keys))
        for key in dict.fromkeys(keys):
            self._wake_at(self._table(key).next_due())

    def _tell(self, moves: Moves) -> None:
        for told, context, keys in self._watchers:
            moved = [_new(Moved, move) for move in moves if move[1] in keys]
            if moved:
                context.copy().run(told, moved)

    def _wake_at(self, until: float) -> None:
        """Be there when the next entry of a watched table is gone: nobody might ask then."""
        if until < self._awake:
            self._awake = until
            timer = self._env.timeout(int(until) - self._env.now)
            timer.callbacks.append(self._expire)

    def _expire(self, _: object) -> None:
        if self._env.now < self._awake:
            return  # an earlier timer has done it
        self._awake = math.inf
        for key in tuple(self._watched):
            self._wake_at(self._table(key).next_due())
