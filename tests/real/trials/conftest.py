"""The counts of the trials, told at the end of the session, with workers and without."""

from __future__ import annotations

from collections.abc import Callable

import pytest

NOTE = "trials"
Note = Callable[[str], None]


@pytest.fixture
def note(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Note:
    """Give a function that notes what came of a test's trials."""

    def take(text: str) -> None:
        record_property(NOTE, f"{request.node.name}: {text}")

    return take


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    noted = [text for one in reports for name, text in one.user_properties if name == NOTE]
    if noted:
        terminalreporter.section("trials")
    for text in noted:
        terminalreporter.write_line(str(text))
