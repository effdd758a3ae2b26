"""The options of a real world: what they make of it and refuse, and how they are replayed."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from windtunnel import builtin
from windtunnel.cli.real_options import NOTHING_SAID, RealOptions
from windtunnel.errors import WorldUnavailableError
from windtunnel.scenario.cells import Cell
from windtunnel.world import WorldOptions, WorldSpec
from windtunnel_models.world import SimWorld

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")

Call = Callable[..., Result]
MakeCell = Callable[..., Cell]

TWO_WORLDS = """
format: 1
name: sends
system: ui
policy: specified
world: [sim, real]
timeline:
  - {at: 0s, submit: send_text, id: send, args: {to: alice, text: hello}}
expect:
  - count: {of: send_text, equals: 2}
"""
"""One send, counted wrongly, in both worlds."""


class FakeReal(SimWorld):
    """The simulated world under the name of the real one; it keeps the options it was made with."""

    name = "real"

    def __init__(self, spec: WorldSpec) -> None:
        super().__init__(spec)
        self._options = spec.options

    @classmethod
    def options_problem(cls, options: WorldOptions) -> str | None:
        if options.driver not in (None, "good"):
            return f"there is no driver {options.driver!r}: it is one of good"
        return None

    def keep(self, name: str, *, failed: bool) -> str:
        if self._options.frames == "none" or not (failed or self._options.frames == "all"):
            return ""
        folder = Path(self._options.frames_folder, name)
        folder.mkdir(parents=True)
        (folder / "options.json").write_text(json.dumps(asdict(self._options)))
        return str(folder)


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Put a scenario of both worlds here, and the fake in the place of the real one."""
    module = ModuleType("fake_real_of_the_tests")
    module.FakeReal = FakeReal  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    worlds = {**builtin.BUILTIN["worlds"], "real": f"{module.__name__}:FakeReal"}
    monkeypatch.setattr(builtin, "BUILTIN", {**builtin.BUILTIN, "worlds": worlds})
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(TWO_WORLDS)
    Path("sim.yaml").write_text(TWO_WORLDS.replace(", real", "").replace("equals: 2", "equals: 1"))
    return "a.yaml"


def lines_of(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


NAMES = st.none() | st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1)


@given(
    st.builds(
        RealOptions, NAMES, NAMES, NAMES, st.sampled_from([None, "none", "failed", "all"]), NAMES
    )
)
def test_the_arguments_say_the_same_options(options: RealOptions) -> None:
    flags = dict(zip(*[iter(options.arguments())] * 2, strict=True))
    names = {"--display": "display", "--driver": "driver", "--window-manager": "window_manager"}
    names |= {"--frames": "frames", "--frames-dir": "frames_folder"}
    again = RealOptions(**{names[flag]: value for flag, value in flags.items()})
    assert again.options() == options.options()
    assert again.arguments() == options.arguments()
    assert set(flags) <= set(options.given)


def test_what_is_not_said_is_as_usual() -> None:
    assert NOTHING_SAID.options() == WorldOptions()
    assert NOTHING_SAID.arguments() == NOTHING_SAID.given == ()
    assert RealOptions(frames="failed").arguments() == ()
    assert RealOptions(frames="failed").given == ("--frames",)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--display", ":1", "--jobs", "2"), "--jobs 2 does not go with --display"),
        (("--frames", "none", "--frames-dir", "x"), "--frames-dir does not go with --frames none"),
        (("--frames", "some"), "'some' is not one of 'none', 'failed', 'all'"),
        (("--frames-dir", "a.yaml"), "'a.yaml': 'a.yaml' is not a folder"),
        (("--frames-dir", "a.yaml/in/it"), "'a.yaml' is not a folder"),
        (("--frames-dir", ""), "is not a folder"),
        (("--driver", "bad"), "there is no driver 'bad': it is one of good"),
        (("--driver", "bad", "--world", "real"), "there is no driver 'bad': it is one of good"),
    ],
)
def test_a_mistake_is_told_before_anything_is_played(
    both: str, call: Call, arguments: tuple[str, ...], said: str
) -> None:
    result = call("run", both, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("--display", ":1"),
        ("--driver", "good"),
        ("--window-manager", "openbox"),
        ("--frames", "failed"),
        ("--frames-dir", "x"),
    ],
)
def test_in_the_simulation_alone_they_are_a_mistake(
    both: str, call: Call, arguments: tuple[str, ...]
) -> None:
    for selected in (("sim.yaml",), (both, "--world", "sim"), (both, "-k", "world=sim")):
        result = call("run", *selected, *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{arguments[0]}: for the real world, in which no" in result.stderr
    nothing = call("run", both, "-k", "nowhere", *arguments)
    assert (nothing.exit_code, "nothing selected" in nothing.stderr) == (5, True)


def test_a_world_that_says_nothing_of_options_and_one_that_is_not_there_are_not_asked(
    make_cell: MakeCell, both: str
) -> None:
    options = RealOptions(driver="bad")
    options.check_cells([make_cell(world="nowhere")])
    with pytest.raises(click.UsageError, match="no driver 'bad'"):
        options.check_cells([make_cell(world="nowhere"), make_cell(world="real")])


def test_they_reach_the_world_and_what_it_keeps_is_told(both: str, call: Call) -> None:
    given = ("--driver", "good", "--window-manager", "openbox", "--frames-dir", "pictures")
    result = call("run", both, *given, "--json", "lines", "--junit", "report.xml")
    assert result.exit_code == 1
    sim, real = map(json.loads, Path("lines").read_text().splitlines())
    assert (sim["world"], sim["kept"], real["world"]) == ("sim", "", "real")
    assert Path(real["kept"]).parent == Path("pictures")
    assert json.loads(Path(real["kept"], "options.json").read_text()) == {
        "display": None,
        "driver": "good",
        "window_manager": "openbox",
        "frames": "failed",
        "frames_folder": "pictures",
    }
    assert f"\n  frames: {real['kept']}\n" in result.stdout
    assert "\nframes: of 1 cell, in pictures\n" in result.stdout
    assert real["kept"] in Path("report.xml").read_text()


def test_a_display_that_is_asked_for_and_not_there_is_no_success(
    both: str, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(_: object, spec: WorldSpec) -> None:
        raise WorldUnavailableError(f"there is no display {spec.options.display}")

    monkeypatch.setattr(FakeReal, "__init__", nowhere)
    Path(both).write_text(TWO_WORLDS.replace("equals: 2", "equals: 1"))
    assert call("run", both).exit_code == 0
    asked = call("run", both, "--display", ":7")
    assert (asked.exit_code, "skipped 1 cell: there is no display :7" in asked.stdout) == (4, True)
    assert call("run", both, "--frames", "all").exit_code == 4


def test_a_replay_has_them_for_a_real_cell_and_not_for_a_simulated_one(
    both: str, call: Call
) -> None:
    given = ["--display", ":7", "--driver", "good", "--frames", "all"]
    result = call("run", both, *given)
    sim, real, whole = (
        line.strip() for line in result.stdout.splitlines() if line.strip().startswith("replay:")
    )
    assert sim == "replay: windtunnel run a.yaml -k 'sends[world=sim]' --seed 0"
    assert shlex.split(real)[-6:] == shlex.split(whole)[-6:] == given
    again = call(*shlex.split(real)[2:], "--json", "-")
    (line,) = lines_of(again)
    assert (again.exit_code, line["world"], line["verdict"]) == (1, "real", "fail")
    assert call(*shlex.split(sim)[2:]).exit_code == 1


def test_frames_of_all_or_of_none(both: str, call: Call) -> None:
    assert call("run", both, "--frames", "none").exit_code == 1
    assert not Path("windtunnel-frames").exists()
    Path("a.yaml").write_text(TWO_WORLDS.replace("equals: 2", "equals: 1"))
    assert call("run", both).exit_code == 0
    assert not Path("windtunnel-frames").exists()
    (_, real) = lines_of(call("run", both, "--frames", "all", "--json", "-"))
    assert (real["verdict"], Path(real["kept"]).is_dir()) == ("pass", True)


def test_a_folder_that_cannot_be_written_costs_no_verdict(both: str, call: Call) -> None:
    (one, real) = lines_of(call("run", both, "--json", "-"))
    again = call("run", both, "--json", "-")  # the fake's folder is there already
    assert again.exit_code == 1
    (_, line) = lines_of(again)
    assert (one["kept"], line["verdict"], line["kept"]) == ("", "fail", "")
    assert line["reason"] == f"{real['reason']} (frames not kept: {real['kept']}: File exists)"
