"""The backend's settings: figures, addresses and secrets, from environment and JSON (RT-G1).

Checked when they are read. Imports the tree of errors, the addresses, the units and pydantic.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
)

from windtunnel.errors import WindtunnelError
from windtunnel.services.wire.addresses import CALLBACK_URL, DISPATCHER_URL, EXTERNAL_URL
from windtunnel.units import MAX_NS, to_seconds

Seconds = Annotated[float, Field(gt=0, le=to_seconds(MAX_NS), allow_inf_nan=False)]
PORTS: Final[Mapping[str, int]] = MappingProxyType({"http": 80, "https": 443})
"""Schemes of URLs, and the ports that they mean."""


def _address(text: str) -> str:
    """Return a URL to which a path can be added: with a port, and without a slash at the end."""
    try:
        url = urlsplit(text.strip())
        host, port = url.hostname, url.port
    except ValueError as error:
        raise ValueError(f"no URL: {error}") from None
    rest = url.username is not None or url.query or url.fragment or re.search(r"\s", text.strip())
    if url.scheme not in PORTS or not host or port == 0 or rest:
        raise ValueError(f"a URL is wanted, such as {DISPATCHER_URL}")
    name = f"[{host}]" if ":" in host else host
    return f"{url.scheme}://{name}:{port or PORTS[url.scheme]}{url.path.rstrip('/')}"


def _no_truth(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a number is wanted")  # noqa: TRY004 - pydantic takes no TypeError
    return value


Address = Annotated[str, AfterValidator(_address)]
"""`http://HOST:PORT` or `https://HOST:PORT`, perhaps with a path."""
Count = Annotated[int, BeforeValidator(_no_truth)]


class SettingsError(WindtunnelError, ValueError):
    """A setting is missing or means nothing; the message names its key, never a secret."""


class BackendSettings(BaseModel):
    """The figures of a backend; times in seconds.

    Raises pydantic's ValidationError when constructed wrongly; `read_settings` reads environment
    and JSON and raises `SettingsError` with the key that the user wrote.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = True
    """Whether tasks are routed; off: all go outside, as before (RT-S6)."""
    priority: bool = True
    """Whether the inside comes first; off: the outside does, and what is over goes inside."""
    dispatcher_url: Address = DISPATCHER_URL
    external_url: Address = EXTERNAL_URL
    callback_url: str = CALLBACK_URL
    username: str = ""
    password: SecretStr = SecretStr("")
    """What the backend logs in with at the dispatcher (RT-J1)."""
    external_key: SecretStr = SecretStr("")
    """The external platform's `apiKey`."""
    internal_capacity: Count = Field(default=30, ge=0)
    """The most tasks inside (RT-S1)."""
    external_capacity: Count = Field(default=10, ge=0)
    """The most tasks outside; 0: the external platform is not used."""
    poll_s: Seconds = 0.1
    """While tasks wait, the poller looks at least so often (RT-S5)."""
    batch: int = Field(default=1000, ge=1)
    """The most tasks that one decision moves of each kind: what is routed, what fell back outside,
    and what goes to other platforms."""
    task_timeout_s: Seconds = 30.0
    """Of one submission (RT-H6)."""
    rounds: int = Field(default=3, ge=1)
    """After so many rounds (inside, outside) of errors that are no lack of capacity a task has
    failed (RT-K1)."""
    query_s: Seconds = 30.0
    """How often a platform is asked for a task whose end it has not told."""
    health_interval_s: Seconds = 10.0
    """Of the health checks (RT-H4, RT-H5)."""
    health_timeout_s: Seconds = 5.0
    """Of one HTTP health check."""
    health_failures: Count = Field(default=3, ge=1)
    """So many running are a verdict."""
    heartbeat_s: Seconds = 30.0
    """Of the channel (RT-W2)."""
    heartbeat_ack_s: Seconds = 10.0
    """Within which a heartbeat, or CONNECT, is answered."""
    token_refresh_s: Seconds = 72_000.0
    """A token is refreshed at this age at the latest (RT-J1)."""
    breaker_failures: int = Field(default=5, ge=1)
    """So many running open the breaker (RT-X1)."""
    breaker_reset_s: Seconds = 30.0

    def completed_by(self, environment: Mapping[str, str]) -> Self:
        """Return these settings, with what they leave at its default from the environment.

        Raises `SettingsError` with the variable's name.
        """
        said = self.model_fields_set
        read = read_settings(environment)
        new = {key: getattr(read, key) for key in read.model_fields_set - said}
        return self.model_copy(update=new)


# Key as the user writes it → field. Times there are milliseconds, by which a field's name ends.
ENVIRONMENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "MESSAGE_DISPATCHER_URL": "dispatcher_url",
        "MESSAGE_DISPATCHER_ENABLED": "enabled",
        "MESSAGE_DISPATCHER_TIMEOUT": "task_timeout_s",
        "MESSAGE_DISPATCHER_HEALTH_CHECK_INTERVAL": "health_interval_s",
        "MD_USERNAME": "username",
        "MD_PASSWORD": "password",
        "RUNNINGHUB_API_KEY": "external_key",
        "INTERNAL_CAPACITY_MAX": "internal_capacity",
        "EXTERNAL_CAPACITY_MAX": "external_capacity",
    }
)
DOCUMENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "enabled": "enabled",
        "priority": "priority",
        "healthCheck.interval": "health_interval_s",
        "healthCheck.timeout": "health_timeout_s",
        "healthCheck.failureThreshold": "health_failures",
        "task.timeout": "task_timeout_s",
        "task.retryCount": "rounds",
        "capacity.internal": "internal_capacity",
        "capacity.external": "external_capacity",
        "jwt.refreshInterval": "token_refresh_s",
    }
)
"""`task.retryCount`: rounds after the first, so that there is one limit for a task (F-R16)."""


def read_settings(
    environment: Mapping[str, str], document: str | Mapping[str, Any] | None = None
) -> BackendSettings:
    """Return the settings that an environment and a JSON document say; the environment goes first.

    Variables that are none of ours are left alone, unknown keys of the document are not. Raises
    `SettingsError` with every key that is wrong, and why; values of secrets are never shown.
    """
    said = _flat(_parsed(document))
    unknown = [key for key in said if key not in DOCUMENT]
    if unknown:
        known = ", ".join(DOCUMENT)
        raise SettingsError(f"settings: unknown {', '.join(map(repr, unknown))}; known are {known}")
    values: dict[str, Any] = {}
    keys: dict[str, str] = {}
    for source, table in ((said, DOCUMENT), (environment, ENVIRONMENT)):
        for key, field in table.items():
            if key in source:
                values[field] = _converted(key, field, source[key])
                keys[field] = key
    try:
        return BackendSettings(**values)
    except ValidationError as error:
        wrong = (f"{keys[str(one['loc'][0])]}: {one['msg']}" for one in error.errors())
        raise SettingsError("settings: " + "; ".join(wrong)) from None


def _parsed(document: str | Mapping[str, Any] | None) -> Mapping[str, Any]:
    if isinstance(document, str):
        try:
            document = json.loads(document)
        except ValueError as error:
            raise SettingsError(f"settings: no JSON: {error}") from None
    if document is None:
        return {}
    if not isinstance(document, Mapping):
        raise SettingsError(f"settings: a JSON object is wanted, not {type(document).__name__}")
    return document


def _flat(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return `{"a": {"b": 1}}` as `{"a.b": 1}`, where the table has such keys."""
    groups = {key.partition(".")[0] for key in DOCUMENT if "." in key}
    flat: dict[str, Any] = {}
    for key, value in document.items():
        if key not in groups:
            flat[key] = value
        elif isinstance(value, Mapping):
            flat |= {f"{key}.{inner}": it for inner, it in value.items()}
        else:
            raise SettingsError(f"settings: {key}: an object is wanted")
    return flat


def _converted(key: str, field: str, value: object) -> object:
    """Turn milliseconds into seconds, and retries into rounds; all else is pydantic's to judge."""
    if not (field.endswith("_s") or key == "task.retryCount"):
        return value
    try:
        number = float(str(value))
    except ValueError:
        raise SettingsError(f"settings: {key}: a number is wanted, not {value!r}") from None
    return number / 1000 if field.endswith("_s") else number + 1
