"""The frames of a run: what its display showed before and after each step, kept until it ends.

A run that goes well throws them away, so little is done for each: it is compared with the last
one, and one that differs is put on the shelf. Imports capture, labels, shelf, png and errors.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, deque
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from windtunnel.errors import WindtunnelError
from windtunnel.ports import COMMAND_BOUND_S, Frame
from windtunnel_real.pictures.capture import Camera
from windtunnel_real.pictures.labels import file_name
from windtunnel_real.pictures.png import write_whole
from windtunnel_real.pictures.shelf import Shelf

INDEX: Final = "frames.json"
KEEP_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Step:
    """What is known of one step's picture."""

    number: int
    """Counts from 1, and goes on where the oldest are dropped."""
    label: str
    file: str | None = None
    """Its picture, named by the first of the steps in a row that show it; None: there is none."""
    error: str | None = None
    """Why there is none."""


class Frames:
    """The last `limit` steps of a run; until they are kept, in a folder of its own in `folder`."""

    def __init__(self, camera: Camera, folder: Path | None = None, limit: int = 400) -> None:
        self._camera = camera
        self._shelf = Shelf(folder)
        self._limit = limit
        self._steps: deque[Step] = deque()
        self._uses: Counter[str] = Counter()
        """How many of the steps show a file."""
        self._count = 0
        self._last: tuple[Frame, str] | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """What is there, the oldest first."""
        return tuple(self._steps)

    async def take(self, label: str, *, timeout: float = COMMAND_BOUND_S) -> Step:
        """Take a picture of the whole display now and note it as this step's.

        Over after `timeout` seconds. A picture that fails is noted; nothing is raised.
        """
        try:
            async with asyncio.timeout(timeout):
                await self._shelf.room()
                return await self._taken(label, timeout)
        except TimeoutError:
            return self._note(label, error=f"there was no picture in {timeout:g} s")

    async def keep(self, into: Path, *, timeout: float = KEEP_S) -> Path:
        """Write the pictures into a folder, with `frames.json`, which tells each step's file.

        Returns the folder. Raises `DeadlineError` after `timeout` seconds and `OSError`.
        """
        steps, files = self.steps, set(self._uses)
        await self._shelf.copy(files, into, timeout)
        told = [asdict(self._written(step)) for step in steps]
        text = json.dumps({"steps": told}, ensure_ascii=False, indent=1)
        await asyncio.to_thread(write_whole, into / INDEX, text.encode())
        return into

    async def drop(self) -> None:
        """Remove everything that was not kept, within 10 s; no picture is taken any more."""
        await self._shelf.close()
        self._last = None

    async def _taken(self, label: str, timeout: float) -> Step:
        """Take a picture, in room that was given for it."""
        put = False
        try:
            if self._shelf.closed:
                return self._note(label, error="the frames of this run have been dropped")
            frame = await self._camera.take(timeout=timeout)
            if self._last is not None and frame == self._last[0]:
                return self._note(label, self._last[1])
            name = file_name(self._count + 1, label)
            self._shelf.put(name, frame)
            put = True
            self._last = (frame, name)
            return self._note(label, name)
        except WindtunnelError as error:
            return self._note(label, error=f"{type(error).__name__}: {error}")
        finally:
            if not put:
                self._shelf.leave()

    def _note(self, label: str, file: str | None = None, error: str | None = None) -> Step:
        self._count += 1
        step = Step(self._count, label, file, error)
        self._steps.append(step)
        if file is not None:
            self._uses[file] += 1
        if len(self._steps) > self._limit:
            self._forget(self._steps.popleft())
        return step

    def _forget(self, step: Step) -> None:
        """Remove a step's file unless another one shows it."""
        if step.file is None:
            return
        self._uses[step.file] -= 1
        if self._uses[step.file]:
            return
        del self._uses[step.file]
        self._shelf.remove(step.file)
        if self._last is not None and self._last[1] == step.file:
            self._last = None

    def _written(self, step: Step) -> Step:
        """Tell what became of a step's file."""
        error = self._shelf.failed.get(step.file or "")
        return step if error is None else replace(step, file=None, error=error)
