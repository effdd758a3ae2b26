"""The program: `python -m windtunnel_real.standin --data DIR --control SOCKET`.

Imports what it runs, and as little else as it can: a window has to be there soon.
"""

from __future__ import annotations

import time

_STARTED = time.monotonic()

import argparse  # noqa: E402 - the clock starts first
import fcntl  # noqa: E402 - the same
import json  # noqa: E402 - the same
import os  # noqa: E402 - the same
import socket  # noqa: E402 - the same
import sys  # noqa: E402 - the same
from pathlib import Path  # noqa: E402 - the same
from typing import Final  # noqa: E402 - the same

from windtunnel.errors import WindtunnelError  # noqa: E402 - the same
from windtunnel_real.errors import StandinError  # noqa: E402 - the same
from windtunnel_real.standin.application import POPUP_MARK, Application, Birth  # noqa: E402 - the same
from windtunnel_real.standin.commands import LOGINS  # noqa: E402 - the same
from windtunnel_real.standin.control import Control  # noqa: E402 - the same
from windtunnel_real.standin.log import NAME, Log  # noqa: E402 - the same
from windtunnel_real.standin.loop import Loop  # noqa: E402 - the same
from windtunnel_real.standin.records import Records  # noqa: E402 - the same
from windtunnel_real.standin.server import Server  # noqa: E402 - the same
from windtunnel_real.standin.windows import Names  # noqa: E402 - the same

AGAIN_S: Final = 5.0
"""Seconds that a second start has to reach the first, or to take its place."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the program's arguments."""
    made = argparse.ArgumentParser(
        prog="python -m windtunnel_real.standin", description="A stand-in for WeChat on a display."
    )
    made.add_argument("--data", type=Path, required=True, help="folder of its database")
    made.add_argument("--control", type=Path, required=True, help="path of its control socket")
    made.add_argument("--log", type=Path, help="file that the lines of its log are appended to")
    made.add_argument("--display", help="the display; DISPLAY if it is not given")
    made.add_argument("--title", default=Names().title, help="title of the window")
    made.add_argument(
        "--class", dest="window_class", default=Names().window_class, help="WM_CLASS of the window"
    )
    made.add_argument(
        "--start-up", type=_seconds, default=0.0, help="seconds to its window; not with --first"
    )
    made.add_argument(
        "--state", choices=LOGINS, default="logged_in", help="the account's, in an empty folder"
    )
    made.add_argument(
        "--restores-login", choices=("yes", "no"), default="yes", help="whether it stays logged in"
    )
    made.add_argument("--first", action="store_true", help="be there as a run begins")
    made.add_argument("--session", default="", help="whose session is open then")
    return made


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds from 0 on")
    return value


def main() -> int:
    """Run the program; returns its exit code, if its display goes or it cannot start at all."""
    arguments = parser().parse_args()
    Path("/proc/self/comm").write_text(NAME, encoding="utf-8")
    try:
        lock = _lock(arguments.data, arguments.control)
        if lock is not None:
            _run(arguments)
    except WindtunnelError as error:
        sys.stderr.write(f"stand-in: {error}\n")
        return 1
    return 0


def _run(arguments: argparse.Namespace) -> None:
    try:
        log = Log(arguments.log)
    except OSError as error:
        raise StandinError(f"the log {arguments.log} cannot be written: {error}") from error
    records = Records(arguments.data, arguments.state)
    birth = Birth(
        Names(arguments.title, arguments.window_class),
        restores_login=arguments.restores_login == "yes",
        first=arguments.first,
        session=arguments.session,
        popup_mark=arguments.data / POPUP_MARK,
    )
    application = Application(Server(arguments.display), records, log, birth)
    if birth.first:
        # Whoever reaches it finds it there: a run begins with it, it does not come up in it.
        _come_up_at_once(application)
    control = Control(arguments.control)
    log.listener = control.push
    Loop(application, control, None if birth.first else _STARTED + arguments.start_up).run()


def _come_up_at_once(application: Application) -> None:
    application.come_up()
    if not application.until_shown(shown=True):
        raise StandinError("the display's window manager does not show the window")
    application.drain()


def _lock(data: Path, control: Path) -> int | None:
    """Return the held lock of the data folder; None if another process has it, and was told.

    It is let go of with the process, whatever ends that.
    """
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(data / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StandinError(f"the data folder {data} cannot be used: {error}") from error
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if _tell_first(control):
                return None
        else:
            return lock
        if time.monotonic() > _STARTED + AGAIN_S:
            raise StandinError(f"another stand-in has {data} and does not answer on {control}")
        time.sleep(0.01)


def _tell_first(control: Path) -> bool:
    """Tell the process that runs to show its window; tells whether it has answered."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(max(0.1, _STARTED + AGAIN_S - time.monotonic()))
        try:
            connection.connect(str(control))
            connection.sendall(json.dumps({"id": 0, "do": "again"}).encode() + b"\n")
            with connection.makefile() as lines:
                return any('"ok":true' in line for line in lines)
        except OSError:
            return False


if __name__ == "__main__":
    sys.exit(main())
