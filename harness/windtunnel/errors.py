"""The one error tree of Windtunnel.

Every error that the project raises on purpose derives from `WindtunnelError`, so that a caller can
tell "the tool says no" from a fault in the tool. This module imports nothing of the project.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any


class WindtunnelError(Exception):
    """The root: every error raised on purpose derives from it."""


class Code(StrEnum):
    """What a bridge tells its callers (UI-Q5 to Q8, Q13, UI-F2)."""

    RATE_LIMITED = "RATE_LIMITED"
    QUEUE_FULL = "QUEUE_FULL"
    WECHAT_NOT_READY = "WECHAT_NOT_READY"
    NOT_LOGGED_IN = "NOT_LOGGED_IN"
    STOPPED = "STOPPED"
    TIMEOUT = "TIMEOUT"
    WINDOW_NOT_FOUND = "WINDOW_NOT_FOUND"
    TARGET_NOT_FOUND = "TARGET_NOT_FOUND"


HTTP_STATUS: Mapping[str, int] = MappingProxyType(
    {
        Code.RATE_LIMITED: 429,
        Code.QUEUE_FULL: 429,
        Code.WECHAT_NOT_READY: 503,
        Code.NOT_LOGGED_IN: 409,
        Code.STOPPED: 503,
        Code.TIMEOUT: 504,
        Code.WINDOW_NOT_FOUND: 503,
        Code.TARGET_NOT_FOUND: 500,
    }
)


class BridgeError(WindtunnelError):
    """An error that a caller of a bridge sees (UI-Q13).

    `code` is one of `Code` (a plain string from a user's own scheduler is kept as it is),
    `message` is for people, `details` carries `retry_after` in whole seconds where a retry makes
    sense and `phase` (`queued` or `running`) where it matters.
    """

    def __init__(self, code: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(code, message, details)
        self.code = str(code)
        self.message = message
        self.details: dict[str, Any] = dict(details or {})

    def __str__(self) -> str:
        """Return `CODE: message`."""
        return f"{self.code}: {self.message}"

    @property
    def retry_after(self) -> int | None:
        """Seconds after which a retry makes sense, or None."""
        return self.details.get("retry_after")

    @property
    def http_status(self) -> int:
        """The HTTP status a route answers with; 500 for a code that is not in the table."""
        return HTTP_STATUS.get(self.code, 500)


class UnitError(WindtunnelError, ValueError):
    """A text is not a duration with a unit."""


class TraceError(WindtunnelError, ValueError):
    """An event has a kind or a detail that the table of kinds does not know."""


class PluginError(WindtunnelError):
    """A plug-in (system, world, scheduler class) cannot be loaded or does not fit."""


class WorldUnavailableError(WindtunnelError):
    """A world was named that is not there on this machine (exit code 4)."""


class WorldError(WindtunnelError):
    """A world cannot give what the code under test asks of it, or cannot go on."""


def world_error_in(error: BaseException) -> WorldError | None:
    """Return the world's error that an error is, or the first that a group holds; else None.

    What meets every error lets this one pass: there is nothing to survive.
    """
    if isinstance(error, BaseExceptionGroup):
        found = (world_error_in(one) for one in error.exceptions)
        return next((one for one in found if one is not None), None)
    return error if isinstance(error, WorldError) else None


class FaultError(WindtunnelError):
    """A fault of a scenario did not take effect, or could not be undone."""


class RequirementError(WindtunnelError):
    """A cell needs something that this scheduler or world lacks: it is skipped with this reason."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One mistake in a scenario file, at the place where it stands.

    `line` and `column` count from 1; `file` is the path as the user gave it.
    """

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        """Return `file:line:col: error: message`, the form editors and CI understand."""
        return f"{self.file}:{self.line}:{self.column}: error: {self.message}"


class ScenarioError(WindtunnelError):
    """A scenario file is wrong; carries every problem found, in the order of the file."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))
