"""The pytest plug-in: scenario files as tests, and the fixture `windtunnel`.

Installed, pytest loads it by itself; in a bare checkout by `-p windtunnel.pytest_plugin` with the
source roots on the path. Two settings make scenario files tests, one item for each cell:

    [tool.pytest.ini_options]
    testpaths = ["tests", "scenarios"]
    windtunnel_scenarios = ["scenarios"]

Since every run of pytest loads this module, it imports pytest and the standard library alone; the
rest comes with the first scenario file, or the first use of the fixture.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from windtunnel.pytest_plugin.collecting import ScenarioModule
    from windtunnel.pytest_plugin.tunnel import Tunnel

FOLDERS_INI: Final = "windtunnel_scenarios"
WORLD_INI: Final = "windtunnel_world"
_FOLDERS: Final = pytest.StashKey[tuple[str, ...]]()
"""The real paths of the folders whose scenario files are tests."""
NOT_RUN: Final = "not run"
"""The property of an item with cells whose world is not there: why."""
_MOST_SEED: Final = 2**63 - 1
_MOST_EXPLORED: Final = 10_000


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting and the options."""
    parser.addini(
        FOLDERS_INI, "folders whose scenario files (*.yaml) are tests, one a cell", type="paths"
    )
    parser.addini(WORLD_INI, "only their cells of this world are tests: sim, real; empty: all")
    group = parser.getgroup("windtunnel", "scenarios of Windtunnel")
    group.addoption(
        "--windtunnel-world", metavar="NAME", help="only cells of this world: sim, real"
    )
    group.addoption(
        "--windtunnel-seed", type=_seed, metavar="N", help="root of all randomness of every cell"
    )
    group.addoption(
        "--windtunnel-ties",
        choices=("fifo", "lifo", "seeded"),
        help="who goes first at one instant, where a file does not say one order itself",
    )
    group.addoption(
        "--windtunnel-tie-seed", type=_seed, metavar="N", help="seed of the ties, or of the first"
    )
    group.addoption(
        "--windtunnel-explore",
        type=_count,
        metavar="N",
        help="play each cell in N orders of ties, by a seed each",
    )
    group.addoption(
        "--windtunnel-scheduler",
        metavar="MODULE:CLASS",
        help="test this scheduler class in the place of the one that a file names",
    )
    group.addoption(
        "--windtunnel-frames",
        choices=("none", "failed", "all"),
        help="of which runs on a real display the pictures of each step are kept (failed)",
    )
    group.addoption(
        "--windtunnel-frames-dir", metavar="DIR", help="where they are kept (windtunnel-frames)"
    )
    group.addoption(
        "--windtunnel-in-process",
        action="store_true",
        help="play cells in pytest's own process (to debug, to measure coverage; --pdb implies it):"
        " a cell that exits or crashes then takes pytest with it",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker `spec`, and look for the folders before anything is collected."""
    config.addinivalue_line(
        "markers", "spec(*ids): the requirement ids the test covers, such as UI-Q3"
    )
    _check_ties(config)
    _check_world(config)
    if config.getoption("windtunnel_scheduler") is not None:
        _import_from(config.invocation_params.dir)
    folders: list[Path] = config.getini(FOLDERS_INI)
    for folder in folders:
        if not folder.exists():
            raise pytest.UsageError(f"{FOLDERS_INI}: there is no file or folder {str(folder)!r}")
    config.stash[_FOLDERS] = tuple(os.path.realpath(folder) for folder in folders)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioModule | None:
    """Collect a scenario file of the folders, or one named on the command line."""
    if file_path.suffix != ".yaml":
        return None
    folder = _folder_of(file_path, parent.config)
    named = parent.session.isinitpath(file_path)
    if not named and (folder is None or _passed_over(file_path, folder)):
        return None
    from windtunnel.pytest_plugin.collecting import collect_scenario

    return collect_scenario(file_path, parent, trusted=folder is not None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not run for want of its world, and why: it must not pass for a success."""
    reports = (report for found in terminalreporter.stats.values() for report in found)
    reasons = Counter(reason for report in reports for reason in _not_run(report))
    if reasons:
        terminalreporter.section("NOT RUN: scenarios whose world is not here", yellow=True)
    for reason, number in reasons.items():
        tests = f"{number} test{'' if number == 1 else 's'}"
        terminalreporter.write_line(f"NOT RUN: {tests}: {reason}", yellow=True, bold=True)


@pytest.fixture(name="windtunnel", scope="session")
def windtunnel_fixture(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Tunnel:
    """Run coroutines in simulated time, and play scenarios: see `Tunnel`."""
    from windtunnel.pytest_plugin.tunnel import Tunnel

    return Tunnel(pytestconfig, tmp_path_factory)


def _not_run(report: object) -> Iterator[str]:
    """Yield why cells of an item were not run, if what is given is the report of one."""
    if isinstance(report, pytest.TestReport) and report.when == "call":
        yield from (str(value) for name, value in report.user_properties if name == NOT_RUN)


def _folder_of(path: Path, config: pytest.Config) -> str | None:
    """Return the folder of the setting in which a file lies, links resolved."""
    real = Path(os.path.realpath(path))
    return next((each for each in config.stash[_FOLDERS] if real.is_relative_to(each)), None)


def _passed_over(path: Path, folder: str) -> bool:
    """Tell whether a file is shared data for others to include, as `windtunnel run` does."""
    parts = Path(os.path.realpath(path)).relative_to(folder).parts
    return any(part.startswith((".", "_")) for part in parts)


def _import_from(folder: Path) -> None:
    """Let the class be found where pytest is called, as `windtunnel run` does."""
    if not {"", os.fspath(folder)} & set(sys.path):
        sys.path.insert(0, os.fspath(folder))


def _check_ties(config: pytest.Config) -> None:
    order = config.getoption("windtunnel_ties")
    for option in ("tie_seed", "explore"):
        if config.getoption(f"windtunnel_{option}") is not None and order not in (None, "seeded"):
            flag = f"--windtunnel-{option.replace('_', '-')}"
            raise pytest.UsageError(f"{flag} goes with --windtunnel-ties=seeded, not {order}")


def world_of(config: pytest.Config) -> str | None:
    """Return the world whose cells alone are tests; None: all are."""
    said: str = config.getoption("windtunnel_world") or config.getini(WORLD_INI)
    return said or None


def _check_world(config: pytest.Config) -> None:
    from windtunnel.builtin import names

    world = world_of(config)
    if world is not None and world not in names("worlds"):
        known = ", ".join(names("worlds"))
        where = "--windtunnel-world" if config.getoption("windtunnel_world") else WORLD_INI
        raise pytest.UsageError(f"{where}: there is no world {world!r} (known: {known})")


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_EXPLORED:
        said = f"{text!r} is not a whole number from 1 to {_MOST_EXPLORED}"
        raise argparse.ArgumentTypeError(said)
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) > _MOST_SEED:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to {_MOST_SEED}")
    return int(text)
