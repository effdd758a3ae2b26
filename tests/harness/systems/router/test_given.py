"""The given: the documents' figures unless said otherwise, and what cannot be."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from windtunnel.systems.router.given import Given
from windtunnel.units import HOUR, MINUTE, MS, SECOND


@pytest.mark.spec("RT-G1", "RT-S1", "RT-H5", "RT-J1", "RT-D6", "RT-X1", "RT-D4")
def test_the_figures_are_those_of_the_documents() -> None:
    router = Given().router
    assert (router.enabled, router.priority, router.task_timeout) == (True, True, 30 * SECOND)
    health = router.health
    assert (health.interval, health.timeout, health.failures) == (10 * SECOND, 5 * SECOND, 3)
    assert (router.heartbeat.interval, router.heartbeat.ack) == (30 * SECOND, 10 * SECOND)
    assert (router.token.lifetime, router.token.refresh) == (24 * HOUR, 20 * HOUR)
    assert (router.breaker.failures, router.breaker.reset) == (5, 30 * SECOND)
    assert (router.capacity.internal, Given().external_max) == (30, 10)
    assert (router.expiry, router.retry.max, router.reports) == (30 * MINUTE, 3, 10 * SECOND)
    assert (router.queue_max, router.batch) == (1000, 1000)


def test_the_outside_is_as_large_as_the_platform_unless_said() -> None:
    assert Given.model_validate({"fleet": {"external": 3}}).external_max == 3
    said = {"fleet": {"external": 3}, "router": {"capacity": {"external": 0}}}
    assert Given.model_validate(said).external_max == 0


def test_those_that_are_off_are_not_online() -> None:
    said = {"fleet": {"internal": 5, "off": ["inst-1", "inst-4", "inst-1"]}}
    assert Given.model_validate(said).online == 3


def test_the_world_reads_plain_data() -> None:
    said = {
        "fleet": {"slow": {"inst-3": 2}, "off": ["inst-0"]},
        "network": {"latency": {"min": "1ms", "max": "5ms"}},
    }
    plain = Given.model_validate(said).model_dump()
    assert plain["network"] == {"latency": {"min": MS, "max": 5 * MS}, "loss": 0}
    assert (plain["fleet"]["slow"], plain["fleet"]["off"]) == ({"inst-3": 2.0}, ("inst-0",))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"fleet": {"internal": 2, "off": ["inst-2"]}}, "no `inst-2` among 2 .* last is inst-1"),
        ({"fleet": {"internal": 0, "slow": {"inst-0": 2}}}, "no `inst-0` among 0 instances"),
        ({"fleet": {"slow": {"inst-0": 0}}}, "greater than 0"),
        ({"fleet": {"heartbeat": "1s", "dead_after": "1s"}}, "`dead_after` must be over"),
        ({"fleet": {"bridges": 0}}, "greater than or equal to 1"),
        ({"fleet": {"heartbeat": "0s"}}, "at least 1ms here, not 0s"),
        ({"fleet": {"dead_after": "1ns"}}, "at least 1ms here, not 1ns"),
        ({"router": {"health": {"interval": "999us"}}}, "at least 1ms here"),
        ({"fleet": {"internal": "4"}}, "valid integer"),
        ({"fleet": {"internal": True}}, "valid integer"),
        ({"network": {"loss": "0.5"}}, "valid number"),
        ({"router": {"enabled": "yes"}}, "valid boolean"),
        ({"router": {"priority": 1}}, "valid boolean"),
        ({"fleet": {"external": 10**6 + 1}}, "less than or equal to 1000000"),
        ({"router": {"batch": 10**6 + 1}}, "less than or equal to 1000000"),
        ({"router": {"queue_max": 10**6 + 1}}, "less than or equal to 1000000"),
        ({"router": {"capacity": {"internal": 10**6 + 1}}}, "less than or equal to 1000000"),
        ({"router": {"capacity": {"external": 10**6 + 1}}}, "less than or equal to 1000000"),
        ({"fleet": {"external_slow": 1e300}}, "less than or equal to 1000000"),
        ({"fleet": {"external_slow": float("nan")}}, "finite"),
        ({"network": {"loss": 1.5}}, "less than or equal to 1"),
        ({"network": {"latency": {"min": "2ms", "max": "1ms"}}}, "`min` is over `max`"),
        ({"router": {"poll": "0s"}}, "at least 1ms here"),
        ({"router": {"retry": {"max": -1}}}, "greater than or equal to 0"),
        ({"router": {"task_timeout": 30}}, "a number with a unit"),
        ({"router": {"retries": 3}}, "Extra inputs"),
    ],
)
def test_what_cannot_be_is_refused(said: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Given.model_validate(said)
