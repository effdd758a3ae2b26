"""The film: pictures before and after each step of a run, kept where the run failed.

Imports the command, the frames and the folders.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Final

from windtunnel.machine.commands import Command
from windtunnel.world import Keep
from windtunnel_real.folders import make_folder, remove_folder
from windtunnel_real.machine.going import When
from windtunnel_real.pictures.capture import Camera
from windtunnel_real.pictures.frames import INDEX, Frames

PICTURE_S: Final = 0.5
"""How long a picture may take: it must not keep a command from its own end."""


class Film:
    """The pictures of one run."""

    def __init__(self, camera: Camera, keep: Keep, folder: Path) -> None:
        self._own = make_folder()
        self._frames = Frames(camera, self._own)
        self._keep: Final = keep
        self._folder = folder

    async def take(self, command: Command, when: When) -> None:
        """Take a picture around a command; one that cannot be taken is noted, and no more."""
        op = command.who.op or "nobody"
        await self._frames.take(f"{when} {op} {command.name}", timeout=PICTURE_S)

    def keep(self, name: str, *, failed: bool) -> str:
        """Keep the pictures in a folder of that name, if they are wanted, and return its path.

        What an earlier run of that name has kept there is removed. Raises `OSError` where it
        cannot be written to.
        """
        wanted = self._keep == "all" or (self._keep == "failed" and failed)
        return asyncio.run(self._kept(self._folder / name if wanted else None))

    async def _kept(self, into: Path | None) -> str:
        try:
            if into is None:
                return ""
            await asyncio.to_thread(_clear, into)
            return str(await self._frames.keep(into))
        finally:
            await self._frames.drop()
            remove_folder(self._own)


def _clear(folder: Path) -> None:
    """Remove the pictures that an earlier run has kept in a folder, and nothing else."""
    index = folder / INDEX
    try:
        steps = json.loads(index.read_text(encoding="utf-8"))["steps"]
        named = {Path(step["file"]).name for step in steps if step["file"]}
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return  # no index of ours: what lies there is not ours to remove
    index.unlink()
    for name in named:
        (folder / name).unlink(missing_ok=True)
