"""The host: what the system gives to servers and programs on a display.

Imports what a probe saw, and the display's own ways.
"""

from __future__ import annotations

import locale
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from windtunnel_real.display.address import LOCALE
from windtunnel_real.display.attached import Attached
from windtunnel_real.display.link import SOCKET_FOLDER
from windtunnel_real.display.xvfb import check_socket_folder
from windtunnel_real.doctor.seen import Seen, bad, ok, warn
from windtunnel_real.errors import DisplayStartError

ROOM: Final = 100 << 20
"""Bytes that the temporary folder, and the memory, should have left: one display's share."""
SHARED: Final = 64 << 20
"""Bytes of /dev/shm that a container has by default, which are too few."""
_PATIENCE_S: Final = 3.0
_STICKY: Final = 0o1777


def utf8_locale() -> Seen:
    """Look whether texts are UTF-8 here, and in the locale that programs on a display are given."""
    ours = locale.nl_langinfo(locale.CODESET)
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        locale.setlocale(locale.LC_CTYPE, LOCALE)
    except locale.Error:
        return bad(f"there is no {LOCALE}, which programs on a display are given")
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    if ours.upper() != "UTF-8":
        return warn(f"texts are {ours} here; programs on a display are given {LOCALE}")
    return ok(f"{before}; programs on a display are given {LOCALE}")


def temp_folder() -> Seen:
    """Look whether the temporary folder can be written to, and has room."""
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"x")
            folder = tempfile.gettempdir()
    except OSError as error:
        return bad(f"no file can be made: {error.strerror}")
    free = shutil.disk_usage(folder).free
    return (ok if free >= ROOM else warn)(f"{folder}, {_size(free)} free")


def socket_folder(folder: Path = Path(SOCKET_FOLDER)) -> Seen:
    """Look whether a server can make its socket in the folder of sockets."""
    try:
        check_socket_folder(folder)
    except DisplayStartError as error:
        return bad(str(error))
    if not folder.exists():
        return ok(f"{folder} is not there yet: a server makes it")
    mode = folder.stat().st_mode & 0o7777
    if mode != _STICKY:
        return warn(f"{folder} has mode {mode:o}: others may not get in", f"chmod 1777 {folder}")
    return ok(f"{folder}, anybody may write")


def parent_death() -> Seen:
    """Look whether the kernel can be asked to end a program with whoever started it."""
    program = shutil.which("setpriv")
    if program is None:
        return bad("there is no setpriv on the PATH")
    done = subprocess.run(  # noqa: S603 - a program of the PATH, no shell
        [program, "--pdeathsig", "KILL", "cat", "/proc/self/stat"],
        capture_output=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    if done.returncode:
        return bad(f"{program} fails: {done.stderr.decode(errors='replace').strip()}")
    return ok(f"{signal.Signals.SIGKILL.name}, asked for by {program}")


def processes(proc: Path = Path("/proc")) -> Seen:
    """Look whether the name, start and environment of a process of ours can be read."""
    own = proc / str(os.getpid())
    for name in ("comm", "stat", "environ"):
        try:
            (own / name).read_bytes()
        except OSError as error:
            return bad(f"{own / name}: {error.strerror}")
    return ok("names, starts and environments can be read")


def dev_shm(folder: Path = Path("/dev/shm")) -> Seen:  # noqa: S108 - the mount itself
    """Look how big the shared memory of POSIX is."""
    if not folder.is_dir():
        return warn(f"there is no {folder}")
    total = shutil.disk_usage(folder).total
    return (ok if total > SHARED else warn)(_size(total))


def processors(meminfo: Path = Path("/proc/meminfo")) -> Seen:
    """Look how many processors and how much memory there is for displays in parallel."""
    count = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    found = re.search(r"MemAvailable:\s*(\d+) kB", meminfo.read_text(encoding="ascii"))
    free = int(found[1]) << 10 if found else 0
    text = f"{count}, load {load:.1f}, {_size(free)} of memory free: up to {count} displays"
    busy = load > 2 * count or free < ROOM * count
    return (warn if busy or count == 1 else ok)(text)


def environment(variables: Mapping[str, str] = os.environ) -> Seen:
    """Look where DISPLAY and XAUTHORITY lead; displays of our own do not depend on them."""
    name, authority = variables.get("DISPLAY", ""), variables.get("XAUTHORITY", "")
    if authority and not Path(authority).is_file():
        return warn(f"XAUTHORITY names {authority}, which is not there", "unset XAUTHORITY")
    if not name:
        return ok("DISPLAY is not set")
    try:
        Attached.to(name, Path(authority) if authority else None, timeout=_PATIENCE_S).stop()
    except DisplayStartError as error:
        return warn(f"DISPLAY is {name}: {error}", "unset DISPLAY")
    return ok(f"DISPLAY is {name}, and answers")


def _size(count: float) -> str:
    """Return a number of bytes for people: `64 MB`."""
    mega = count / (1 << 20)
    return f"{mega:.0f} MB" if mega < 1024 else f"{mega / 1024:.0f} GB"  # noqa: PLR2004 - of a GB
