"""The result of one cell: its checks, its verdict, its line in the `--json` stream.

Reports read these lines and nothing else. Imports the checks' verdicts, no world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from windtunnel.checks.base import Verdict
from windtunnel.scenario.cells import Case, Cell
from windtunnel.scenario.reading.models import Status
from windtunnel.scenario.source.yaml_scalars import Scalar

FINE: Final = frozenset({Verdict.PASS, Verdict.SKIPPED})
"""Verdicts that nobody has to look into."""


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One check's part of a result."""

    name: str
    verdict: Verdict
    line: int
    """Line of the expectation in the scenario file; 0 for an always-on check."""
    message: str = ""
    witness: tuple[int, ...] = ()
    measured: float | int | None = None
    excerpt: tuple[str, ...] = ()
    """The events around the violation, one text line each; a short trace whole."""


@dataclass(frozen=True, slots=True)
class FaultLine:
    """What became of one fault. Instants are nanoseconds since the start, None: it never came."""

    id: str
    do: str
    line: int
    """Line of the entry in the scenario file."""
    injected: int | None = None
    affected: int | None = None
    """When it first had an effect."""
    undone: int | None = None
    """None also where it was undone as the run was taken down."""


@dataclass(frozen=True, slots=True)
class CellResult:
    """What came of one cell."""

    scenario: str
    file: str
    line: int
    name: str
    cell: Mapping[str, Scalar]
    world: str
    policy: str
    scheduler: str | None
    seed: int
    verdict: Verdict
    reason: str = ""
    """One line: why it is not a pass."""
    mistake: bool = False
    """Whether an error is the user's to mend (a class or a plug-in that does not fit)."""
    environment: bool = False
    """Whether an error is the machine's: the world went to pieces in the middle of the run."""
    checks: tuple[CheckLine, ...] = ()
    status: Status = "active"
    faults: tuple[FaultLine, ...] = ()
    tie_seed: int | None = None
    """The seed of the order of ties that this is the result of; None: no seed, or all of many."""
    orders: int = 0
    """Orders of ties that were explored; 0: the cell was not explored."""
    runs: int = 1
    """How often the cell was played (`repeat`), each time in all its orders."""
    passed: int | None = None
    """How many of these passed, where it was played more than once."""
    metrics: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""
    events: int = 0
    seconds: float = 0.0
    """Real time the cell took."""
    replay: str = ""
    """The one command that plays this cell again."""
    kept: str = ""
    """The folder with the pictures of the run that decided; empty where none were kept."""
    case: Case | None = None
    """The row of the table of cases that the cell comes from."""
    observed: Mapping[str, Any] = field(default_factory=dict)
    """Of the row's outputs those that the system lets observe → what was observed."""
    trace: tuple[str, ...] = ()
    """The canonical trace lines, kept only when they were asked for."""

    @property
    def gates(self) -> bool:
        """Whether the verdict counts: a quarantined cell runs and is shown, and that is all."""
        return self.status != "quarantined"

    @classmethod
    def of(cls, cell: Cell, verdict: Verdict, reason: str = "", **rest: Any) -> CellResult:  # noqa: ANN401 - the further fields
        """Return the result of a cell, told by what identifies the cell; `rest` are more fields."""
        return cls(
            scenario=cell.scenario,
            file=cell.file,
            line=cell.line,
            name=cell.name,
            cell=cell.axes,
            world=cell.world,
            policy=cell.policy,
            scheduler=cell.scheduler,
            seed=cell.seed,
            status=cell.status,
            case=cell.case,
            verdict=verdict,
            reason=reason,
            **rest,
        )

    def as_json(self) -> dict[str, Any]:
        """Return the result line: version 1, JSON values only, without the trace."""
        return {
            "v": 1,
            "scenario": self.scenario,
            "file": self.file,
            "line": self.line,
            "name": self.name,
            "cell": dict(self.cell),
            "world": self.world,
            "policy": self.policy,
            "scheduler": self.scheduler,
            "seed": self.seed,
            "verdict": str(self.verdict),
            "reason": self.reason,
            "checks": [
                {
                    "name": check.name,
                    "verdict": str(check.verdict),
                    "line": check.line,
                    "message": check.message,
                    "witness": list(check.witness),
                    "measured": check.measured,
                    "excerpt": list(check.excerpt),
                }
                for check in self.checks
            ],
            "status": self.status,
            "faults": [
                {
                    "id": fault.id,
                    "do": fault.do,
                    "line": fault.line,
                    "injected_ns": fault.injected,
                    "affected_ns": fault.affected,
                    "undone_ns": fault.undone,
                }
                for fault in self.faults
            ],
            "case": None if self.case is None else self._case(self.case),
            "tie_seed": self.tie_seed,
            "orders": self.orders,
            "runs": self.runs,
            "passed": self.passed,
            "metrics": dict(self.metrics),
            "digest": self.digest,
            "events": self.events,
            "seconds": round(self.seconds, 6),
            "replay": self.replay,
            "kept": self.kept,
        }

    def _case(self, case: Case) -> dict[str, Any]:
        return {
            "inputs": dict(case.inputs),
            "outputs": dict(case.outputs),
            "observed": dict(self.observed),
        }
