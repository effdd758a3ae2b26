"""The figures: what was measured against which bar, told at the end of the session."""

from __future__ import annotations

from collections.abc import Callable

import pytest

FIGURES = pytest.StashKey[list[str]]()
Figure = Callable[[str], None]


@pytest.fixture
def figure(
    request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> Figure:
    """Give a function that notes a figure for the summary and for the JUnit report."""

    def note(text: str) -> None:
        record_property("figure", text)
        request.config.stash.setdefault(FIGURES, []).append(text)

    return note


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    figures = terminalreporter.config.stash.get(FIGURES, [])
    if figures:
        terminalreporter.section("figures")
    for text in figures:
        terminalreporter.write_line(text)
