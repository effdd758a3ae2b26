"""Settings of the whole suite, and what many of its folders use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import settings

from windtunnel.scenario.results import CellResult

# A deadline would be an assertion on the wall clock of a machine that has other work; the blob in
# a failure's report replays it. `--hypothesis-profile=thorough` looks longer.
settings.register_profile("windtunnel", deadline=None, print_blob=True)
settings.register_profile("thorough", settings.get_profile("windtunnel"), max_examples=3000)
settings.load_profile("windtunnel")

Play = Callable[..., tuple[CellResult, ...]]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Give a function that plays every cell of a scenario's text and returns their results.

    The head (`format`, `name`, `system`, `policy`) is added where the text has none.
    """
    from windtunnel.scenario.playing.running import run_cell
    from windtunnel.scenario.selecting.selection import Request, select

    def run(text: str, *, keep_trace: bool = False, **request: str) -> tuple[CellResult, ...]:
        body = dedent(text)
        head = "" if body.startswith("format:") else HEAD
        file = tmp_path / "probe.yaml"
        file.write_text(head + body, encoding="utf-8")
        selection = select(Request(paths=(str(file),), allow_code=True, **request))  # type: ignore[arg-type]
        assert not selection.problems, selection.problems
        return tuple(run_cell(cell, keep_trace=keep_trace) for cell in selection.cells)

    return run


HEAD = """\
format: 1
name: probe
system: ui
policy: specified
"""
