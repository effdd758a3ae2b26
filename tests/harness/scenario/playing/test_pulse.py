"""The pulse: signs of life reach who listens."""

from __future__ import annotations

import pytest

from windtunnel.scenario.playing import pulse


def test_a_beat_reaches_all_who_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "_listeners", [])
    pulse.beat()
    heard: list[str] = []
    pulse.listen(lambda: heard.append("one"))
    pulse.listen(lambda: heard.append("other"))
    pulse.beat()
    assert heard == ["one", "other"]
