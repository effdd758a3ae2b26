"""The port `Processes`: the processes of the display's machine. Imports nothing of the project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """What to start: the program with its arguments, and the name it is found by."""

    name: str
    argv: tuple[str, ...]
    resource: str = "processes"
    """What it works on: `display` for a capture program."""


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
