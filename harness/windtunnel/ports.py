"""The ports: what a service may ask of a world.

Each is a Protocol with an implementation in every world. Calls are asynchronous, time-outs are in
seconds, and each says which errors it raises. A world that cannot offer a port leaves it None in
`Ports`. Imports nothing of the project but `windtunnel.errors`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

LoginState = Literal["logged_in", "logged_out", "qr", "unknown"]


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


@runtime_checkable
class Display(Protocol):
    """A display that runs one named command at a time under the UI lock L1 (UI-L1).

    The narrowest port: enough for a flow that is a list of commands with latencies.
    """

    async def perform(self, command: str, seconds: float) -> None:
        """Take L1, hold the display for the command's latency, release L1.

        Cancellation releases L1 and ends the command as aborted.
        """


@runtime_checkable
class Desktop(Protocol):
    """A desktop that is driven by pointer and keys. Each call is one command under L1 (UI-L1).

    Every call raises `BridgeError` with code TIMEOUT after the command's bound of 5.0 s, and with
    WINDOW_NOT_FOUND when the window is gone (UI-F2).
    """

    async def activate(self, window: str) -> None:
        """Raise the window of that class and give it the focus."""

    async def click(self, target: str) -> None:
        """Click a named target of the window, such as `search` or `send`."""

    async def key(self, name: str, count: int = 1) -> None:
        """Press and release a key by its X keysym name, `count` times."""

    async def type_text(self, text: str) -> None:
        """Type a text key by key into what has the focus."""

    async def paste_text(self, text: str) -> None:
        """Put a text in through the clipboard."""

    async def capture(self, region: Region | None = None) -> Frame:
        """Return a picture of a region, or of the whole display."""

    async def window(self) -> WindowInfo | None:
        """Return the application's window, or None; takes no lock (UI-C2)."""

    async def login_state(self) -> LoginState:
        """Return the log-in state as a screenshot shows it."""


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
        """Start a process and return its id."""

    async def wait_exit(self, id: int, timeout: float) -> bool:  # noqa: A002 - published
        """Return whether the process has ended within `timeout` seconds."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of a world; None where it has none."""

    display: Display | None = None
    desktop: Desktop | None = None
    processes: Processes | None = None
