"""An item: the cells that pytest runs, skips, fails and reports as one test.

Imports pytest, the players and the texts of failures.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from _pytest._code.code import ReprExceptionInfo, ReprFileLocation, ReprTracebackNative

from windtunnel.checks.base import Verdict
from windtunnel.pytest_plugin import NOT_RUN
from windtunnel.pytest_plugin.failures import (
    CellsFailed,
    failure_text,
    headline,
    warnings_text,
)
from windtunnel.pytest_plugin.playing import play
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.pool import Played
from windtunnel.scenario.playing.worker import lacked_its_world
from windtunnel.scenario.selecting.selection import Request
from windtunnel.scenario.source.yaml_scalars import written


class CellsItem(pytest.Item):
    """One cell; or the rows of a large table, of which each must pass.

    Only `pass` passes: a cell of a world that is not there, or for which the scheduler lacks
    something, is skipped with that reason; `unknown`, `vacuous` and `error` fail and say so. What
    is quarantined may fail, as an expected failure.
    `-k` matches the cell's name, its tags, what it covers, and `axis:value` for each of its axes
    (pytest takes no `=` there).
    """

    def __init__(self, *, cells: Sequence[Cell], request: Request, **fields: Any) -> None:  # noqa: ANN401 - pytest's own
        super().__init__(**fields)
        self._cells = cells
        self._request = request
        covers = tuple(dict.fromkeys(id_ for cell in cells for id_ in cell.covers))
        if covers:
            self.add_marker(pytest.mark.spec(*covers))
        if cells[0].status == "quarantined":  # a file's status is that of all its cells
            quarantined = pytest.mark.xfail(reason="quarantined", raises=CellsFailed, strict=False)
            self.add_marker(quarantined)
        self.extra_keyword_matches.update(covers, *(cell.tags for cell in cells))
        if len(cells) == 1:
            axes = cells[0].axes.items()
            self.extra_keyword_matches.update(f"{axis}:{written(value)}" for axis, value in axes)

    def runtest(self) -> None:
        """Play the cells; raises `CellsFailed`, or skips, unless they pass."""
        played = play(self._cells, self._request, self.config)
        self._record(played)
        if text := failure_text(self.name, played):
            raise CellsFailed(f"{headline(played)}\n{text}")
        if all(one.result.verdict is Verdict.SKIPPED for one in played):
            raise pytest.skip.Exception(played[0].result.reason, _use_item_location=True)

    def _record(self, played: Sequence[Played]) -> None:
        """Hand on what reports want beside the outcome."""
        if len(played) == 1:
            result = played[0].result
            fields = {"verdict": str(result.verdict), "seed": result.seed, "digest": result.digest}
            self.user_properties.extend(fields.items())
        results = [one.result for one in played]
        lacking = dict.fromkeys(one.reason for one in results if lacked_its_world(one))
        self.user_properties.extend((NOT_RUN, reason) for reason in lacking)
        self.user_properties.extend(("frames", one.kept) for one in results if one.kept)
        printed = "".join(one.printed for one in played)
        if printed:
            self.add_report_section("call", "stdout", printed)
        if warnings := warnings_text(played):
            self.add_report_section("call", "warnings of checks", warnings)

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: Any = None,  # noqa: ANN401 - pytest's own
    ) -> Any:  # noqa: ANN401 - pytest's own
        """Return the failure of cells as it is, without a traceback; its headline is its summary.

        In pytest's own shape, which alone pytest-xdist brings over whole.
        """
        if not isinstance(excinfo.value, CellsFailed):
            return super().repr_failure(excinfo, style)
        first, _, text = str(excinfo.value).partition("\n")
        place = ReprFileLocation(str(self.path), self._cells[0].line, first)
        return ReprExceptionInfo(reprtraceback=ReprTracebackNative([f"{text}\n"]), reprcrash=place)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the item stands: the file, and the line of the case or the scenario."""
        return self.path, self._cells[0].line - 1, self.name
