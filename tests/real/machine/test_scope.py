"""Scope: found by the exact name as `pgrep -x` finds them, on one display and on no other."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from children_kit import SLEEP, by_hand, named, nobodys_display, python, soon
from windtunnel.units import SECOND
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.machine.scope import PROC, Scope


class Own:
    """What was started from here."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self._names = names

    def names(self) -> Mapping[int, str]:
        return self._names


def pids(scope: Scope, name: str) -> list[int]:
    return [each.pid for each in scope.live(name)]


def pgrep(name: str) -> list[int]:
    done = subprocess.run(["pgrep", "-x", name], check=False, capture_output=True, text=True)
    return [int(pid) for pid in done.stdout.split()]


NAMES = [
    "app",
    "fifteen-letters",
    "sixteen-letters-",  # its process has one letter less, for pgrep too
    "a b",
    "a) R 1 (b",
    "(",
    "微信",
    "apple",
]


@pytest.mark.parametrize("sought", [*NAMES, "sixteen-letters", "ap", "App", "a.p", ""])
def test_the_exact_name_is_what_pgrep_takes_it_for(tmp_path: Path, sought: str) -> None:
    address = nobodys_display()
    with ExitStack() as stack:
        run = {
            name: stack.enter_context(by_hand(address, named(tmp_path, name))).pid for name in NAMES
        }
        found = pids(Scope(address), sought)
        expected = {name[:15]: pid for name, pid in run.items()}
        assert found == ([expected[sought]] if sought in expected else [])
        if sought.replace("-", "").isalpha() and sought.isascii() and len(sought) <= 15:
            assert set(found) == set(pgrep(sought)) & set(run.values())


def test_the_oldest_comes_first_and_knows_its_start() -> None:
    address = nobodys_display()
    with by_hand(address) as first:
        before = Scope(address).live("sleep")[0]
        assert os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOHANG) is None
        with by_hand(address) as second:
            found = Scope(address).live("sleep")
    assert sorted(each.pid for each in found) == sorted([first.pid, second.pid])
    assert [each.started for each in found] == sorted(each.started for each in found)
    assert before in found
    uptime = float(Path("/proc/uptime").read_text().split()[0]) * SECOND
    assert uptime - 600 * SECOND < before.started <= uptime


def test_zombies_and_the_dead_do_not_live() -> None:
    address = nobodys_display()
    with by_hand(address) as process:
        assert Scope(address).get(process.pid) is not None
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        for scope in (Scope(address), Scope(address, Own({process.pid: "app"}))):
            assert [*scope.live("sleep"), *scope.live("app")] == []
            assert scope.get(process.pid) is None
    assert Scope(address).get(process.pid) is None


def test_one_that_is_stopped_lives() -> None:
    address = nobodys_display()
    with by_hand(address) as process:
        process.send_signal(19)
        assert pids(Scope(address), "sleep") == [process.pid]


@pytest.mark.parametrize("spelt", ["{}", "{}.0", "unix{}", "unix{}.1"])
def test_a_display_may_be_spelt_with_its_screen(spelt: str) -> None:
    address = nobodys_display()
    with by_hand(address, DISPLAY=spelt.format(address.name)) as process:
        assert pids(Scope(address), "sleep") == [process.pid]
        assert pids(Scope(DisplayAddress(f"{address.name}.0")), "sleep") == [process.pid]


@pytest.mark.parametrize("name", [":1", "host{}", "{}0", "0{}", ""])
def test_another_display_is_another(name: str) -> None:
    address = nobodys_display()
    with by_hand(address, DISPLAY=name.format(address.name)) as process:
        assert Scope(address).live("sleep") == []
        assert Scope(address).get(process.pid) is None


def test_a_display_of_the_same_name_behind_another_cookie_is_another(tmp_path: Path) -> None:
    address = nobodys_display(tmp_path / "cookie")
    with (
        by_hand(address) as ours,
        by_hand(address, XAUTHORITY=str(tmp_path / "other")),
        by_hand(DisplayAddress(address.name)) as bare,
    ):
        assert pids(Scope(address), "sleep") == [ours.pid]
        assert bare.pid in pids(Scope(DisplayAddress(address.name)), "sleep")


def test_the_first_of_two_variables_of_one_name_counts() -> None:
    address = nobodys_display()
    text = (
        "import ctypes, os\n"
        f"e = [b'DISPLAY={address.name}', b'DISPLAY=:1', None]\n"
        "c = ctypes.c_char_p\n"
        "ctypes.CDLL(None).execve(b'/bin/sleep', (c * 3)(b'sleep', b'1000', None), (c * 3)(*e))\n"
    )
    with by_hand(address, python(text)) as process:
        told = Path(f"/proc/{process.pid}/environ")
        soon(lambda: told.read_bytes().endswith(b"\0DISPLAY=:1\0"))
        assert pids(Scope(address), "sleep") == [process.pid]


def test_our_own_count_by_the_name_they_were_started_by_and_by_their_own() -> None:
    address, elsewhere = nobodys_display(), nobodys_display()
    with by_hand(elsewhere) as process:
        scope = Scope(address, Own({process.pid: "app"}))
        assert pids(scope, "app") == pids(scope, "sleep") == [process.pid]
        found = scope.get(process.pid)
        assert found is not None
        assert found.name == "app"


def test_this_process_is_never_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    address = nobodys_display()
    text = (
        "import os, sys\n"
        "from windtunnel_real.display.address import DisplayAddress\n"
        "from windtunnel_real.machine.scope import Scope\n"
        "scope = Scope(DisplayAddress(sys.argv[1]))\n"
        "name = open('/proc/self/comm').read().strip()\n"
        "print([one.pid for one in scope.live(name)], scope.get(os.getpid()), os.getppid())\n"
    )
    path = os.pathsep.join(str(Path(__file__).parents[3] / root) for root in ("harness", "real"))
    said = subprocess.check_output(
        [*python(text), address.name],
        env={**address.environment(), "PYTHONPATH": path},
        text=True,
    )
    assert said == f"[] None {os.getpid()}\n"


@pytest.mark.parametrize("missing", ["environ", "stat", "comm"])
def test_one_that_goes_while_it_is_read_or_may_not_be_read_is_not_ours(
    tmp_path: Path, missing: str
) -> None:
    address = nobodys_display()
    with by_hand(address) as process:
        copy = tmp_path / str(process.pid)
        copy.mkdir()
        for file in {"environ", "stat", "comm"} - {missing}:
            (copy / file).write_bytes((PROC / str(process.pid) / file).read_bytes())
        assert Scope(address, proc=tmp_path).live("sleep") == []
        (copy / missing).write_bytes((PROC / str(process.pid) / missing).read_bytes())
        assert pids(Scope(address, proc=tmp_path), "sleep") == [process.pid]


Crowd = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["app", "other"])), max_size=6)


@settings(max_examples=15)
@given(Crowd)
def test_cells_side_by_side_never_see_one_anothers(crowd: list[tuple[int, str]]) -> None:
    addresses = [nobodys_display() for _ in range(3)]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        run = [
            (number, name, stack.enter_context(by_hand(addresses[number], program)).pid)
            for number, name in crowd
            for program in [named(Path(folder), name)]
        ]
        for number, address in enumerate(addresses):
            for name in ("app", "other"):
                ours = [pid for place, other, pid in run if (place, other) == (number, name)]
                assert sorted(pids(Scope(address), name)) == sorted(ours)
            mine = {pid for place, _, pid in run if place == number}
            assert {pid for _, _, pid in run if Scope(address).get(pid)} == mine


fields = st.integers(0, 2**40)


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\n\\\0")),
    fields,
    st.sampled_from("RSDTtZXxI"),
)
def test_a_name_with_brackets_hides_nothing(name: str, ticks: int, state: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "7"
        place.mkdir()
        rest = " ".join(["1"] * 18)
        (place / "stat").write_bytes(os.fsencode(f"7 ({name}) {state} {rest} {ticks} 1 1\n"))
        (place / "comm").write_bytes(os.fsencode(f"{name}\n"))
        (place / "environ").write_bytes(b"DISPLAY=:5\0")
        found = Scope(DisplayAddress(":5"), proc=Path(folder)).live(name)
        tick = SECOND // os.sysconf("SC_CLK_TCK")
        lives = [] if state in "ZXx" else [(ticks * tick, 7, name)]
        assert [(one.started, one.pid, one.name) for one in found] == lives


def test_what_sleeps_here_is_not_what_sleeps_elsewhere() -> None:
    assert Scope(nobodys_display()).live(SLEEP[0]) == []
