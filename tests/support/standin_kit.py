"""A stand-in on a display, with hands (XTEST) and a line to it, for tests.

The hands are python-xlib's own: what they do is what any program does.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Self

from hypothesis import strategies as st
from Xlib import XK, X
from Xlib.display import Display
from Xlib.error import ConnectionClosedError
from Xlib.ext import xtest
from Xlib.protocol import event as xevent

from windtunnel.ports import Frame
from windtunnel.wechat.accesses import NoAccesses
from windtunnel.wechat.database import Database
from windtunnel.wechat.screen import Screen
from windtunnel.wechat.surface import Surface
from windtunnel.wechat.tables import DIALOGS, PICTURED
from windtunnel_real.display.address import DisplayAddress, as_environment
from windtunnel_real.pictures.finding import find
from windtunnel_real.standin import drawing
from windtunnel_real.standin.layout import ORIGIN, WINDOW
from windtunnel_real.standin.log import Log

PATIENCE_S: Final = 60.0
"""A test that waits so long for something has failed."""
ROOT: Final = Path(__file__).resolve().parents[2]


def until(condition: Callable[[], Any]) -> Any:
    """Wait for a condition, and return what it gives."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < deadline, "that never came true"
        time.sleep(0.002)
    return found


class Wire:
    """A client of the control socket that waits for each reply; keeps the lines it hears."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            until(lambda: path.exists() and self._connects(path))
        except BaseException:
            self.socket.close()
            raise
        self.socket.settimeout(PATIENCE_S)
        self._file = self.socket.makefile("r", encoding="utf-8")
        self.lines: list[dict[str, Any]] = []
        self._number = 0

    def _connects(self, path: Path) -> bool:
        with suppress(ConnectionRefusedError):
            self.socket.connect(str(path))
            return True
        return False

    def raw(self, line: bytes) -> dict[str, Any]:
        """Send a line as it is, and return the next reply."""
        self.socket.sendall(line + b"\n")
        return self.reply()

    def reply(self) -> dict[str, Any]:
        """Return the next reply."""
        for line in self._file:
            message: dict[str, Any] = json.loads(line)
            if "log" not in message:
                return message
            self.lines.append(message["log"])
        raise EOFError("the stand-in is gone")

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Ask for something that must not be refused."""
        self._number += 1
        found = self.raw(json.dumps({"id": self._number, "do": do, **fields}).encode())
        assert found["id"] == self._number, found
        assert found["ok"], found
        return found

    def close(self) -> None:
        """Hang up."""
        self._file.close()
        self.socket.close()


class Hands:
    """A pointer, a keyboard, a clipboard and an eye on a display."""

    def __init__(self, address: DisplayAddress) -> None:
        with as_environment(address):
            self.display: Any = Display()
        self.root: Any = self.display.screen().root

    def click(self, x: int, y: int) -> None:
        """Click a point of the stand-in's window, where it is without a window manager."""
        xtest.fake_input(self.display, X.MotionNotify, x=x + ORIGIN[0], y=y + ORIGIN[1])
        xtest.fake_input(self.display, X.ButtonPress, 1)
        xtest.fake_input(self.display, X.ButtonRelease, 1)
        self.display.sync()

    def _code(self, name: str) -> int:
        code: int = self.display.keysym_to_keycode(XK.string_to_keysym(name))
        assert code, f"no key gives {name}"
        return code

    def key(self, name: str) -> None:
        """Press a key by its name: `Return`, `ctrl+v`."""
        *held, last = name.split("+")
        codes = [self._code({"ctrl": "Control_L"}[each]) for each in held] + [self._code(last)]
        self._press(codes)
        self.display.sync()

    def _press(self, codes: list[int]) -> None:
        for code in codes:
            xtest.fake_input(self.display, X.KeyPress, code)
        for code in reversed(codes):
            xtest.fake_input(self.display, X.KeyRelease, code)

    def type(self, text: str) -> None:
        """Type printable ASCII in one go."""
        shift = self._code("Shift_L")
        for letter in text:
            symbol = ord(letter)
            code = self.display.keysym_to_keycode(symbol)
            shifted = self.display.keycode_to_keysym(code, 0) != symbol
            self._press([shift, code] if shifted else [code])
        self.display.sync()

    def paste(
        self, text: str, *, piece: int = 0, before_serving: Callable[[], None] | None = None
    ) -> None:
        """Paste a text, in pieces of so many bytes if that is not 0."""
        with Owner(self.display, text.encode(), piece) as owner:
            self.key("ctrl+v")
            if before_serving is not None:
                before_serving()
            owner.serve()

    def focus(self, window_id: int) -> None:
        """Give the focus to a window, raised."""
        window = self.display.create_resource_object("window", window_id)
        window.configure(stack_mode=X.Above)
        window.set_input_focus(X.RevertToParent, X.CurrentTime)
        self.display.sync()

    def frame(self) -> Frame:
        """Return a picture of the stand-in's window's place."""
        size = WINDOW.width, WINDOW.height
        image = self.root.get_image(*ORIGIN, *size, X.ZPixmap, 0xFFFFFFFF)
        return Frame(*size, bytes(image.data))

    def close(self) -> None:
        """Let go of the display."""
        self.display.close()


class Owner:
    """The owner of the clipboard for one paste."""

    def __init__(self, display: Any, data: bytes, piece: int) -> None:
        self._display = display
        self._data = data
        self._piece = piece
        self._window = display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)

    def __enter__(self) -> Self:
        atom = self._display.intern_atom("CLIPBOARD")
        self._window.set_selection_owner(atom, X.CurrentTime)
        self._display.sync()
        return self

    def __exit__(self, *_: object) -> None:
        self._window.destroy()
        self._display.sync()

    def begin(self) -> tuple[Any, int]:
        """Answer who asks first: with the text, or with how long its pieces are together."""
        asked = self._next(X.SelectionRequest)
        asker, place = asked.requestor, asked.property
        if self._piece:
            asker.change_attributes(event_mask=X.PropertyChangeMask)
            incr = self._display.intern_atom("INCR")
            asker.change_property(place, incr, 32, [len(self._data)])
        else:
            utf8 = self._display.intern_atom("UTF8_STRING")
            asker.change_property(place, utf8, 8, self._data)
        self._notify(asked, place)
        return asker, place

    def serve(self) -> None:
        """Hand the text over to who asks first, in pieces where it has any; the last is empty."""
        asker, place = self.begin()
        if not self._piece:
            return
        starts = range(0, len(self._data), self._piece)
        utf8 = self._display.intern_atom("UTF8_STRING")
        for piece in [*(self._data[start : start + self._piece] for start in starts), b""]:
            self._deleted(place)
            asker.change_property(place, utf8, 8, piece)
            self._display.flush()

    def refuse(self) -> None:
        """Say that there is no such text."""
        self._notify(self._next(X.SelectionRequest), X.NONE)

    def _notify(self, asked: Any, place: int) -> None:
        told = xevent.SelectionNotify(
            time=asked.time,
            requestor=asked.requestor,
            selection=asked.selection,
            target=asked.target,
            property=place,
        )
        asked.requestor.send_event(told)
        self._display.flush()

    def _deleted(self, place: int) -> None:
        while True:
            seen = self._next(X.PropertyNotify)
            if seen.atom == place and seen.state == X.PropertyDelete:
                return

    def _next(self, kind: int) -> Any:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            while self._display.pending_events():
                seen = self._display.next_event()
                if seen.type == kind:
                    return seen
            select.select([self._display], [], [], 0.05)
        raise AssertionError("nobody asked for the clipboard")


class Standin:
    """A running stand-in, a line to it, and hands on its display."""

    def __init__(self, address: DisplayAddress, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.address = address
        self.control = folder / "c"
        self.log = folder / "log"
        self.process = self.launch(*arguments)
        try:
            self.wire = Wire(self.control)
            self.hands = Hands(address)
        except BaseException:
            end(self.process)
            raise

    def launch(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a process in this folder."""
        paths = os.pathsep.join(str(ROOT / name) for name in ("harness", "real"))
        command = [sys.executable, "-m", "windtunnel_real.standin"]
        command += ["--data", str(self.folder / "data"), "--control", str(self.control)]
        return subprocess.Popen(
            [*command, "--log", str(self.log), *arguments],
            env=self.address.environment() | {"PYTHONPATH": paths},
            stderr=subprocess.PIPE,
        )

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """Ask it for something."""
        return self.wire.ask(do, **fields)

    def state(self) -> dict[str, Any]:
        """Return the whole state once all that came is handled."""
        self.ask("drain")
        return {name: value for name, value in self.ask("state").items() if name != "id"}

    def lines(self, kind: str) -> list[dict[str, Any]]:
        """Return the details, and the resource, of the lines of a kind, once all is handled."""
        self.ask("drain")
        found = [line for line in self.wire.lines if line["kind"] == kind]
        return [{"resource": line["resource"], **line["details"]} for line in found]

    def click(self, target: str) -> None:
        """Click a target as a driver does: by its picture, or at its place."""
        if target in PICTURED:
            point = self.find(target)
            assert point is not None, f"nothing looks like {target}"
            self.hands.click(*point)
        else:
            self.ask("drain")
            place = self.ask("reveal", target=target)
            self.hands.click(place["x"], place["y"])

    def find(self, target: str) -> tuple[int, int] | None:
        """Return the middle of a target that is found by its picture."""
        self.ask("drain")
        tile = drawing.button(target)
        found = find(self.hands.frame(), Frame(tile.width, tile.height, tile.pixels))
        return found and (found[0] + tile.width // 2, found[1] + tile.height // 2)

    def told(self) -> list[dict[str, Any]]:
        """Return the lines of its log as the file has them, also those from before the wire."""
        text = self.log.read_text("utf-8") if self.log.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End the process."""
        self.process.send_signal(number)
        self.process.wait(PATIENCE_S)

    def end(self) -> None:
        """Leave nothing behind."""
        with suppress(OSError, ConnectionClosedError):
            self.hands.close()
        self.wire.close()
        end(self.process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and reap it; what it had to complain of stands in the test's report."""
    process.kill()
    sys.stderr.write(process.communicate()[1].decode(errors="replace"))


@contextmanager
def standin(address: DisplayAddress, folder: Path, *arguments: str) -> Iterator[Standin]:
    """Have a stand-in run for a while."""
    made = Standin(address, folder, *arguments)
    try:
        yield made
    finally:
        made.end()


VIEWS = ["chats", "contacts", "moments", "requests", "link"]


OVERS = ["popup", "login", "dialog", "menu", "context_menu"]


@st.composite
def surfaces(draw: st.DrawFn) -> Surface:
    """Draw a window in any state that its parts allow: half of them with nothing over it."""
    quiet = NoAccesses()
    over = draw(st.one_of(st.just(frozenset[str]()), st.frozensets(st.sampled_from(OVERS))))
    screen = Screen(
        quiet,
        window=True,
        popup="popup" in over,
        raised="popup" not in over or draw(st.booleans()),
        login=draw(st.sampled_from(["logged_out", "qr"])) if "login" in over else "logged_in",
        view=draw(st.sampled_from(VIEWS)),
        session=draw(st.sampled_from([None, "bob"])),
        contact=draw(st.sampled_from([None, "bob"])),
        menu=draw(st.integers(0, 3)) if "menu" in over else None,
        context="context_menu" in over,
        dialog=draw(st.sampled_from(sorted(DIALOGS))) if "dialog" in over else "",
        choice=draw(st.sampled_from([None, "bob"])),
        box=draw(st.sampled_from(["", "text"])),
    )
    requests = draw(st.sampled_from([(), ("eve",)]))
    return Surface(screen, Database(quiet, requests=requests), Log(None))
