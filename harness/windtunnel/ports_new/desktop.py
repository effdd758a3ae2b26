"""The ports: what a service may ask of a world.

Each is a Protocol with an implementation in every world. Calls are asynchronous, time-outs are in
seconds, and each says which errors it raises. A port takes no lock: the UI lock L1 belongs to the
bridge. A port records `command.started` and `command.ended` for each call that it makes on behalf
of somebody (`windtunnel.acting`), under the name that the flow gives it, else under its own. A
world that cannot offer a port leaves it None in `Ports`. Imports nothing of the project.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, runtime_checkable

LoginState = Literal["logged_in", "logged_out", "qr", "unknown"]

COMMAND_BOUND_S: Final = 5.0
"""Seconds after which any one command of a desktop is given up with TIMEOUT."""


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of the display, in pixels from the top left corner."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A captured picture: `width` × `height` pixels, 4 bytes each (B, G, R, unused), row by row."""

    width: int
    height: int
    pixels: bytes


@dataclass(frozen=True, slots=True)
class WindowInfo:
    """The application's window. Its identity is (pid, start time, id): ids are used again."""

    id: int
    pid: int
    started_ns: int
    title: str
    mapped: bool
    focused: bool


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """What to start: the program with its arguments, and the name it is found by."""

    name: str
    argv: tuple[str, ...]
    resource: str = "processes"
    """What it works on: `display` for a capture program."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message as the application's own database holds it."""

    id: int
    """Grows by one with each message."""
    contact: str
    text: str
    outgoing: bool


@runtime_checkable
class Desktop(Protocol):
    """A desktop that is driven by pointer and keys. Each call is one command.

    Every call but `window` raises `BridgeError` with code TIMEOUT after `COMMAND_BOUND_S`, and
    with WINDOW_NOT_FOUND when the application's window is gone (UI-F2). Keys go to whatever has
    the focus, clicks to whatever lies at that place.
    """

    async def activate(self, window: str) -> None:
        """Raise the window of that class and give it the focus."""

    async def click(self, target: str) -> None:
        """Click a named target of the window, such as `search` or `send`.

        Raises TARGET_NOT_FOUND for a target that is looked for by its picture and is not shown.
        """

    async def key(self, name: str, count: int = 1) -> None:
        """Press and release a key by its X keysym name, `count` times."""

    async def type_text(self, text: str) -> None:
        """Type a text key by key into what has the focus."""

    async def paste_text(self, text: str) -> None:
        """Put a text in through the clipboard."""

    async def capture(self, region: Region | None = None) -> Frame:
        """Return a picture of a region, or of the whole display."""

    async def login_state(self) -> LoginState:
        """Return the log-in state as a screenshot shows it; `unknown` without a window."""

    async def window(self) -> WindowInfo | None:
        """Return the application's window, or None: a look-up, no command (UI-C2)."""

    async def wait_window(self, timeout: float) -> WindowInfo | None:
        """Return the window once it is there, or None after `timeout` seconds."""

    async def hold(self, seconds: float) -> None:
        """Keep the display busy for so long and do nothing to it."""


@runtime_checkable
class Program(Protocol):
    """A program that was started and is watched by its starter."""

    @property
    def pid(self) -> int:
        """Its number."""

    async def output(self) -> bytes:
        """Wait for its end, however long, and return what it wrote; b"" when it was killed."""

    def kill(self) -> None:
        """End it at once (SIGKILL); nothing happens if it has ended."""

    async def wait(self) -> int:
        """Wait for its end, reap it and return its exit status, negative for a signal."""


@runtime_checkable
class Processes(Protocol):
    """The processes of the display's machine."""

    async def find(self, name: str) -> Sequence[int]:
        """Return the ids of the live processes with exactly that name, as `pgrep -x` does."""

    async def terminate(self, id: int) -> None:  # noqa: A002 - the port's published name
        """Ask a process to end (SIGTERM). Nothing happens if there is none."""

    async def kill(self, id: int) -> None:  # noqa: A002 - the port's published name
        """End a process at once (SIGKILL). Nothing happens if there is none."""

    async def start(self, spec: ProcessSpec) -> int:
        """Start a process that lives on by itself and return its id."""

    async def wait_exit(self, id: int, timeout: float) -> bool:  # noqa: A002 - published
        """Return whether the process has ended within `timeout` seconds."""

    async def run(self, spec: ProcessSpec) -> Program:
        """Start a program whose end and output the caller waits for."""


@runtime_checkable
class Records(Protocol):
    """The application's own database, read only; it needs neither the display nor a lock."""

    async def friend_requests(self) -> Sequence[str]:
        """Return the contacts whose request is open, the oldest first."""

    async def messages(self, after: int) -> Sequence[Message]:
        """Return the messages with an id above `after`, in order."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of a world; None where it has none."""

    desktop: Desktop | None = None
    processes: Processes | None = None
    records: Records | None = None
