"""Xvfb: it starts, it answers, it ends with us, and whatever goes wrong is told by type."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from display_kit import (
    client,
    false_program,
    is_gone,
    own_mounts,
    run_python,
    state_of,
    stopped,
    wait_until,
)
from windtunnel_real.display.xvfb import Xvfb, check_socket_folder
from windtunnel_real.errors import DisplayDiedError, DisplayStartError

LONG = 60.0


def folder_of(display: Xvfb) -> Path:
    assert display.address.authority
    return display.address.authority.parent


def test_it_has_the_size_depth_and_resolution_that_were_asked_for() -> None:
    display = Xvfb.start((640, 481), timeout=LONG)
    try:
        with client(display.address) as program:
            screen = program.screen()
            assert (screen.width_in_pixels, screen.height_in_pixels) == (640, 481)
            assert screen.root_depth == 24
            assert round(screen.width_in_pixels / screen.width_in_mms * 25.4) == 96
    finally:
        display.stop()


def test_it_has_the_extensions_that_input_and_capture_need(xvfb: Xvfb) -> None:
    with client(xvfb.address) as program:
        assert {"XTEST", "MIT-SHM", "RANDR"} <= set(program.list_extensions())


def test_its_folder_and_cookie_are_its_owners_alone(xvfb: Xvfb) -> None:
    assert stat.S_IMODE(folder_of(xvfb).stat().st_mode) == 0o700
    assert xvfb.address.authority
    assert stat.S_IMODE(xvfb.address.authority.stat().st_mode) == 0o600


def test_its_command_line_and_repr_hold_no_secret(xvfb: Xvfb) -> None:
    assert xvfb.address.authority
    secret = xvfb.address.authority.read_bytes()[-16:]
    shown = Path(f"/proc/{xvfb.pid}/cmdline").read_bytes() + repr(vars(xvfb)).encode()
    assert secret.hex().encode() not in shown
    assert secret not in shown


def test_nobody_gets_in_without_its_cookie(xvfb: Xvfb) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "XAUTHORITY"} | {"HOME": "/absent"}
    command = ["xdpyinfo", "-display", xvfb.address.name]
    refused = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert refused.returncode != 0
    admitted = subprocess.run(
        command, env=xvfb.address.environment(), capture_output=True, check=False
    )
    assert admitted.returncode == 0


@pytest.mark.parametrize("is_kept", [True, False], ids=["connection kept", "connection lost"])
def test_it_forgets_nothing_when_its_last_client_leaves(fresh_xvfb: Xvfb, is_kept: bool) -> None:
    if not is_kept:
        fresh_xvfb._link.close()
    for number in range(3):
        with client(fresh_xvfb.address) as program:
            root = program.screen().root
            name, string = program.intern_atom("PROBE"), program.intern_atom("STRING")
            kept = root.get_full_property(name, string)
            assert (kept.value if kept else b"") == b"x" * number
            root.change_property(name, string, 8, b"x" * (number + 1))
            program.sync()


def test_stop_leaves_nothing_and_twice_is_once() -> None:
    display = Xvfb.start(timeout=LONG)
    folder, pid = folder_of(display), display.pid
    socket = Path(f"/tmp/.X11-unix/X{display.address.name[1:]}")  # noqa: S108 - where X has it
    inode = socket.stat().st_ino
    assert display.alive()
    display.stop()
    display.stop()
    assert not display.alive()
    assert state_of(pid) == ""
    assert not folder.exists()
    assert not socket.exists() or socket.stat().st_ino != inode
    assert isinstance(display.errors(), str)


def test_stop_ends_a_server_that_is_stopped(fresh_xvfb: Xvfb) -> None:
    with stopped(fresh_xvfb.pid):
        assert fresh_xvfb.alive()
        fresh_xvfb.stop()
    assert state_of(fresh_xvfb.pid) == ""


def test_its_death_is_told_by_type_with_its_last_words(fresh_xvfb: Xvfb) -> None:
    async def scene() -> list[DisplayDiedError]:
        waiting = [asyncio.create_task(fresh_xvfb.died()) for _ in range(2)]
        await asyncio.sleep(0)
        with (folder_of(fresh_xvfb) / "stderr").open("a") as file:
            file.write("(EE) my last words\n")
        os.kill(fresh_xvfb.pid, signal.SIGKILL)
        return await asyncio.wait_for(asyncio.gather(*waiting), LONG)

    for error in asyncio.run(scene()):
        assert isinstance(error, DisplayDiedError)
        assert re.search(r"gone: killed by SIGKILL.*\n.*my last words", str(error))
    assert not fresh_xvfb.alive()


def test_who_waits_for_its_death_is_told_of_its_stop(fresh_xvfb: Xvfb) -> None:
    async def scene() -> DisplayDiedError:
        waiting = asyncio.create_task(fresh_xvfb.died())
        await asyncio.sleep(0)
        await asyncio.to_thread(fresh_xvfb.stop)
        return await asyncio.wait_for(waiting, LONG)

    assert "was stopped" in str(asyncio.run(scene()))


def test_it_may_be_started_from_a_thread_that_ends() -> None:
    async def scene() -> Xvfb:
        return await asyncio.to_thread(Xvfb.start, timeout=LONG)

    display = asyncio.run(scene())  # the loop's threads end with it
    try:
        with client(display.address) as program:
            program.sync()
        assert display.alive()
    finally:
        display.stop()


def test_twelve_at_once_are_twelve_displays() -> None:
    with ThreadPoolExecutor(12) as pool:
        displays = list(pool.map(lambda _: Xvfb.start(timeout=LONG), range(12)))
    try:
        assert len({display.address.name for display in displays}) == 12
        assert len({folder_of(display) for display in displays}) == 12
        for number, display in enumerate(displays):
            with client(display.address) as program:
                root, integer = program.screen().root, program.intern_atom("INTEGER")
                assert root.get_full_property(program.intern_atom("NUMBER"), integer) is None
                root.change_property(program.intern_atom("NUMBER"), integer, 32, [number])
                program.sync()
    finally:
        for display in displays:
            display.stop()


STARTING = """
import sys
from windtunnel_real.display.xvfb import Xvfb
display = Xvfb.start(timeout=60)
print(display.address.name, display.pid, flush=True)
sys.stdin.read()
display.stop()
"""


def runner() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", STARTING],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_that_start_one_at_the_same_time_do_not_collide() -> None:
    runners = [runner() for _ in range(4)]
    names = [each.stdout.readline().split()[0] for each in runners if each.stdout]
    assert len(set(names)) == 4
    for each in runners:
        each.communicate("", LONG)
        assert each.returncode == 0


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_server_outlives_a_runner_that_is_killed(how: signal.Signals) -> None:
    with runner() as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline().split()[1])
        assert not is_gone(pid)
        parent.send_signal(how)
        parent.wait(LONG)
        wait_until(lambda: is_gone(pid), "the server ends with its runner")


def test_two_displays_of_one_process_never_meet(
    fresh_xvfb: Xvfb, xvfb: Xvfb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":9999")
    monkeypatch.setenv("XAUTHORITY", "/absent")
    marks = {}
    for display in (fresh_xvfb, xvfb):
        environment = display.address.environment()
        command = ["xprop", "-root", "-f", "MARK", "8s", "-set", "MARK", display.address.name]
        subprocess.run(command, env=environment, check=True)
    for display in (fresh_xvfb, xvfb):
        read = ["xprop", "-root", "MARK"]
        done = subprocess.run(
            read, env=display.address.environment(), check=True, capture_output=True, text=True
        )
        marks[display.address.name] = done.stdout.split('"')[1]
    assert marks == {name: name for name in (fresh_xvfb.address.name, xvfb.address.name)}
    assert (os.environ["DISPLAY"], os.environ["XAUTHORITY"]) == (":9999", "/absent")


# ---------------------------------------------------------------- what keeps it from starting


def with_false_xvfb(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    false_program(folder / "bin", "Xvfb", script)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr("tempfile.tempdir", str(folder))


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("windtunnel-*")]


def test_no_xvfb_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DisplayStartError, match=r"no program Xvfb .*apt-get install xvfb"):
        Xvfb.start()


def test_one_that_ends_while_it_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_false_xvfb(tmp_path, "echo '(EE) no keymap' >&2; exit 3", monkeypatch)
    with pytest.raises(DisplayStartError, match=r"ended while it started: exit code 3.*\n.*keymap"):
        Xvfb.start(timeout=LONG)
    assert left_in(tmp_path) == []


def test_the_real_one_that_ends_while_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windtunnel_real.display.xvfb._DEPTH", 7)
    with pytest.raises(
        DisplayStartError, match=r"exit code 1; it wrote:\n(.*\n)*.*Couldn't add screen"
    ):
        Xvfb.start(timeout=LONG)


@pytest.mark.parametrize("size", [(0, 0), (-1, 800), (1280, 32768)])
def test_a_size_that_no_server_has(size: tuple[int, int]) -> None:
    with pytest.raises(DisplayStartError, match="no X server has a screen of"):
        Xvfb.start(size)


def test_one_that_is_silent_is_ended_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = tmp_path / "pid"
    with_false_xvfb(
        tmp_path, f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 999", monkeypatch
    )
    with pytest.raises(DisplayStartError, match="did not say its display number in time"):
        Xvfb.start(timeout=1.0)
    if pid.exists():  # else it had not even begun
        assert is_gone(int(pid.read_text()))
    assert left_in(tmp_path) == []


def test_one_that_says_nonsense(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "echo nonsense > /proc/self/fd/$2; exec sleep 999"
    with_false_xvfb(tmp_path, script, monkeypatch)
    with pytest.raises(DisplayStartError, match=r"says no display number: .*nonsense"):
        Xvfb.start(timeout=LONG)


def test_one_that_names_a_display_where_nobody_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_false_xvfb(tmp_path, "echo 59999 > /proc/self/fd/$2; exec sleep 999", monkeypatch)
    with pytest.raises(DisplayStartError, match="Xvfb started, but no display :59999"):
        Xvfb.start(timeout=LONG)


def test_one_that_writes_more_than_a_pipe_holds_is_not_held_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = subprocess.run(["which", "Xvfb"], capture_output=True, text=True, check=True)
    flood = f'yes warning | head -c 300000 >&2; exec {real.stdout.strip()} "$@"'
    with_false_xvfb(tmp_path, flood, monkeypatch)
    display = Xvfb.start(timeout=LONG)
    try:
        assert (folder_of(display) / "stderr").stat().st_size >= 300000
        assert display.errors().startswith("warning\n")
        assert len(display.errors()) < 5000
        with client(display.address) as program:
            program.sync()
    finally:
        display.stop()


def test_a_socket_folder_that_can_be_used_or_made(tmp_path: Path) -> None:
    check_socket_folder(tmp_path)
    check_socket_folder(tmp_path / "absent")


def test_a_socket_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DisplayStartError, match="is not a folder: remove it"):
        check_socket_folder(tmp_path / "file")


# In a namespace of its own no server is started before the socket folder is its own as well: it
# would take display 0, which looks free there, and put its socket in the place of somebody else's.

READ_ONLY = """
import os, subprocess
from pathlib import Path
from windtunnel_real.display.xvfb import Xvfb, check_socket_folder
from windtunnel_real.errors import DisplayStartError
if not os.path.isdir("/tmp/.X11-unix"):
    os.mkdir("/tmp/.X11-unix")
    os.chmod("/tmp/.X11-unix", 0o1777)
subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", "/tmp/.X11-unix"], check=True)
for check in (Xvfb.start, lambda: check_socket_folder(Path("/tmp/.X11-unix/absent"))):
    try:
        check()
        raise SystemExit("no error")
    except DisplayStartError as error:
        print(error)
"""


def test_a_socket_folder_that_is_read_only_or_cannot_be_made() -> None:
    told = run_python(READ_ONLY, before=own_mounts()).splitlines()
    assert re.search(r"X11-unix cannot be written to: `chmod 1777 ", told[0])
    assert re.search(r"no folder .*X11-unix/absent and it cannot be made: .*`mkdir", told[1])


LEFT_OVER = """
import os, socket, subprocess
from pathlib import Path
from windtunnel_real.display.xvfb import Xvfb
subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/tmp"], check=True)
Path("/tmp/.X0-lock").write_text("%10d\\n" % 4194303)  # of a process that is gone
Path("/tmp/.X1-lock").write_text("%10d\\n" % os.getpid())  # its number is another program's now
os.mkdir("/tmp/.X11-unix")
left = socket.socket(socket.AF_UNIX)
left.bind("/tmp/.X11-unix/X0")
left.close()
displays = [Xvfb.start(timeout=60) for _ in range(2)]
print(*(display.address.name for display in displays))
for display in displays:
    display.stop()
"""


def test_locks_and_sockets_that_were_left_over_are_in_nobodys_way() -> None:
    """A container that restarts has them; the process number may be in use by another program."""
    assert run_python(LEFT_OVER, before=own_mounts()).split() == [":0", ":1"]
