"""The submissions: every endpoint has one, with the arguments that its flow needs."""

from __future__ import annotations

import pytest

from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.flows.flows import FLOWS, missing_arguments
from windtunnel.systems.ui.submits import SUBMITS


@pytest.mark.spec("UI-E1")
def test_every_endpoint_can_be_submitted() -> None:
    assert SUBMITS.keys() == ENDPOINTS.keys()


@pytest.mark.parametrize("name", FLOWS)
def test_the_arguments_are_those_that_the_flow_puts_in(name: str) -> None:
    assert set(missing_arguments(name, {})) == SUBMITS[name].model_fields.keys()
