"""`--verify-determinism`: equal runs are told equal, and a difference is shown."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from windtunnel import builtin
from windtunnel.cli.determinism import Block, _comparable, first_difference, read_blocks

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")

Call = Callable[..., Result]
SCENARIO = """
format: 1
name: foreign
system: ui
policy: specified
given: {actions: {send_text: {duration: 1s}}}
timeline:
  - {at: 0s, submit: send_text, id: a}
expect:
  - conservation: {of: [send_text]}
"""
SCHEDULER = """
import asyncio

class Hashing:
    async def execute(self, action):
        await asyncio.sleep(1 + hash("x") % 1000 / 1000)
        return await action()

class Steady:
    async def execute(self, action):
        await asyncio.sleep(1)
        return await action()

class Hanging:
    async def execute(self, action):
        while True:
            pass
"""


def block(*events: str, digest: str = "d", verdict: str = "pass", world: str = "sim") -> Block:
    return Block(("f.yaml", "s[x=1]"), digest, verdict, world, events)


def test_the_first_event_that_differs() -> None:
    found = first_difference(block("a", "b", "c"), block("a", "x", "c"), 4242)
    assert found.lines() == (
        "  s[x=1]: differs at event 1",
        "    this process:            b",
        "    with PYTHONHASHSEED=4242 : x",
    )
    assert first_difference(block("a"), block("a", "b"), 1).here == "(the trace ends)"


@pytest.mark.parametrize(
    ("blocks", "comparable"),
    [
        ([block(), block()], True),
        ([block(), block(digest="e")], True),
        ([block(), None], False),
        ([block(digest=""), block(digest="")], False),
        ([block(world="real"), block(world="real")], False),
        ([block(verdict="unknown"), block(verdict="unknown")], True),
        ([block(verdict="unknown"), block(digest="e")], False),
    ],
)
def test_what_can_be_compared(blocks: list[Block | None], comparable: bool) -> None:
    assert _comparable(blocks) is comparable


def test_a_trace_file_is_read_cell_by_cell(tmp_path: Path) -> None:
    path = tmp_path / "t"
    header = '{"cell": "%s", "file": "f", "world": "sim", "verdict": "pass", "digest": "d"}\n'
    path.write_text(header % "a" + '{"t":0}\n{"t":1}\n' + header % "b" + header % "c" + '{"t":2}\n')
    assert [(one.key[1], one.events) for one in read_blocks(path)] == [
        ("a", ('{"t":0}', '{"t":1}')),
        ("b", ()),
        ("c", ('{"t":2}',)),
    ]
    path.write_text("")
    assert list(read_blocks(path)) == []


DRAINS = ("ui/drain.yaml", "ui/dead-window.yaml")


def test_the_simulation_is_deterministic(call: Call) -> None:
    result = call("run", *DRAINS, "--world", "sim", "--verify-determinism")
    assert result.exit_code == 0
    assert "determinism: 10 cells equal in 3 processes" in result.stdout


@pytest.mark.parametrize(
    ("scheduler", "code", "said"),
    [
        ("Steady", 0, "determinism: 1 cell equal in 3 processes"),
        ("Hashing", 1, "determinism: 0 cells equal in 3 processes\n  foreign: differs at event "),
    ],
)
def test_a_scheduler_that_hangs_on_hashes_is_found_out(
    tmp_path: Path, environment: dict[str, str], scheduler: str, code: int, said: str
) -> None:
    (tmp_path / "foreign.yaml").write_text(SCENARIO)
    (tmp_path / "their.py").write_text(SCHEDULER)
    arguments = ["run", "foreign.yaml", "--scheduler", f"their:{scheduler}"]
    done = subprocess.run(
        [sys.executable, "-m", "windtunnel", *arguments, "--verify-determinism"],
        env=environment | {"PYTHONHASHSEED": "0"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, "")
    assert said in done.stdout
    assert done.stdout.count('"kind":"action.started"') == 2 * code  # the two events that differ


TWO_WORLDS = SCENARIO.replace("system: ui", "system: ui\nworld: [sim, real]").lstrip()
PLAYED_AS_REAL = """
from windtunnel_models.world import SimWorld

class Real(SimWorld):
    name = "real"

    def __init__(self, spec):
        super().__init__(spec)
        with open("made", "a") as made:
            made.write("one more\\n")
"""


@pytest.mark.parametrize(
    ("asked", "said", "code"),
    [
        ((), "determinism: 1 cell equal in 3 processes\n  foreign[world=real]: not compared", 3),
        (
            ("--world", "real"),
            "determinism: 0 cells equal in 3 processes\n  foreign[world=real]",
            3,
        ),
        (("--world", "sim"), "determinism: 1 cell equal in 3 processes\n\n", 0),
    ],
)
def test_a_real_world_is_played_once_and_not_compared(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
    asked: tuple[str, ...],
    said: str,
    code: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "played_as_real", raising=False)
    Path("played_as_real.py").write_text(PLAYED_AS_REAL)
    worlds = {**builtin.BUILTIN["worlds"], "real": "played_as_real:Real"}
    monkeypatch.setattr(builtin, "BUILTIN", {**builtin.BUILTIN, "worlds": worlds})
    Path("foreign.yaml").write_text(TWO_WORLDS)
    result = call("run", "foreign.yaml", *asked, "--verify-determinism")
    assert result.exit_code == code, result.output
    assert said in result.stdout
    made = Path("made").read_text().splitlines() if Path("made").exists() else []
    assert len(made) == (0 if "sim" in asked else 1)


def test_a_process_that_cannot_do_its_run_is_told(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    import windtunnel.cli.determinism

    monkeypatch.setattr(windtunnel.cli.determinism, "_START", "raise SystemExit('out of order')")
    result = call("run", "ui/drain.yaml", "--verify-determinism")
    assert result.exit_code == 2
    assert "ended with exit code 1 and without a trace: out of order" in result.stderr
