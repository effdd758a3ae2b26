"""The examination: each kind of trouble is looked for, and what was seen is told as plain data.

Imports the kinds and the probes. Nothing here needs a package of the extra `real`, so that one that
is missing can be told.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from windtunnel_real.doctor import host, locks
from windtunnel_real.doctor.deadline import Probe, look
from windtunnel_real.doctor.kinds import KINDS
from windtunnel_real.doctor.live import Found, look_at_display
from windtunnel_real.doctor.packages import MODULES, package
from windtunnel_real.doctor.programs import fonts, program
from windtunnel_real.doctor.seen import Seen, bad, unseen, warn

PROBES: Final[Mapping[str, Probe]] = {
    "xvfb": partial(program, "Xvfb", bad),
    "xdotool": partial(program, "xdotool", warn),
    "scrot": partial(program, "scrot", warn),
    "openbox": partial(program, "openbox", warn),
    "fonts": fonts,
    **{name: partial(package, name) for name in MODULES},
    "locale": host.utf8_locale,
    "temp-folder": host.temp_folder,
    "socket-folder": host.socket_folder,
    "stale-locks": locks.stale,
    "reused-locks": locks.reused,
    "orphans": locks.orphans,
    "parent-death": host.parent_death,
    "processes": host.processes,
    "dev-shm": host.dev_shm,
    "processors": host.processors,
    "environment": host.environment,
}
"""Id of a kind that is seen without a display → its probe."""
OWN_ONLY: Final = frozenset({"xvfb", "socket-folder"})
"""Kinds that matter only where we start a display ourselves."""
ONE_WAY_ONLY: Final = frozenset({"parallel"})
"""Kinds that are looked at on a display of our own alone."""


def examine(display: str | None = None) -> list[dict[str, Any]]:
    """Look for each kind of trouble, on a display of our own, or on `display` (`:1`).

    Return a row for each kind, in the order of the table: `id`, `place`, `title`, `state` (`ok`,
    `warn`, `bad`: the real world cannot run, `unseen`), `seen`, and, where it is not `ok`, `breaks`
    (what goes wrong) and `mend` (the line that mends it, or empty).
    """
    found: Found = {kind: look(probe) for kind, probe in PROBES.items()}
    if display is not None:
        for kind in OWN_ONLY & {kind for kind, seen in found.items() if seen.state == "bad"}:
            found[kind] = replace(found[kind], state="warn")
    found |= look_at_display(display)
    left_out = ONE_WAY_ONLY if display is not None else frozenset()
    return [
        row(kind, found.get(kind, unseen("there is no display")))
        for kind in KINDS
        if kind not in left_out
    ]


def row(kind: str, seen: Seen) -> dict[str, Any]:
    """Return what is told of one kind."""
    known = KINDS[kind]
    told = {"id": kind, "place": known.place, "title": known.title, "state": seen.state}
    if seen.state in {"ok", "unseen"}:
        return told | {"seen": seen.text}
    mend = known.mend if seen.mend is None else seen.mend
    return told | {"seen": seen.text, "breaks": known.breaks, "mend": _for_this_user(mend)}


def _for_this_user(mend: str) -> str:
    """Return a line as who is not root has to give it."""
    installs = mend.startswith("apt-get ")
    return f"sudo {mend}" if installs and os.geteuid() else mend
