"""The host names: what a scenario calls the hosts and instances of the world.

Instances are `inst-0`, `inst-1`, …, bridges `bridge-0`, `bridge-1`, …, both by `given.fleet`.
Imports the addresses and pydantic.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from windtunnel.services.wire.addresses import BACKEND, DISPATCHER, EXTERNAL

PROGRAMS: Final = (BACKEND, DISPATCHER)
"""The hosts of the system under test; the others are the world's."""
INSTANCE_HEAD: Final = "inst-"
BRIDGE_HEAD: Final = "bridge-"
_NUMBER: Final = "(0|[1-9][0-9]{0,5})"
_INSTANCE: Final = INSTANCE_HEAD + _NUMBER
_BRIDGE: Final = BRIDGE_HEAD + _NUMBER
_HOST: Final = rf"{BACKEND}|{DISPATCHER}|{EXTERNAL}|{_BRIDGE}"


def instance_name(number: int) -> str:
    """Return the name of the instance of that number, from 0."""
    return f"{INSTANCE_HEAD}{number}"


def bridge_name(number: int) -> str:
    """Return the name of the bridge of that number, from 0."""
    return f"{BRIDGE_HEAD}{number}"


def _one_of(pattern: str, examples: tuple[str, ...], what: str) -> Callable[[str], str]:
    """Return a validator that refuses a name which nothing can have."""
    form = re.compile(pattern)

    def validate(name: str) -> str:
        if form.fullmatch(name):
            return name
        near = difflib.get_close_matches(name.lower()[:40], examples, n=1, cutoff=0.5)
        hint = f"; did you mean `{near[0]}`?" if near else ""
        raise ValueError(f"`{name[:40]}` is no {what}, such as {', '.join(examples)}{hint}")

    return validate


def _schema(pattern: str) -> WithJsonSchema:
    return WithJsonSchema(_text(pattern))


def _schema_of_some(pattern: str) -> WithJsonSchema:
    some = {"type": "array", "minItems": 1, "items": _text(pattern)}
    return WithJsonSchema({"anyOf": [_text(pattern), some]})


def _text(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^({pattern})$"}


def _listed(value: Any) -> Any:  # noqa: ANN401 - whatever stands in the file
    return [value] if isinstance(value, str) else value


_HOSTS: Final = (BACKEND, DISPATCHER, EXTERNAL, "bridge-0")
InstanceName = Annotated[
    str, AfterValidator(_one_of(_INSTANCE, ("inst-0",), "instance")), _schema(_INSTANCE)
]
"""`inst-N`."""
HostName = Annotated[str, AfterValidator(_one_of(_HOST, _HOSTS, "host")), _schema(_HOST)]
"""`backend`, `dispatcher`, `external` or `bridge-N`."""
ProgramName = Annotated[
    str,
    AfterValidator(_one_of("|".join(PROGRAMS), PROGRAMS, "program with a store")),
    _schema("|".join(PROGRAMS)),
]
"""`backend` or `dispatcher`."""
WorkerName = Annotated[
    str,
    AfterValidator(_one_of(f"{EXTERNAL}|{_INSTANCE}", (EXTERNAL, "inst-0"), "place of work")),
    _schema(f"{EXTERNAL}|{_INSTANCE}"),
]
"""`external` or `inst-N`."""
AnyName = Annotated[
    str,
    AfterValidator(_one_of(f"{_HOST}|{_INSTANCE}", (*_HOSTS, "inst-0"), "host or instance")),
    _schema(f"{_HOST}|{_INSTANCE}"),
]
"""A host or an instance."""

_SOME: Final = Field(min_length=1)
Instances = Annotated[
    tuple[InstanceName, ...], BeforeValidator(_listed), _SOME, _schema_of_some(_INSTANCE)
]
"""One name or several; read as several."""
Workers = Annotated[
    tuple[WorkerName, ...],
    BeforeValidator(_listed),
    _SOME,
    _schema_of_some(f"{EXTERNAL}|{_INSTANCE}"),
]
Anything = Annotated[
    tuple[AnyName, ...],
    BeforeValidator(_listed),
    _SOME,
    _schema_of_some(f"{_HOST}|{_INSTANCE}"),
]
