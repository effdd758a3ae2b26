"""The faults that a scenario of this system may bring about: `do` → model of its further fields.

The world brings them about; here they are only read. Imports the names of commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema, model_validator

from windtunnel.errors import Code
from windtunnel.fields import Duration
from windtunnel.systems.base import Vocabulary
from windtunnel.systems.ui.click_targets import KnownTarget
from windtunnel.systems.ui.command_names import COMMANDS, KnownCommand


def _listed(value: Any) -> Any:  # noqa: ANN401 - whatever stands in the file
    return [value] if isinstance(value, str) else value


_ONE: Final = {"type": "string", "enum": sorted(COMMANDS)}
Targets = Annotated[
    tuple[KnownCommand, ...],
    BeforeValidator(_listed),
    Field(min_length=1),
    WithJsonSchema({"anyOf": [_ONE, {"type": "array", "minItems": 1, "items": _ONE}]}),
]
"""The commands that a fault lies in wait for: one name, or several."""
Times = Annotated[int, Field(ge=1)]
ErrorCode = Literal[tuple(map(str, Code))]  # type: ignore[valid-type] # the codes there are


class Kill(Vocabulary):
    """The application is killed (SIGKILL); autostart brings it back, where there is one."""

    target: Literal["wechat"] = "wechat"


class Hang(Vocabulary):
    """A command does not end by itself: the port's bound ends it, a kill ends a program."""

    target: Targets
    times: Times | None = None
    """How many commands; null: every one while the fault is on."""


class Slow(Vocabulary):
    """Every such command takes so much longer."""

    target: Targets
    by: Duration = Field(gt=0)


class Fail(Vocabulary):
    """A command ends with an error and has no effect."""

    target: Targets
    code: ErrorCode  # type: ignore[valid-type] # as above
    times: Times | None = None
    """How many commands; null: every one while the fault is on."""


class LoseWindow(Vocabulary):
    """The window is gone while the process lives on."""


class SlowAutostart(Vocabulary):
    """The next autostart takes so long, from the kill on; null: it never comes."""

    delay: Duration | None


class Popup(Vocabulary):
    """Something comes up, takes the focus and swallows clicks; one of them closes it."""


class SecondPerson(Vocabulary):
    """Somebody else sits at the display, and clicks or types once."""

    click: KnownTarget | None = None
    types: str | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _does_one_thing(self) -> Self:
        if (self.click is None) is (self.types is None):
            raise ValueError("give `click` or `types`, one of them")
        return self


class LogOut(Vocabulary):
    """The account is logged out from the phone."""


class LogIn(Vocabulary):
    """Somebody scans the code with the phone, or confirms there: the account is logged in."""


FAULTS: Final[Mapping[str, type[BaseModel]]] = MappingProxyType(
    {
        "kill": Kill,
        "hang": Hang,
        "slow": Slow,
        "fail": Fail,
        "lose_window": LoseWindow,
        "slow_autostart": SlowAutostart,
        "popup": Popup,
        "second_person": SecondPerson,
        "log_out": LogOut,
        "log_in": LogIn,
    }
)
"""`do` → model of its further fields."""
