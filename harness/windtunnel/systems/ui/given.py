"""What a scenario of the UI system may say: `given`, the options and arguments of its entries."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, Field, StringConstraints, model_validator

from windtunnel import units
from windtunnel.fields import Duration, OpRef
from windtunnel.services.endpoints import ENDPOINTS
from windtunnel.systems.base import NoArgs, Vocabulary

Wiring = Literal["before", "phase1", "after"]
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

    drain: Duration = 5 * units.SECOND
    window: Duration = 15 * units.SECOND


class DisplayGiven(Vocabulary):
    """The minimal display."""

    lock: Literal["per_command", "none"] = "per_command"
    """Whether the UI lock L1 guards each command (UI-L1)."""


class Given(Vocabulary):
    """The world and the bridge at the start."""

    wiring: Wiring = "after"
    scheduler: SchedulerGiven = SchedulerGiven()
    actions: dict[Literal[tuple(ENDPOINTS)], ActionGiven] = Field(default_factory=dict)  # type: ignore[valid-type] # the table's keys
    watchdog: WatchdogGiven = WatchdogGiven()
    display: DisplayGiven = DisplayGiven()


class SubmitOptions(Vocabulary):
    """What a `submit` entry may say beside the timeline's fields."""

    wait: Duration | None = None
    """Bound on the caller's wait; none unless given."""
    delay_after: Duration | None = None
    priority: Urgency | None = None


class Policy(Vocabulary):
    """Options of the scheduler's policies (`windtunnel.policies.ui_options`)."""

    order: Literal["priority", "fifo"] = "priority"


class ToContact(Vocabulary):
    """Whom an action is for."""

    to: str


class SendText(Vocabulary):
    """A text to a contact."""

    to: str
    text: str


class SendFile(Vocabulary):
    """A file to a contact."""

    to: str
    file: str


class WriteText(Vocabulary):
    """A text for all to see."""

    text: str


class Drain(Vocabulary):
    """A drain's time-out."""

    timeout: Duration = 5 * units.SECOND


class MarkDead(Vocabulary):
    """How long WeChat is taken for dead."""

    duration: Duration = 10 * units.SECOND


class Cancel(Vocabulary):
    """Whose caller hangs up: the id of a submission, `ID` or `ID.N`."""

    of: OpRef


_ARGS: Final[Mapping[str, type[BaseModel]]] = {
    "send_text": SendText,
    "send_file": SendFile,
    "publish": WriteText,
    "comment": WriteText,
    **dict.fromkeys(("revoke", "forward", "set_remark", "add_friend", "share"), ToContact),
}
SUBMITS: Final[Mapping[str, type[BaseModel]]] = MappingProxyType(
    {name: _ARGS.get(name, NoArgs) for name in ENDPOINTS}
)
CALLS: Final[Mapping[str, type[BaseModel]]] = MappingProxyType(
    {
        "scheduler.start": NoArgs,
        "scheduler.stop": NoArgs,
        "scheduler.drain": Drain,
        "scheduler.mark_wechat_dead": MarkDead,
        "scheduler.mark_wechat_ready": NoArgs,
        "watchdog.act": NoArgs,
        "caller.cancel": Cancel,
    }
)
OBSERVABLES: Final = frozenset(
    {
        "executed_total",
        "executed_by_priority",
        "wait_duration_ms_sum",
        "exec_duration_ms_sum",
        "timeout_total",
        "rate_limited_total",
        "fast_fail_total",
        "pending_count",
    }
)
"""The metrics of UI-Q11."""
