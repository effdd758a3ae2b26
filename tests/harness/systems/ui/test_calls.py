"""The calls: every route and every service, and what their arguments refuse."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.systems.ui.calls import CALLS, ROUTES
from windtunnel.systems.ui.submits import SUBMITS
from windtunnel.units import SECOND


@pytest.mark.spec("UI-E1")
def test_every_endpoint_has_its_route_with_the_same_arguments() -> None:
    inline = {"route.qr_wait", "route.status", "route.diagnostic"}
    assert ROUTES.keys() == {f"route.{name}" for name in ENDPOINTS} | inline
    for name in ENDPOINTS:
        assert CALLS[f"route.{name}"] is SUBMITS[name]


def test_the_calls_and_their_defaults() -> None:
    assert CALLS["scheduler.drain"]().timeout == 5 * SECOND  # type: ignore[attr-defined]
    assert CALLS["scheduler.mark_wechat_dead"]().duration == 10 * SECOND  # type: ignore[attr-defined]
    with pytest.raises(ValidationError):
        CALLS["caller.cancel"]()


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ({}, "sends"),
        ({"sends": []}, "sends"),
        ({"sends": [{"to": "ann"}]}, "sends.0"),
        ({"sends": [{"to": "ann", "text": "x", "file": "y"}]}, "sends.0"),
        ({"sends": [{"text": "x"}]}, "sends.0.to"),
        ({"sends": [{"to": "ann", "text": "x"}], "times": 0}, "times"),
        ({"sends": [{"to": "ann", "text": "x"}], "gap": 1}, "gap"),
    ],
)
def test_a_batch_that_makes_no_sense_is_refused(said: dict[str, Any], where: str) -> None:
    with pytest.raises(ValidationError) as refused:
        CALLS["batch.run"].model_validate(said)
    assert [".".join(map(str, error["loc"])) for error in refused.value.errors()] == [where]


def test_a_batch_of_texts_and_files() -> None:
    said = {"sends": [{"to": "ann", "text": "x"}, {"to": "bob", "file": "y"}], "gap": "1s"}
    batch: Any = CALLS["batch.run"].model_validate(said)
    assert (batch.times, batch.gap, len(batch.sends)) == (1, SECOND, 2)
