"""The faults that a scenario of this system may bring about: `do` → model of its further fields.

The world brings them about; here they are only read. Imports the names of hosts and instances
and the addresses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    JsonValue,
    WithJsonSchema,
    model_validator,
)

from windtunnel.fields import Duration
from windtunnel.services.wire.addresses import TASK_PATH
from windtunnel.systems.base import Vocabulary
from windtunnel.systems.router.given import Factor, Positive
from windtunnel.systems.router.host_names import (
    Anything,
    HostName,
    Instances,
    ProgramName,
    Workers,
)

Times = Positive


def _two(value: Any) -> Any:  # noqa: ANN401 - whatever stands in the file
    if not isinstance(value, list | tuple) or len(value) != 2:  # noqa: PLR2004 - a pair
        raise ValueError("two hosts are needed here, such as [backend, dispatcher]")
    return value


def _path(text: str) -> str:
    if not _PATH.fullmatch(text):
        raise ValueError(f"`{text[:40]}` is no path; it begins with `/`, such as `{TASK_PATH}`")
    return text


_PATH: Final = re.compile(r"/[^\s?#]*")
Path = Annotated[
    str,
    AfterValidator(_path),
    WithJsonSchema({"type": "string", "pattern": f"^{_PATH.pattern}$", "examples": [TASK_PATH]}),
]
"""Of a URL, such as `/api/task`."""


class Crash(Vocabulary):
    """Programs or instances are killed; when it is over they are started again."""

    target: Anything


class OfInstances(Vocabulary):
    """Instances are switched off in order, or on."""

    target: Instances


class Partition(Vocabulary):
    """Nothing gets through to or from these, and nobody is told; it comes when that is over."""

    target: Anything


class BetweenHosts(Vocabulary):
    """Two hosts, and what lies between them."""

    between: Annotated[tuple[HostName, HostName], BeforeValidator(_two)]

    @model_validator(mode="after")
    def _two_hosts(self) -> Self:
        if self.between[0] == self.between[1]:
            raise ValueError("`between` names two hosts, not one twice")
        return self


class Silent(BetweenHosts):
    """The channels between two hosts stay open, and what is sent on them is lost."""


class Flap(BetweenHosts):
    """All that is open between two hosts is closed, and nothing new is let in."""


class _Some(BetweenHosts):
    share: float | None = Field(default=None, gt=0, le=1)
    """Of all messages, drawn for each."""
    times: Times | None = None
    """How many messages, the next ones."""

    @model_validator(mode="after")
    def _one_measure(self) -> Self:
        if (self.share is None) is (self.times is None):
            raise ValueError("give `share` or `times`, one of them")
        return self


class Lose(_Some):
    """Requests, responses and messages between two hosts are lost."""


class Duplicate(_Some):
    """Requests, responses and messages between two hosts arrive twice."""


class Delay(BetweenHosts):
    """Each message between two hosts takes so much longer; others overtake it."""

    by: Duration = Field(gt=0)
    times: Times | None = None
    """How many messages; null: every one while the fault is on."""


class AtServer(Vocabulary):
    """A host's server, and the path of the requests that are meant."""

    target: HostName
    path: Path


class Reject(AtServer):
    """A host's server answers so by itself: its program does not see the request."""

    status: int = Field(ge=100, le=599)
    body: JsonValue = None
    times: Times | None = None
    """How many requests; null: every one while the fault is on."""


class Unanswered(AtServer):
    """A host's server never answers."""

    after: bool = Field(default=False, alias="seen")
    """Written `seen`, since an entry's `after` is its event: whether the program sees the request
    all the same, so that only the answer is lost."""
    times: Times | None = None
    """How many requests; null: every one while the fault is on."""


class AcceptLate(AtServer):
    """A host's program sees a request at once, and its answer comes so much later."""

    by: Duration = Field(gt=0)
    times: Times | None = None
    """How many requests; null: every one while the fault is on."""


class StoreDown(Vocabulary):
    """Every call of a program's store fails."""

    target: ProgramName


class FailWork(Vocabulary):
    """Work ends as failed."""

    target: Workers
    times: Times | None = None
    """How many pieces of work; null: every one while the fault is on."""
    error: str = Field(default="out of memory on the device", min_length=1)


class SlowWork(Vocabulary):
    """Work takes longer by a factor."""

    target: Workers
    by: Factor


class Occupy(Vocabulary):
    """Somebody else uses so many places of the external platform."""

    slots: Positive


FAULTS: Final[Mapping[str, type[BaseModel]]] = MappingProxyType(
    {
        "crash": Crash,
        "off": OfInstances,
        "on": OfInstances,
        "partition": Partition,
        "silent": Silent,
        "flap": Flap,
        "lose": Lose,
        "duplicate": Duplicate,
        "delay": Delay,
        "reject": Reject,
        "unanswered": Unanswered,
        "accept_late": AcceptLate,
        "store_down": StoreDown,
        "fail_work": FailWork,
        "slow_work": SlowWork,
        "occupy": Occupy,
    }
)
"""`do` → model of its further fields."""
