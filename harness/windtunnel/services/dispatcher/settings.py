"""The dispatcher's settings. Imports the tree of errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

from windtunnel.errors import WindtunnelError

USERNAME_KEY: Final = "MD_USERNAME"
PASSWORD_KEY: Final = "MD_PASSWORD"  # noqa: S105 - a variable's name, not a secret
"""The environment variables that hold what a backend logs in with (RT-J1)."""

NOT_NEGATIVE: Final = frozenset({"retry_max", "retry_backoff_s"})
"""The settings that may be 0; all others must be over it."""


class SettingsError(WindtunnelError, ValueError):
    """A setting is missing or means nothing; the message names its key."""


@dataclass(frozen=True, slots=True)
class DispatcherSettings:
    """The figures of a dispatcher; times in seconds. Raises `SettingsError`, with the key."""

    queue_max: int = 1000
    """How many tasks may be pending; further ones are refused (RT-B2)."""
    retry_max: int = 3
    """How often a task that failed is tried again (RT-D4)."""
    retry_backoff_s: float = 0.0
    """Before its first retry; twice as long before each further one."""
    expiry_s: float = 30 * 60.0
    """The age over which a pending task expires (RT-D6)."""
    heartbeat_s: float = 10.0
    """How often a bridge says that it is alive."""
    dead_after_s: float = 30.0
    """An instance that was not heard of for so long is lost."""
    report_s: float = 10.0
    """The longest between two reports of the capacity (RT-W4)."""
    token_lifetime_s: float = 24 * 3600.0
    """Of a token (RT-J1)."""
    known_s: float = 24 * 3600.0
    """How long the id of an accepted task is remembered (RT-R3)."""
    completed_kept: int = 1000
    """How many of the newest completed tasks are kept (RT-R2)."""
    webhooks_at_once: int = 16
    webhook_timeout_s: float = 30.0
    """One call of a webhook takes no longer."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = "0 or more" if field.name in NOT_NEGATIVE else "over 0"
            if value < 0 or (value == 0 and field.name not in NOT_NEGATIVE):
                raise SettingsError(f"`{field.name}` must be {least}, not {value!r}")


@dataclass(frozen=True, slots=True, repr=False)
class Credentials:
    """What a backend logs in with; never shown."""

    username: str
    password: str


def credentials(environment: Mapping[str, str]) -> Credentials:
    """Return what the environment says; raises `SettingsError` that names the missing variable."""
    missing = [key for key in (USERNAME_KEY, PASSWORD_KEY) if not environment.get(key)]
    if missing:
        raise SettingsError(f"the dispatcher's environment lacks {' and '.join(missing)}")
    return Credentials(environment[USERNAME_KEY], environment[PASSWORD_KEY])
