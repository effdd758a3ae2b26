"""The alerts: strict limits, severities, and each edge told once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.router.alerts import Alarms, Alert, Figures, alerts

pytestmark = pytest.mark.spec("RT-X3")

QUIET = Figures(0.0, 0.0, 0, 0, 0, 0.0)
AT_THE_LIMIT = Figures(0.5, 0.1, 100, 0, 3, 0.9)
ABOVE = [
    (replace(AT_THE_LIMIT, degraded_share=0.51), Alert("degraded_share", "critical", 0.51, 0.5)),
    (replace(AT_THE_LIMIT, timeout_share=0.11), Alert("timeout_share", "warning", 0.11, 0.1)),
    (replace(AT_THE_LIMIT, queue=101), Alert("queue", "warning", 101, 100)),
    (replace(AT_THE_LIMIT, crashes=1), Alert("crashes", "critical", 1, 0)),
    (
        replace(AT_THE_LIMIT, refresh_failures_last_hour=4),
        Alert("refresh_failures_last_hour", "warning", 4, 3),
    ),
    (replace(AT_THE_LIMIT, inside_use=0.91), Alert("inside_use", "warning", 0.91, 0.9)),
]
SHARES = st.floats(0, 1)
COUNTS = st.integers(0, 200)
FIGURES = st.builds(Figures, SHARES, SHARES, COUNTS, st.integers(0, 1), st.integers(0, 6), SHARES)


def test_a_figure_at_its_limit_is_no_alert() -> None:
    assert alerts(QUIET) == ()
    assert alerts(AT_THE_LIMIT) == ()


@pytest.mark.parametrize(("figures", "alert"), ABOVE, ids=[alert.name for _, alert in ABOVE])
def test_a_figure_above_its_limit_is_its_own_alert(figures: Figures, alert: Alert) -> None:
    assert alerts(figures) == (alert,)


def test_alerts_come_in_the_order_of_the_rules() -> None:
    everything = Figures(1.0, 1.0, 1000, 5, 10, 1.0)
    assert [alert.name for alert in alerts(everything)] == [alert.name for _, alert in ABOVE]


def test_an_alert_is_told_when_it_goes_on_and_when_it_goes_off() -> None:
    alarms = Alarms()
    long = replace(QUIET, queue=101)
    raised, cleared = alarms.update(long)
    assert (raised, cleared) == ((Alert("queue", "warning", 101, 100),), ())
    assert alarms.update(replace(long, queue=500)) == ((), ())
    assert alarms.on == {"queue"}
    raised, cleared = alarms.update(replace(QUIET, queue=100, crashes=1))
    assert raised == (Alert("crashes", "critical", 1, 0),)
    assert cleared == (Alert("queue", "warning", 100, 100),)
    assert alarms.on == {"crashes"}


@given(st.lists(FIGURES, max_size=12))
def test_the_edges_add_up_to_what_is_on(course: list[Figures]) -> None:
    alarms = Alarms()
    on: set[str] = set()
    for figures in course:
        edges = alarms.update(figures)
        raised = {alert.name for alert in edges.raised}
        cleared = {alert.name for alert in edges.cleared}
        assert not raised & on
        assert cleared <= on
        on = (on | raised) - cleared
        assert on == alarms.on == {alert.name for alert in alerts(figures)}
