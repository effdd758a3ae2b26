"""The port `Network`: what travels, and what is told of what goes wrong."""

from __future__ import annotations

import pytest

from windtunnel.errors import WindtunnelError
from windtunnel.ports.network import (
    ChannelClosedError,
    NetworkError,
    Request,
    Response,
    UnreachableError,
)


def test_a_request_needs_a_method_and_an_address_alone() -> None:
    request = Request("GET", "http://dispatcher:4000/api/health")
    assert request.body is None
    assert not request.headers


@pytest.mark.parametrize("value", [Request("GET", "http://backend:8066/"), Response(200)])
def test_what_travels_cannot_be_changed(value: Request | Response) -> None:
    with pytest.raises(AttributeError):
        setattr(value, value._fields[0], None)


def test_whoever_waits_can_tell_the_network_s_errors_from_a_slip() -> None:
    for error in (UnreachableError, ChannelClosedError):
        assert issubclass(error, NetworkError)
    assert issubclass(NetworkError, WindtunnelError)
