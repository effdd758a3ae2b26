"""The profile: how long everything takes on the simulated desktop.

Its figures stand in a YAML file: `profile.yaml` beside this module has the documents', a
calibration writes what it measured. Imports `windtunnel.fields`, spans, pydantic and PyYAML.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from windtunnel.errors import WorldError
from windtunnel.fields import Duration
from windtunnel.spans import CommandTime, Span, as_span

DEFAULT_FILE: Final = Path(__file__).with_name("profile.yaml")


class ProfileError(WorldError):
    """A profile's file cannot be read or is wrong; one line per mistake, `file:line: what`."""


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


_DURATION: Final = TypeAdapter[int](Duration)


def _as_range(value: Any) -> Any:  # noqa: ANN401 - whatever stands in the file
    """Turn a constant into the range that holds it alone; its mistakes are told once."""
    if isinstance(value, dict):
        return value
    try:
        return as_span(_DURATION.validate_python(value))
    except ValidationError as error:
        raise ValueError(_message(error.errors()[0])) from None


def _message(mistake: Mapping[str, Any]) -> str:
    return str(mistake["msg"]).removeprefix("Value error, ")


Time = Annotated[Span, BeforeValidator(_as_range)]
"""A duration, or `{min, max}`."""


class Profile(_Row):
    """What a profile's file says."""

    latencies: Mapping[str, Time] = Field(min_length=1)
    """Command of a flow, or of a port → how long it takes."""
    start_up: Duration
    """From the start of the process to its window, ns."""
    autostart: Time | None
    """From the end of the process to the window of the next; None: nothing brings it back."""
    missing_window: CommandTime
    """How long a command looks for a window that is not there, ns (UI-F2)."""


def load(path: Path) -> Profile:
    """Read a profile.

    Raises `ProfileError` naming every mistake with the line where it stands.
    """
    try:
        text = path.read_text(encoding="utf-8")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise ProfileError(f"{path}:{_line_of(error)}: not YAML: {_problem(error)}") from error
    if twice := [f"{path}:{line}: `{key}` stands here twice" for line, key in _repeated(root)]:
        raise ProfileError("\n".join(twice))
    try:
        return Profile.model_validate(yaml.safe_load(text))
    except ValidationError as error:
        lines = [
            f"{path}:{_line_at(root, mistake['loc'])}: {_where(mistake['loc'])}{_message(mistake)}"
            for mistake in error.errors()
        ]
        raise ProfileError("\n".join(lines)) from None


@cache
def default() -> Profile:
    """Return the documents' figures."""
    return load(DEFAULT_FILE)


def _line_of(error: yaml.YAMLError) -> int:
    mark = getattr(error, "problem_mark", None)
    return 1 if mark is None else mark.line + 1


def _problem(error: yaml.YAMLError) -> str:
    return str(getattr(error, "problem", None) or error)


def _where(loc: tuple[int | str, ...]) -> str:
    return f"{'.'.join(map(str, loc))}: " if loc else ""


def _repeated(node: yaml.Node | None) -> Iterator[tuple[int, str]]:
    """Yield line and name of each key that its mapping already has."""
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if key.value in seen:
                yield key.start_mark.line + 1, key.value
            seen.add(key.value)
            yield from _repeated(value)


def _line_at(node: yaml.Node | None, loc: tuple[int | str, ...]) -> int:
    """Return the line of the innermost key of `loc` that is there."""
    line = 1
    for part in loc:
        found = [
            pair
            for pair in getattr(node, "value", ())
            if isinstance(node, yaml.MappingNode) and pair[0].value == part
        ]
        if not found:
            break
        key, node = found[0]
        line = key.start_mark.line + 1
    return line
