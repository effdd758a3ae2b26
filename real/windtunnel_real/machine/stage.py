"""The stage: the display that a run is played on, its own or one that is there.

Imports the display and the world's options.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from windtunnel.world import WorldOptions
from windtunnel_real.display.attached import Attached
from windtunnel_real.display.running import RunningDisplay
from windtunnel_real.display.window_manager import WindowManager
from windtunnel_real.display.xvfb import Xvfb

WINDOW_MANAGERS: Final = ("openbox",)


@contextmanager
def open_display(options: WorldOptions) -> Iterator[RunningDisplay]:
    """Start a display, or attach to the one that is named; let go of it at the end.

    Raises `DisplayStartError`.
    """
    with ExitStack() as stack:
        if options.display is None:
            display: RunningDisplay = Xvfb.start()
        else:
            display = Attached.to(options.display, _authority())
        stack.callback(display.stop)
        if options.window_manager is not None:
            stack.callback(WindowManager.start(display.address).stop)
        yield display


def _authority() -> Path | None:
    named = os.environ.get("XAUTHORITY")
    return Path(named) if named else None
