"""The options of a real world: its display, what drives it, and the frames that are kept.

Imports the cells, the plug-ins' names and click's errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import click

from windtunnel.builtin import load_plugin
from windtunnel.errors import WindtunnelError
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.pool import simulated
from windtunnel.scenario.playing.single_run import USUAL
from windtunnel.world import Keep, WorldOptions

_FLAGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "--display": "display",
        "--driver": "driver",
        "--window-manager": "window_manager",
        "--frames": "frames",
        "--frames-dir": "frames_folder",
    }
)
"""Option of `windtunnel run` → the field of `WorldOptions` that it sets."""


@dataclass(frozen=True, slots=True)
class RealOptions:
    """What the command line says of a real world; None: nothing."""

    display: str | None = None
    driver: str | None = None
    window_manager: str | None = None
    frames: Keep | None = None
    frames_folder: str | None = None

    @property
    def given(self) -> tuple[str, ...]:
        """The options that were given, as they are spelt."""
        return tuple(flag for flag, name in _FLAGS.items() if getattr(self, name) is not None)

    def check(self, jobs: int | None = None) -> None:
        """Raise a usage error where the options contradict one another; reads no scenario."""
        if self.display is not None and jobs is not None and jobs > 1:
            raise click.UsageError(
                f"--jobs {jobs} does not go with --display: cells on one display are played one "
                "at a time; without --display each has one of its own"
            )
        if self.frames == "none" and self.frames_folder is not None:
            raise click.UsageError("--frames-dir does not go with --frames none, which keeps none")
        self._check_folder()

    def check_cells(self, cells: Sequence[Cell]) -> None:
        """Raise a usage error where no cell is of a real world, or a world refuses the options.

        A world says so by `options_problem(options)`, a text or None, where it has that; what a
        world that is not there would say is not asked.
        """
        if not self.given:
            return
        worlds = dict.fromkeys(cell.world for cell in cells if not simulated(cell))
        if not worlds:
            raise click.UsageError(
                f"{' and '.join(self.given)}: for the real world, in which no selected cell is "
                "played; a file names its worlds by `world: [sim, real]`"
            )
        for name in worlds:
            with suppress(WindtunnelError):  # the cell's own result says what is wrong
                self._check_world(load_plugin("worlds", name))

    def options(self) -> WorldOptions:
        """Return what a world is made with: what is not said is as usual."""
        said = {name: getattr(self, name) for name in _FLAGS.values()}
        return WorldOptions(
            **{**_AS_USUAL, **{name: value for name, value in said.items() if value is not None}}
        )

    def arguments(self) -> tuple[str, ...]:
        """Return the arguments of `windtunnel run` that say the same; what is usual is left out."""
        options = self.options()
        return tuple(
            part
            for flag, name in _FLAGS.items()
            if getattr(options, name) != _AS_USUAL[name]
            for part in (flag, str(getattr(options, name)))
        )

    def replaying(self, cell: Cell) -> tuple[str, ...]:
        """Return the arguments that replay a cell: one that is simulated takes none of these."""
        return () if simulated(cell) else self.arguments()

    def _check_world(self, world: object) -> None:
        ask = getattr(world, "options_problem", None)
        if ask is not None and (problem := ask(self.options())) is not None:
            raise click.UsageError(problem)

    def _check_folder(self) -> None:
        """Refuse a folder that cannot be made, before hours are spent on what belongs in it."""
        if self.frames_folder is None:
            return
        folder = Path(self.frames_folder)
        there = next((one for one in (folder, *folder.parents) if one.exists()), folder)
        if not self.frames_folder or not there.is_dir():
            raise click.BadParameter(
                f"{self.frames_folder!r}: {str(there)!r} is not a folder", param_hint="--frames-dir"
            )


_AS_USUAL: Final = {name: getattr(USUAL, name) for name in _FLAGS.values()}
NOTHING_SAID: Final = RealOptions()
"""Each world is made as usual."""
