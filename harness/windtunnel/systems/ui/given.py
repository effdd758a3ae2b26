"""What a scenario of the UI system may say of the world and the bridge at the start.

The world reads its part of it (`wechat`, `latencies`) as plain data; durations are nanoseconds.
Imports `windtunnel.fields`, the bridge's tables and the base of a vocabulary.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from windtunnel import units
from windtunnel.fields import Duration
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS, Wiring
from windtunnel.services.bridge.settings import DRAIN_S, SERVICES, WATCHDOG_WINDOW_S, Probe, Service
from windtunnel.spans import Drawn
from windtunnel.systems.base import Vocabulary
from windtunnel.systems.ui.command_names import KnownCommand
from windtunnel.systems.ui.wechat_given import WechatGiven

CommandName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Urgency = Literal["CRITICAL", "HIGH", "NORMAL", "LOW"]


class SchedulerGiven(Vocabulary):
    """How the scheduler is made; a foreign class gets those that its signature has."""

    send_delay: Duration = 3 * units.SECOND
    max_calls_per_sec: int = Field(default=10, ge=1)
    max_queue_size: int = Field(default=100, ge=1)
    started: bool = True


class ActionGiven(Vocabulary):
    """What replaces the documents' figures for one class of action."""

    duration: Duration | None = None
    """One sleep in place of the command flow."""
    commands: tuple[dict[CommandName, Duration], ...] | None = None
    """The flow itself: `- {activate: 50ms}` for each command."""
    delay_after: Duration | None = None
    window: Duration | None = None
    """The dead window that it opens as it starts."""
    raises: str | None = None
    """The code of the error that it ends with."""

    @model_validator(mode="after")
    def _one_kind_of_flow(self) -> Self:
        if self.duration is not None and self.commands is not None:
            raise ValueError("give `duration` or `commands`, not both")
        if self.commands is not None and any(len(step) != 1 for step in self.commands):
            raise ValueError("each command is one `name: latency`")
        return self


class WatchdogGiven(Vocabulary):
    """The watchdog's figures (UI-W2, UI-W3)."""

    drain: Duration = units.from_seconds(DRAIN_S)
    window: Duration = units.from_seconds(WATCHDOG_WINDOW_S)


class DisplayGiven(Vocabulary):
    """What guards the display."""

    lock: Literal["per_command", "none"] = "per_command"
    """Whether the UI lock L1 guards each command (UI-L1)."""


class BackgroundGiven(Vocabulary):
    """Which of the bridge's loops run by themselves; none unless said."""

    login_guard: bool = False
    friend_watcher: bool = False
    watchdog: bool = False
    streamer: bool = False

    @property
    def running(self) -> frozenset[Service]:
        """Return the names of those that run."""
        return frozenset(service for service in SERVICES if getattr(self, service))


class Given(Vocabulary):
    """The world and the bridge at the start."""

    wiring: Wiring = "after"
    scheduler: SchedulerGiven = SchedulerGiven()
    actions: dict[Literal[tuple(ENDPOINTS)], ActionGiven] = Field(default_factory=dict)  # type: ignore[valid-type] # the table's keys
    watchdog: WatchdogGiven = WatchdogGiven()
    display: DisplayGiven = DisplayGiven()
    wechat: WechatGiven = WechatGiven()
    latencies: dict[KnownCommand, Drawn] = Field(default_factory=dict)
    """Command of a flow, or of a port → how long it takes, in place of the profile's figure."""
    background: BackgroundGiven = BackgroundGiven()
    friend_watcher: Literal["queued", "direct"] = "queued"
    """Whether its acceptances go through the queue; direct is the historical fault (UI-C7)."""
    probe: Probe = "locked"
    """How a route finds the log-in state before it submits (UI-C3)."""


class SubmitOptions(Vocabulary):
    """What a `submit` entry may say beside the timeline's fields."""

    wait: Duration | None = None
    """Bound on the caller's wait; none unless given."""
    delay_after: Duration | None = None
    priority: Urgency | None = None


class Policy(Vocabulary):
    """Options of the scheduler's policies (`windtunnel.policies.ui.ui_options`)."""

    order: Literal["priority", "fifo"] = "priority"
