"""Messages: what pydantic says about a value, in the words of who wrote the file.

Imports pydantic, `suggestions` and `yaml_scalars`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Final, NamedTuple, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from windtunnel.scenario.source.suggestions import closest, did_you_mean
from windtunnel.scenario.source.yaml_scalars import written

_SHOWN: Final = 60
"""How many characters of a value are shown."""

Location = tuple[str | int, ...]


class Mistake(NamedTuple):
    """One mistake in a value: where in the data, whether the key itself is meant, what is wrong."""

    where: Location
    at_key: bool
    message: str


def mistakes(
    error: ValidationError, model: type[BaseModel], known: tuple[str, ...] = ()
) -> Iterator[Mistake]:
    """Iterate over the mistakes that pydantic found.

    `model` is what the data was checked against; `known` are further fields that stand beside its
    own, for suggestions.
    """
    for found in error.errors(include_url=False):
        where = found["loc"]
        match found["type"]:
            case "extra_forbidden":
                yield Mistake(where, at_key=True, message=_unknown(where, model, known))
            case "missing":
                yield Mistake(where[:-1], at_key=False, message=f"`{where[-1]}` is required here")
            case _:
                yield Mistake(where, at_key=False, message=_said(found))


def _unknown(where: Location, model: type[BaseModel], known: tuple[str, ...]) -> str:
    fields = fields_at(model, where[:-1]) | (set(known) if len(where) == 1 else set())
    word = str(where[-1])
    return f"unknown field `{show_key(word)}`{did_you_mean(word, fields)}"


def fields_at(model: Any, where: Location) -> set[str]:  # noqa: ANN401 - any annotation
    """Return the names of the fields of the model that a location in the data leads to."""
    found = set(_models(model))
    for part in where:
        inner = {
            candidate
            for one in found
            for name, info in one.model_fields.items()
            if part in (name, info.alias)
            for candidate in _models(info.annotation)
        }
        found = inner or found  # an index, or the tag of a union: the same model goes on
    return {info.alias or name for one in found for name, info in one.model_fields.items()}


def _models(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - any annotation
    if (
        isinstance(annotation, type)
        and not get_args(annotation)
        and issubclass(annotation, BaseModel)
    ):
        yield annotation
    elif get_origin(annotation) is Annotated:
        yield from _models(get_args(annotation)[0])
    else:
        for inner in get_args(annotation):
            yield from _models(inner)


def show(value: Any) -> str:  # noqa: ANN401 - whatever stands in the file
    """Return a value as a file writes it, shortened; a list or mapping by its kind."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": ".nan", "inf": ".inf", "-inf": "-.inf"}[str(value)]
    text = repr(value) if isinstance(value, str) else written(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…'"


def show_key(key: str) -> str:
    """Return a key for a message: on one line, shortened."""
    return repr(key[:40])[1:-1]


_NEEDED: Final[Mapping[str, str]] = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "decimal": "a number",
    "finite": "a finite number",
    "string": "a text",
    "list": "a list",
    "tuple": "a list",
    "set": "a list",
    "frozen": "a list",
    "dict": "a mapping",
    "mapping": "a mapping",
    "model": "a mapping",
    "dataclass": "a mapping",
    "none": "null",
}
_NEEDS = re.compile(
    rf"({'|'.join(_NEEDED)})_(type|parsing|from_float|attributes_type|set_type|number)"
)
_QUOTED = re.compile(r"'([^']*)'")


def _bound(template: str, name: str) -> Callable[[ErrorDetails], str]:
    return lambda found: template.format(found.get("ctx", {}).get(name), show(found["input"]))


def _value_error(found: ErrorDetails) -> str:
    return str(found.get("ctx", {}).get("error", found["msg"]))


def _choice(found: ErrorDetails) -> str:
    allowed = _QUOTED.findall(str(found.get("ctx", {}).get("expected", "")))
    value = found["input"]
    near = closest(value, allowed) if isinstance(value, str) else None
    hint = f"; did you mean `{near}`?" if near else ""
    return f"{show(value)} is not one of {', '.join(allowed)}{hint}"


def _too_short(found: ErrorDetails) -> str:
    least = found.get("ctx", {}).get("min_length")
    return f"needs at least {least} {'entry' if least == 1 else 'entries'}"


_SAID: Final[Mapping[str, Callable[[ErrorDetails], str]]] = {
    "value_error": _value_error,
    "assertion_error": _value_error,
    "literal_error": _choice,
    "enum": _choice,
    "greater_than_equal": _bound("must be at least {}, not {}", "ge"),
    "greater_than": _bound("must be more than {}, not {}", "gt"),
    "less_than_equal": _bound("must be at most {}, not {}", "le"),
    "less_than": _bound("must be less than {}, not {}", "lt"),
    "multiple_of": _bound("must be a multiple of {}, not {}", "multiple_of"),
    "too_short": _too_short,
    "too_long": _bound("takes at most {} entries", "max_length"),
    "string_too_short": lambda found: "must not be empty" if not found["input"] else found["msg"],
    "string_too_long": _bound("takes at most {} characters", "max_length"),
    "string_pattern_mismatch": _bound("{1} does not have the form {0}", "pattern"),
}


def _said(found: ErrorDetails) -> str:
    if speak := _SAID.get(found["type"]):
        return speak(found)
    if needs := _NEEDS.match(found["type"]):
        quote = "; quote it" if needs[1] == "string" and _is_scalar(found["input"]) else ""
        return f"{_NEEDED[needs[1]]} is needed here, not {show(found['input'])}{quote}"
    return found["msg"].removeprefix("Input should be ").removeprefix("Value error, ")


def _is_scalar(value: Any) -> bool:  # noqa: ANN401 - whatever stands in the file
    return not isinstance(value, dict | list | tuple) and value is not None
