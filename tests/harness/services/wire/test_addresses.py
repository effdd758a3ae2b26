"""The addresses of the router's parties."""

from __future__ import annotations

import pytest

from windtunnel.services.wire.addresses import (
    CALLBACK_URL,
    DISPATCHER_URL,
    HEALTH_PATH,
    LOGIN_PATH,
    OVERVIEW_PATH,
    TASK_PATH,
    path_of,
)


@pytest.mark.spec("RT-A4")
def test_the_dispatcher_has_the_documents_endpoints() -> None:
    paths = ("/api/task", "/api/health", "/api/overview", "/api/auth/login")
    assert paths == (TASK_PATH, HEALTH_PATH, OVERVIEW_PATH, LOGIN_PATH)


@pytest.mark.spec("RT-G1")
def test_the_parties_listen_where_the_documents_say() -> None:
    assert DISPATCHER_URL.endswith(":4000")
    assert ":8066/" in CALLBACK_URL


def test_the_path_of_a_url_leaves_out_host_and_query() -> None:
    assert path_of("http://dispatcher:4000/api/task?requestId=7") == "/api/task"
    assert path_of("ws://dispatcher:4000/channel") == "/channel"
