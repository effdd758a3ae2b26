"""The settings: read from environment and JSON, checked there, and no secret shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.services.backend.settings import (
    DOCUMENT,
    ENVIRONMENT,
    BackendSettings,
    SettingsError,
    read_settings,
)

SECRET = "s3same-open"  # noqa: S105 - made up


@pytest.mark.spec("RT-G1")
def test_the_defaults() -> None:
    read = read_settings({})
    assert read == BackendSettings()
    assert (read.task_timeout_s, read.health_interval_s, read.health_timeout_s) == (30, 10, 5)
    assert (read.internal_capacity, read.external_capacity) == (30, 10)
    assert (read.enabled, read.priority, read.health_failures) == (True, True, 3)
    assert (read.token_refresh_s, read.rounds) == (72_000, 3)
    assert read.dispatcher_url == "http://dispatcher:4000"


@pytest.mark.spec("RT-G1")
def test_the_environment() -> None:
    read = read_settings(
        {
            "MESSAGE_DISPATCHER_URL": "http://md:1",
            "MESSAGE_DISPATCHER_ENABLED": "false",
            "MESSAGE_DISPATCHER_TIMEOUT": "1500",
            "MESSAGE_DISPATCHER_HEALTH_CHECK_INTERVAL": "2000",
            "MD_USERNAME": "u",
            "MD_PASSWORD": SECRET,
            "RUNNINGHUB_API_KEY": SECRET,
            "INTERNAL_CAPACITY_MAX": "7",
            "EXTERNAL_CAPACITY_MAX": "0",
            "PATH": "/bin",
        }
    )
    assert (read.dispatcher_url, read.enabled, read.username) == ("http://md:1", False, "u")
    assert (read.task_timeout_s, read.health_interval_s) == (1.5, 2.0)
    assert (read.internal_capacity, read.external_capacity) == (7, 0)
    assert read.password.get_secret_value() == read.external_key.get_secret_value() == SECRET


@pytest.mark.spec("RT-G1")
def test_the_document() -> None:
    document = {
        "enabled": True,
        "priority": False,
        "healthCheck": {"interval": 1000, "timeout": 500, "failureThreshold": 2},
        "task": {"timeout": 250, "retryCount": 1},
        "capacity": {"internal": 3, "external": 4},
        "jwt": {"refreshInterval": 60_000},
    }
    read = read_settings({}, json.dumps(document))
    assert read == read_settings({}, document)
    assert (read.priority, read.health_interval_s, read.health_timeout_s) == (False, 1.0, 0.5)
    assert (read.health_failures, read.task_timeout_s, read.rounds) == (2, 0.25, 2)
    assert (read.internal_capacity, read.external_capacity) == (3, 4)
    assert read.token_refresh_s == 60


@pytest.mark.spec("RT-G1")
@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("http://md:4000/", "http://md:4000"),
        ("http://md:4000//", "http://md:4000"),
        (" http://md:4000 ", "http://md:4000"),
        ("http://md", "http://md:80"),
        ("https://md/under/", "https://md:443/under"),
        ("http://[::1]:4000", "http://[::1]:4000"),
    ],
)
def test_a_url_takes_a_path_and_has_a_port(said: str, read: str) -> None:
    assert read_settings({"MESSAGE_DISPATCHER_URL": said}).dispatcher_url == read
    assert BackendSettings(external_url=said).external_url == read


def test_the_environment_goes_before_the_document() -> None:
    read = read_settings({"INTERNAL_CAPACITY_MAX": "1"}, {"capacity": {"internal": 2}})
    assert read.internal_capacity == 1


def test_every_key_names_a_field() -> None:
    assert {*DOCUMENT.values(), *ENVIRONMENT.values()} <= BackendSettings.model_fields.keys()


@pytest.mark.spec("RT-G1")
@pytest.mark.parametrize(
    ("environment", "document", "key"),
    [
        ({"MESSAGE_DISPATCHER_TIMEOUT": "soon"}, None, "MESSAGE_DISPATCHER_TIMEOUT"),
        ({"MESSAGE_DISPATCHER_TIMEOUT": "0"}, None, "MESSAGE_DISPATCHER_TIMEOUT"),
        ({"MESSAGE_DISPATCHER_TIMEOUT": "nan"}, None, "MESSAGE_DISPATCHER_TIMEOUT"),
        ({"MESSAGE_DISPATCHER_ENABLED": "perhaps"}, None, "MESSAGE_DISPATCHER_ENABLED"),
        ({"MESSAGE_DISPATCHER_TIMEOUT": "1e300"}, None, "MESSAGE_DISPATCHER_TIMEOUT"),
        *(
            ({"MESSAGE_DISPATCHER_URL": url}, None, "MESSAGE_DISPATCHER_URL")
            for url in ("", "dispatcher:4000", "ftp://d:1", "http://", "http://:1", "http://d:x")
        ),
        *(
            ({"MESSAGE_DISPATCHER_URL": url}, None, "MESSAGE_DISPATCHER_URL")
            for url in (
                "http://d:99999",
                "http://d:0",
                "http://d d:1",
                "http://d:1?a",
                "http://u@d",
            )
        ),
        ({}, {"capacity": {"internal": True}}, "capacity.internal"),
        ({"INTERNAL_CAPACITY_MAX": "-1"}, None, "INTERNAL_CAPACITY_MAX"),
        ({"EXTERNAL_CAPACITY_MAX": "2.5"}, None, "EXTERNAL_CAPACITY_MAX"),
        ({}, {"healthCheck": {"interval": -5}}, "healthCheck.interval"),
        ({}, {"healthCheck": {"intervall": 5}}, "healthCheck.intervall"),
        ({}, {"task": {"retryCount": -1}}, "task.retryCount"),
        ({}, {"task": 3}, "task"),
        ({}, {"prioritty": True}, "prioritty"),
        ({}, "{", "JSON"),
        ({}, "[1]", "object"),
    ],
)
def test_what_is_wrong_is_told_by_its_key(
    environment: dict[str, str], document: Any, key: str
) -> None:
    with pytest.raises(SettingsError, match=key):
        read_settings(environment, document)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(SettingsError) as raised:
        read_settings({"INTERNAL_CAPACITY_MAX": "x", "EXTERNAL_CAPACITY_MAX": "y"})
    assert "INTERNAL_CAPACITY_MAX" in str(raised.value)
    assert "EXTERNAL_CAPACITY_MAX" in str(raised.value)


@pytest.mark.spec("RT-J1")
def test_secrets_are_never_shown() -> None:
    read = read_settings({"MD_PASSWORD": SECRET, "RUNNINGHUB_API_KEY": SECRET})
    for shown in (repr(read), str(read), read.model_dump_json()):
        assert SECRET not in shown
    with pytest.raises(SettingsError) as raised:
        read_settings({"MD_PASSWORD": SECRET, "INTERNAL_CAPACITY_MAX": "x"})
    assert SECRET not in str(raised.value)


@pytest.mark.spec("RT-J1")
def test_what_is_left_out_comes_from_the_environment() -> None:
    made = BackendSettings(internal_capacity=3)
    done = made.completed_by({"MD_USERNAME": "u", "INTERNAL_CAPACITY_MAX": "9"})
    assert (done.username, done.internal_capacity) == ("u", 3)
    with pytest.raises(SettingsError, match="EXTERNAL_CAPACITY_MAX"):
        made.completed_by({"EXTERNAL_CAPACITY_MAX": "x"})


@given(st.dictionaries(st.sampled_from(sorted(ENVIRONMENT)), st.text()))
def test_whatever_the_environment_says_it_is_read_or_refused(environment: dict[str, str]) -> None:
    refused = ""
    try:
        read_settings(environment)
    except SettingsError as error:
        refused = str(error)
    assert not refused or any(key in refused for key in environment)
