"""The calls: what a scenario may call of the bridge → model of its arguments.

Imports the submissions, whose arguments the routes take too.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

from windtunnel import units
from windtunnel.fields import Duration, OpRef
from windtunnel.systems.base import NoArgs, Vocabulary
from windtunnel.systems.ui.submits import SUBMITS


class Drain(Vocabulary):
    """A drain's time-out."""

    timeout: Duration = 5 * units.SECOND


class MarkDead(Vocabulary):
    """How long WeChat is taken for dead."""

    duration: Duration = 10 * units.SECOND


class Cancel(Vocabulary):
    """Whose caller hangs up: the id of a submission or of a call of a route, `ID` or `ID.N`."""

    of: OpRef


class BatchItem(Vocabulary):
    """One send of a batch: a text or a file to a contact."""

    to: str
    text: str | None = None
    file: str | None = None

    @model_validator(mode="after")
    def _one_content(self) -> Self:
        if (self.text is None) is (self.file is None):
            raise ValueError("give `text` or `file`, one of them")
        return self


def _some(sends: tuple[BatchItem, ...]) -> tuple[BatchItem, ...]:
    if not sends:
        raise ValueError("a batch needs at least one send")
    return sends


# Not `min_length`: it would complain of the items that are wrong once more, as missing ones.
Sends = Annotated[
    tuple[BatchItem, ...], AfterValidator(_some), Field(json_schema_extra={"minItems": 1})
]


class Batch(Vocabulary):
    """The sends of a batch, in order; the list is gone through `times` times."""

    sends: Sends
    times: int = Field(default=1, ge=1, le=10_000)
    gap: Duration = 0
    """Between the end of one and the next."""


ROUTES: Final[Mapping[str, type[BaseModel]]] = MappingProxyType(
    {
        **{f"route.{name}": model for name, model in SUBMITS.items()},
        **dict.fromkeys(("route.qr_wait", "route.status", "route.diagnostic"), NoArgs),
    }
)
CALLS: Final[Mapping[str, type[BaseModel]]] = MappingProxyType(
    {
        **ROUTES,
        "orchestrator.send_text": SUBMITS["send_text"],
        "orchestrator.send_file": SUBMITS["send_file"],
        "batch.run": Batch,
        **dict.fromkeys(("watchdog.act", "watchdog.look", "login_guard.look"), NoArgs),
        **dict.fromkeys(("friend_watcher.poll", "streamer.poll", "qr_capture.run"), NoArgs),
        **dict.fromkeys(("bridge.start", "bridge.stop"), NoArgs),
        "scheduler.start": NoArgs,
        "scheduler.stop": NoArgs,
        "scheduler.drain": Drain,
        "scheduler.mark_wechat_dead": MarkDead,
        "scheduler.mark_wechat_ready": NoArgs,
        "caller.cancel": Cancel,
    }
)
"""Call → model of its `args`."""
BATCHES: Final = frozenset({"batch.run"})
"""Calls whose operations are numbered by themselves: `ID.N`, each a send."""
BRINGS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "batch.run": frozenset({"send_text", "send_file"}),
        "friend_watcher.poll": frozenset({"accept_friend"}),
    }
)
"""Call → the classes that it submits, where its own name does not say so."""
