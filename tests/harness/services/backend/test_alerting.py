"""Alerting: each alert is told once when it goes on, and once when it goes off."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest

from care_kit import Notes
from windtunnel.policies.router.alerts import Figures
from windtunnel.services.backend.alerting import Alerting
from windtunnel_models import run as run_simulated

CALM = Figures(0.0, 0.0, 0, 0, 0, 0.0)


@pytest.mark.spec("RT-X3")
def test_edges_are_noted_every_10_s(caplog: pytest.LogCaptureFixture) -> None:
    notes = Notes()
    figures = CALM

    async def main() -> None:
        nonlocal figures
        alerting = Alerting(lambda: figures, notes)
        alerting.loop.start()
        await asyncio.sleep(15)
        figures = dataclasses.replace(CALM, queue=101, crashes=1)
        await asyncio.sleep(20)
        assert alerting.on == {"queue", "crashes"}
        figures = dataclasses.replace(CALM, crashes=1)
        await asyncio.sleep(10)
        assert alerting.on == {"crashes"}
        await alerting.loop.stop()

    run_simulated(main())
    assert [(at, kind) for at, kind, _ in notes.all] == [
        (20.0, "alert.raised"),
        (20.0, "alert.raised"),
        (40.0, "alert.cleared"),
    ]
    assert notes.of("alert.raised") == [
        {"alert": "queue", "severity": "warning", "value": 101},
        {"alert": "crashes", "severity": "critical", "value": 1},
    ]
    assert notes.of("alert.cleared") == [{"alert": "queue"}]
    assert "warning alert: queue is 101, over 100" in caplog.text
