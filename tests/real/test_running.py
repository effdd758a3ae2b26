"""`windtunnel run` with real displays: its options, and what is left of it however it ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from display_kit import PATIENCE, wait_until
from run_kit import Found, processes_with
from windtunnel_real.display.cookie import Cookie
from windtunnel_real.display.xvfb import Xvfb

SEND = """\
format: 1
name: send
summary: One send.
system: ui
world: [real]
timeline:
  - {at: 100ms, call: route.send_text, id: one, args: {to: alice, text: 你好}}
expect:
  - answer: {of: [one], outcome: done}
  - delivered_to: {of: [one]}
"""
LONG = """\
format: 1
name: long
summary: Sends for minutes.
system: ui
world: [real]
matrix: {text: [one, two]}
limits: {wall: 300s}
timeline:
  - {at: 100ms, call: route.send_text, id: one, repeat: 99, every: 1s,
     args: {to: alice, text: $text}}
expect:
  - answer: {of: [one], outcome: done}
"""
Running = subprocess.Popen[bytes]
MARK = "WINDTUNNEL_TEST_MARK"


@dataclass(frozen=True)
class Place:
    """A folder with scenarios and a place for temporary files, which nobody else uses."""

    folder: Path

    @property
    def temporary(self) -> Path:
        return self.folder / "t"

    def environment(self, **more: str) -> dict[str, str]:
        ours = {MARK: str(self.folder), "TMPDIR": str(self.temporary)}
        return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | ours | more

    def command(self, name: str, *options: str) -> list[str]:
        return [sys.executable, "-m", "windtunnel", "run", f"{name}.yaml", *options]

    def run(self, *options: str, name: str = "send", **more: str) -> tuple[int, str]:
        """Run a scenario to its end; return the exit code and what was written."""
        done = subprocess.run(
            self.command(name, *options),
            cwd=self.folder,
            env=self.environment(**more),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=2 * PATIENCE,
            check=False,
        )
        return done.returncode, " ".join(done.stdout.split())

    @contextmanager
    def running(self, *command: str, stdin: int = subprocess.DEVNULL) -> Iterator[Running]:
        """Have a runner of its own run; it is ended with the block, if it still runs."""
        with (
            (self.folder / "said").open("wb") as said,
            subprocess.Popen(
                command,
                cwd=self.folder,
                env=self.environment(),
                stdin=stdin,
                stdout=said,
                stderr=said,
            ) as runner,
        ):
            try:
                yield runner
            finally:
                runner.kill()

    def said(self) -> str:
        """Return what was written by what was `running`."""
        return " ".join((self.folder / "said").read_text(encoding="utf-8").split())

    def live(self, *names: str) -> list[Found]:
        """Return what runs by our hand, of those programs if they are named."""
        found = processes_with(MARK, str(self.folder))
        return [one for one in found if not names or any(name in one.command for name in names)]

    def left(self) -> list[str]:
        return sorted(each.name for each in self.temporary.iterdir())


@pytest.fixture
def place() -> Iterator[Place]:
    made = Place(Path(tempfile.mkdtemp(prefix="wt-", dir="/tmp")))  # the path of a socket is short
    made.temporary.mkdir()
    (made.folder / "send.yaml").write_text(SEND, encoding="utf-8")
    (made.folder / "long.yaml").write_text(LONG, encoding="utf-8")
    yield made
    left = made.live()
    for one in left:
        os.kill(one.pid, signal.SIGKILL)
    shutil.rmtree(made.folder)
    assert left == []


@pytest.mark.parametrize(
    "options",
    [
        ("--driver", "xtest"),
        ("--driver", "xdotool-pipe"),
        ("--driver", "xdotool"),
        ("--window-manager", "openbox"),
    ],
)
def test_a_cell_passes_with_each_way_to_drive_it(place: Place, options: tuple[str, ...]) -> None:
    code, said = place.run(*options)
    assert code == 0, said
    assert place.left() == []


def test_a_display_that_is_there_is_attached_to_and_stays(place: Place, xvfb: Xvfb) -> None:
    authority = str(xvfb.address.authority)
    for _ in range(2):  # what the first leaves there does not disturb the second
        code, said = place.run("--display", xvfb.address.name, XAUTHORITY=authority)
        assert code == 0, said
    assert xvfb.alive()
    assert place.left() == []


def test_without_its_cookie_there_is_no_world(place: Place, xvfb: Xvfb) -> None:
    wrong = place.folder / "wrong"
    Cookie.fresh().write(wrong)
    for authority in (wrong, place.folder / "none"):
        code, said = place.run("--display", xvfb.address.name, XAUTHORITY=str(authority))
        assert code == 4, said
        assert xvfb.address.name in said
        assert "Traceback" not in said
    assert place.left() == []


def test_a_program_that_is_missing_is_named_before_anything_runs(place: Place) -> None:
    bare = place.folder / "bin"
    bare.mkdir()
    for name in ("Xvfb", "setpriv", "sh", "xkbcomp"):
        found = shutil.which(name)
        assert found is not None
        (bare / name).symlink_to(found)
    code, said = place.run("--driver", "xdotool", PATH=str(bare))
    assert code == 4, said
    assert "apt-get install xdotool" in said
    assert place.left() == []
    code, said = place.run(PATH=str(bare))
    assert code == 0, said


def test_nothing_outlives_a_runner_that_is_killed_and_the_next_one_sweeps(place: Place) -> None:
    options = ("--jobs", "2", "--window-manager", "openbox")

    def two(name: str) -> bool:
        return len(place.live(name)) == 2

    with place.running(*place.command("long", *options)) as runner:
        for program in ("Xvfb", "openbox.xml", "windtunnel_real.standin"):
            wait_until(partial(two, program), f"two of {program}")
        runner.kill()
    wait_until(lambda: not place.live(), "everything is gone")
    assert place.left() != []
    assert place.run()[0] == 0
    assert place.left() == []


def test_ctrl_c_at_the_terminal_leaves_nothing(place: Place) -> None:
    ours, theirs = os.openpty()
    try:
        heeding = ("env", "--default-signal=INT")  # whoever runs this test may not
        command = (*heeding, "setsid", "--ctty", *place.command("long", "--jobs", "2"))
        with place.running(*command, stdin=theirs) as runner:
            wait_until(lambda: len(place.live("windtunnel_real.standin")) == 2, "both cells run")
            os.write(ours, b"\x03")
            assert runner.wait(PATIENCE) == 130
        wait_until(lambda: not place.live(), "everything is gone")
        assert place.left() == []
        assert not (place.folder / "windtunnel-frames").exists()
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_server_that_dies_is_told_with_what_was_seen_until_then(place: Place) -> None:
    with place.running(*place.command("long", "-k", "one")) as runner:
        wait_until(lambda: list(place.temporary.rglob("*click_send.png")), "the cell sends")
        (server,) = place.live("Xvfb")
        os.kill(server.pid, signal.SIGKILL)
        code = runner.wait(PATIENCE)
    said = place.said()
    assert code not in {0, 1}, said
    assert "is gone: killed by SIGKILL" in said, said
    (kept,) = (place.folder / "windtunnel-frames").iterdir()
    assert (kept / "frames.json").is_file()
    assert place.left() == []
