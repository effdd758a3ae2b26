"""The settings: checked when made, and the secret is never shown."""

from __future__ import annotations

import pytest

from windtunnel.services.dispatcher.settings import (
    Credentials,
    DispatcherSettings,
    SettingsError,
    credentials,
)

pytestmark = pytest.mark.spec("RT-G1")


def test_the_defaults_are_the_documents() -> None:
    settings = DispatcherSettings()
    assert (settings.queue_max, settings.retry_max, settings.expiry_s) == (1000, 3, 1800)
    assert (settings.report_s, settings.token_lifetime_s) == (10, 86400)


@pytest.mark.parametrize("name", ["queue_max", "dead_after_s", "heartbeat_s", "webhooks_at_once"])
@pytest.mark.parametrize("value", [0, -1])
def test_a_figure_that_means_nothing_is_refused_by_its_name(name: str, value: int) -> None:
    with pytest.raises(SettingsError, match=rf"`{name}` must be over 0, not {value}"):
        DispatcherSettings(**{name: value})


def test_what_may_be_zero() -> None:
    assert DispatcherSettings(retry_max=0, retry_backoff_s=0).retry_max == 0
    with pytest.raises(SettingsError, match="`retry_max` must be 0 or more, not -1"):
        DispatcherSettings(retry_max=-1)


def test_credentials_are_the_environments() -> None:
    found = credentials({"MD_USERNAME": "u", "MD_PASSWORD": "p"})
    assert (found.username, found.password) == ("u", "p")
    with pytest.raises(SettingsError, match="lacks MD_USERNAME and MD_PASSWORD"):
        credentials({})
    with pytest.raises(SettingsError, match=r"lacks MD_PASSWORD$"):
        credentials({"MD_USERNAME": "u", "MD_PASSWORD": ""})


def test_the_secret_is_not_shown() -> None:
    assert "geheim" not in f"{Credentials('u', 'geheim')!r} {Credentials('u', 'geheim')}"
