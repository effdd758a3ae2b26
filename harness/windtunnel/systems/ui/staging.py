"""The staging of an action: what `given.actions` has it do at its start and at its end.

Imports `given` and errors.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from windtunnel.errors import BridgeError
from windtunnel.systems.ui.bridge_settings import OWN_WINDOWS, window_s
from windtunnel.systems.ui.given import Given

Action = Callable[[], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Stage:
    """What happens around an action of one class."""

    window_s: float
    """The dead window that it opens as it starts, in seconds; 0: none."""
    raises: str | None
    """The code of the error that it ends with."""

    async def run(self, action: Action, mark_dead: Callable[[float], None]) -> Any:  # noqa: ANN401 - whatever the action returns
        """Run the action; raises `BridgeError` where the scenario says so."""
        if self.window_s:
            mark_dead(self.window_s)
        result = await action()
        if self.raises is not None:
            raise BridgeError(self.raises, "the scenario has this action fail")
        return result


def stages(given: Given) -> dict[str, Stage]:
    """Return class of action → its staging, where there is any."""
    found = {
        name: Stage(_window(given, name), action.raises) for name, action in given.actions.items()
    }
    return {name: stage for name, stage in found.items() if stage.window_s or stage.raises}


def _window(given: Given, name: str) -> float:
    if given.wiring != "after" or name in OWN_WINDOWS:
        return 0
    return window_s(given, name) or 0
