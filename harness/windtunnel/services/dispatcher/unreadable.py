"""What the dispatcher makes of an entry that nobody can read: it is set aside.

Imports the port of the store, entry and the unreadable.
"""

from __future__ import annotations

from typing import Final

from windtunnel.ports.store import Change, Drop, Put
from windtunnel.services.dispatcher.entry import encode
from windtunnel.services.unreadable import Unreadable

BROKEN: Final = "md:broken"
"""The table of what was set aside: `TABLE/ID` → `{table, id, text}`."""


def set_aside(one: Unreadable) -> tuple[Change, Change]:
    """Return the changes that set it aside."""
    text = encode({"table": one.key, "id": one.id, "text": one.text})
    return Drop(one.key, one.id), Put(BROKEN, f"{one.key}/{one.id}", text)
