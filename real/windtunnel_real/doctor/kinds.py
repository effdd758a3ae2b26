"""The kinds of trouble with a real display that can be seen in advance, as a table.

What is there is found out in `examine` and the modules it names. Imports nothing of the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

Place = Literal["programs", "packages", "machine", "display"]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of trouble."""

    place: Place
    title: str
    breaks: str
    """What goes wrong where it is there."""
    mend: str = ""
    """The line that mends it; what a probe knows better (a path, a process) takes its place."""


_APT: Final = "apt-get install --yes --no-install-recommends"

KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "xvfb": Kind(
            "programs",
            "Xvfb",
            "no display of our own can be started",
            f"{_APT} xvfb",
        ),
        "xdotool": Kind(
            "programs",
            "xdotool",
            "the drivers `xdotool` and `xdotool-pipe` cannot be used; `xtest` can",
            f"{_APT} xdotool",
        ),
        "scrot": Kind(
            "programs",
            "scrot",
            "pictures cannot be taken by scrot; shared memory is the usual way",
            f"{_APT} scrot",
        ),
        "openbox": Kind(
            "programs",
            "openbox",
            "runs under a window manager cannot be made; runs without one can",
            f"{_APT} openbox",
        ),
        "fonts": Kind(
            "programs",
            "Chinese fonts",
            "the stand-in cannot show Chinese text",
            f"{_APT} fonts-wqy-microhei",
        ),
        "python-xlib": Kind(
            "packages",
            "python-xlib",
            "no display can be reached, or keys and events get lost, where another package "
            "overwrote its files (pyautogui's python3-xlib does)",
        ),
        "mss": Kind("packages", "mss", "the screen cannot be captured"),
        "numpy": Kind("packages", "numpy", "pictures cannot be searched"),
        "pillow": Kind("packages", "Pillow", "the stand-in cannot draw text"),
        "locale": Kind(
            "machine",
            "UTF-8 locale",
            "Chinese text and emoji are dropped on their way to a program",
            "export LC_ALL=C.UTF-8",
        ),
        "temp-folder": Kind(
            "machine",
            "temporary folder",
            "servers have no place for their cookie and log, kept pictures none at all",
            "export TMPDIR=/a/folder/with/room",
        ),
        "socket-folder": Kind(
            "machine",
            "socket folder",
            "an X server cannot listen, and clients do not find it",
            "mkdir -p /tmp/.X11-unix && chmod 1777 /tmp/.X11-unix",
        ),
        "stale-locks": Kind(
            "machine",
            "stale locks",
            "a server that is given this number does not start (`Server is already active`); "
            "ours choose free numbers",
        ),
        "reused-locks": Kind(
            "machine",
            "locks of reused ids",
            "a lock that outlived its server names an innocent process: its number stays blocked, "
            "and who kills by lock kills that process",
        ),
        "orphans": Kind(
            "machine",
            "orphaned servers",
            "servers whose starter was killed keep memory and numbers; ours end with theirs",
        ),
        "parent-death": Kind(
            "machine",
            "parent-death signal",
            "a killed run leaves its servers behind",
            f"{_APT} util-linux (for setpriv; a sandbox may forbid it, too)",
        ),
        "processes": Kind(
            "machine",
            "/proc",
            "programs are not found by name and display",
            "mount -t proc proc /proc",
        ),
        "dev-shm": Kind(
            "machine",
            "/dev/shm",  # noqa: S108 - the mount itself
            "browser parts of desktop programs crash where it is small, as in containers",
            "docker run --shm-size=256m …, or mount -o remount,size=256m /dev/shm",
        ),
        "processors": Kind(
            "machine",
            "processors",
            "displays in parallel slow one another down until deadlines pass",
            "windtunnel run --world real --jobs 1",
        ),
        "environment": Kind(
            "machine",
            "DISPLAY, XAUTHORITY",
            "other programs reach the wrong display or none; ours are told theirs one by one",
        ),
        "start": Kind("display", "a display", "nothing real can run without one"),
        "parallel": Kind(
            "display",
            "two displays at once",
            "cells that run in parallel get the same display number",
            "windtunnel run --world real --jobs 1",
        ),
        "reset": Kind(
            "display",
            "kept when empty",
            "the server resets itself when its last client leaves: keyboard and settings are lost",
            "start it with -noreset",
        ),
        "xtest": Kind(
            "display",
            "XTEST",
            "neither our driver nor xdotool can press a key",
            "start the server with +extension XTEST",
        ),
        "screen": Kind(
            "display",
            "screen",
            "pictures come in another format, or the window does not fit",
            "start the server with -screen 0 1280x800x24",
        ),
        "dpi": Kind(
            "display",
            "96 dots per inch",
            "toolkits scale text: buttons lie elsewhere and pictures do not match",
            "start the server with -dpi 96",
        ),
        "keyboard": Kind(
            "display",
            "keyboard layout",
            "keys give other characters than those that are meant",
        ),
        "key-repeat": Kind(
            "display",
            "key repeat",
            "a slow machine makes one key press several; it is turned off while we type",
        ),
        "keys-down": Kind(
            "display",
            "keys and locks",
            "what is typed arrives as shortcuts or in capitals; we let go of them first",
        ),
        "window-manager": Kind(
            "display",
            "window manager",
            "one that binds clicks to actions of its own holds them back, and keys overtake them: "
            "texts land in the wrong place",
            "end it for the time of the run, or start openbox with the configuration that we ship",
        ),
        "clipboard": Kind(
            "display",
            "clipboard managers",
            "a clipboard manager takes texts over while they are being pasted",
            "end it for the time of the run",
        ),
        "shared-memory": Kind(
            "display",
            "shared memory",
            "capture takes 50 to 100 times as long",
            "start the server with +extension MIT-SHM, on this machine and in this container",
        ),
        "capture": Kind(
            "display",
            "a picture",
            "pictures are black or blank: nothing can be found in them",
            "start the server with -screen 0 1280x800x24, or name another with --display",
        ),
        "scrot-file": Kind(
            "display",
            "a picture by scrot",
            "scrot leaves an empty file or one of another name",
            "use shared memory, the usual way",
        ),
        "click": Kind(
            "display",
            "a click",
            "clicks do not arrive, or arrive marked as synthetic, which programs ignore",
            "end what grabs the pointer, or let us start a display of our own",
        ),
    }
)
"""Id → kind, in the order in which they are looked at and told."""
