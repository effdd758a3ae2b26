"""A program on a display, written against libX11: what it saw is what any other would have seen.

Keys become text by libX11's own XLookupString, so that nothing of ours decides what a key means. It
is a process: libX11 ends that when its server goes. It reads commands from its input, JSON by line,
and answers each with what it saw until then, in order; at the end of its input it ends.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

CURRENT_TIME = 0
MASK = 0x1 | 0x2 | 0x4 | 0x8 | 0x8000  # keys and buttons, both ways; exposure


class XClient:
    """The program, as a test holds it: one window, of a class and a title, on one display."""

    def __init__(self, environment: dict[str, str], **how: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, json.dumps(how)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self._process.pid
        self.window: int = self.do("start")[0]["window"]

    def do(self, what: str, *arguments: Any) -> list[dict[str, Any]]:
        """Have it do something, and return what it has seen since the last time."""
        told, heard = self._process.stdin, self._process.stdout
        assert told is not None
        assert heard is not None
        told.write(json.dumps([what, *arguments]) + "\n")
        told.flush()
        found: list[dict[str, Any]] = json.loads(heard.readline())
        return found

    def seen(self, kind: str) -> list[dict[str, Any]]:
        """Return the events of a kind that it has seen since the last time, and forget the rest."""
        return [one for one in self.do("drain") if one["kind"] == kind]

    def text(self) -> str:
        """Return the text that has been typed since the last time."""
        return "".join(one["text"] for one in self.seen("key"))

    def end(self) -> None:
        """End it and reap it; nothing happens the second time."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()


@contextmanager
def xclient(environment: dict[str, str], **how: Any) -> Iterator[XClient]:
    """Give a program for as long as the block takes.

    `how`: cls, title, mapped, focused, override, pid (whether it says its own), x, y.
    """
    made = XClient(environment, **how)
    try:
        yield made
    finally:
        made.end()


# ---------------------------------------------------------------- in the process


class _Key(ctypes.Structure):
    """XKeyEvent; XButtonEvent is the same up to `state`, with the button for `keycode`."""

    _fields_ = [
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("root", ctypes.c_ulong),
        ("subwindow", ctypes.c_ulong),
        ("time", ctypes.c_ulong),
        ("x", ctypes.c_int),
        ("y", ctypes.c_int),
        ("x_root", ctypes.c_int),
        ("y_root", ctypes.c_int),
        ("state", ctypes.c_uint),
        ("code", ctypes.c_uint),
        ("same_screen", ctypes.c_int),
    ]


class _Event(ctypes.Union):
    """XEvent."""

    _fields_ = [("type", ctypes.c_int), ("key", _Key), ("pad", ctypes.c_long * 24)]


class _Attributes(ctypes.Structure):
    """XSetWindowAttributes, of which `override_redirect` alone is set."""

    _fields_ = [
        ("before", ctypes.c_ulong * 11),
        ("override_redirect", ctypes.c_int),
        ("after", ctypes.c_ulong * 2),
    ]


def _library() -> Any:
    library: Any = ctypes.CDLL("libX11.so.6")
    library.XOpenDisplay.restype = ctypes.c_void_p
    library.XDefaultRootWindow.restype = ctypes.c_ulong
    library.XCreateSimpleWindow.restype = ctypes.c_ulong
    library.XInternAtom.restype = ctypes.c_ulong
    library.XKeysymToString.restype = ctypes.c_char_p
    return library


class _Program:
    def __init__(self, how: dict[str, Any]) -> None:
        self.x11 = _library()
        display = self.x11.XOpenDisplay(None)
        assert display, f"no display {os.environ.get('DISPLAY')}"
        self.display = ctypes.c_void_p(display)
        handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        self.ignore = handler(lambda _, __: 0)
        self.x11.XSetErrorHandler(self.ignore)
        self.root = ctypes.c_ulong(self.x11.XDefaultRootWindow(self.display))
        self.log: list[dict[str, Any]] = []
        self.window = self.make(how)

    def make(self, how: dict[str, Any]) -> ctypes.c_ulong:
        place = (how.get("x", 20), how.get("y", 30), how.get("width", 300), how.get("height", 200))
        window = ctypes.c_ulong(
            self.x11.XCreateSimpleWindow(
                self.display, self.root, *place, 0, ctypes.c_ulong(0), ctypes.c_ulong(0xFFFFFF)
            )
        )
        if how.get("override"):
            attributes = _Attributes(override_redirect=1)
            change = ctypes.c_ulong(1 << 9)
            self.x11.XChangeWindowAttributes(self.display, window, change, ctypes.byref(attributes))
        self.x11.XSelectInput(self.display, window, ctypes.c_long(MASK))
        self.window = window
        name = how.get("cls", "Box").encode()
        self.change("WM_CLASS", "STRING", 8, name.lower() + b"\0" + name + b"\0")
        self.change("_NET_WM_NAME", "UTF8_STRING", 8, how.get("title", "Box").encode())
        self.change("WM_NAME", "STRING", 8, b"plain title")
        if how.get("pid", True):
            self.change("_NET_WM_PID", "CARDINAL", 32, bytes(ctypes.c_ulong(os.getpid())))
        if how.get("mapped", True):
            self.map()
        if how.get("focused", True) and how.get("mapped", True):
            self.focus()
        self.x11.XSync(self.display, 0)
        return window

    def change(self, name: str, kind: str, bits: int, value: bytes) -> None:
        atoms = [
            ctypes.c_ulong(self.x11.XInternAtom(self.display, a.encode(), 0)) for a in (name, kind)
        ]
        size = len(value) if bits == 8 else len(value) // 8
        self.x11.XChangeProperty(self.display, self.window, *atoms, bits, 0, value, size)

    def map(self) -> None:
        self.x11.XMapRaised(self.display, self.window)

    def focus(self) -> None:
        self.x11.XSetInputFocus(self.display, self.window, 2, ctypes.c_ulong(CURRENT_TIME))

    def unmap(self) -> None:
        self.x11.XUnmapWindow(self.display, self.window)

    def destroy(self) -> None:
        self.x11.XDestroyWindow(self.display, self.window)

    def clear_pid(self) -> None:
        atom = ctypes.c_ulong(self.x11.XInternAtom(self.display, b"_NET_WM_PID", 0))
        self.x11.XDeleteProperty(self.display, self.window, atom)

    def grab(self) -> None:
        self.x11.XGrabServer(self.display)

    def ungrab(self) -> None:
        self.x11.XUngrabServer(self.display)

    def start(self) -> None:
        self.log.append({"kind": "start", "window": self.window.value})

    def drain(self) -> None:
        self.x11.XSync(self.display, 0)
        self.take_events()

    def take_events(self) -> None:
        event = _Event()
        while self.x11.XPending(self.display):
            self.x11.XNextEvent(self.display, ctypes.byref(event))
            self.take(event)

    def take(self, event: _Event) -> None:
        key = event.key
        shared = {"state": key.state, "synthetic": bool(key.send_event), "code": key.code}
        if event.type == 34:
            self.x11.XRefreshKeyboardMapping(ctypes.byref(event))
        elif event.type == 2:
            self.log.append({"kind": "key", **shared, **self.looked_up(event)})
        elif event.type == 3:
            self.log.append({"kind": "release", **shared})
        elif event.type in {4, 5}:
            kind = "click" if event.type == 4 else "unclick"
            self.log.append({"kind": kind, "x": key.x_root, "y": key.y_root, **shared})

    def looked_up(self, event: _Event) -> dict[str, str]:
        space, keysym = ctypes.create_string_buffer(32), ctypes.c_ulong()
        size = self.x11.XLookupString(ctypes.byref(event), space, 31, ctypes.byref(keysym), None)
        name = self.x11.XKeysymToString(keysym) or b""
        return {"text": space.raw[:size].decode("latin-1"), "keysym": name.decode()}

    def answer(self, line: str, out: IO[str]) -> None:
        what, *arguments = json.loads(line)
        action: Callable[..., None] = getattr(self, what)
        action(*arguments)
        self.x11.XSync(self.display, 0)
        found, self.log = self.log, []
        out.write(json.dumps(found) + "\n")
        out.flush()

    def live(self) -> None:
        connection = self.x11.XConnectionNumber(self.display)
        while True:
            self.take_events()
            ready, _, _ = select.select([connection, sys.stdin], [], [])
            if sys.stdin in ready:
                line = sys.stdin.readline()
                if not line:
                    return
                self.answer(line, sys.stdout)


if __name__ == "__main__":
    _Program(json.loads(sys.argv[1])).live()
