"""Programs: those that the real display needs, whether they run, and their versions.

Imports what a probe saw, and the stand-in's fonts.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from typing import Final

from windtunnel_real.doctor.seen import Seen, bad, ok, unseen, warn

ASKED: Final[Mapping[str, tuple[str, ...]]] = {
    "Xvfb": ("-help",),
    "xdotool": ("--version",),
    "scrot": ("--version",),
    "openbox": ("--version",),
}
"""Program → the arguments with which it tells its version, or at least runs without a display."""
_PATIENCE_S: Final = 5.0
_VERSION: Final = re.compile(r"\d+\.\d[\w.]*")
_LETTER, _NO_LETTER = "微", "\U0010fffe"


def program(name: str, otherwise: Callable[[str], Seen]) -> Seen:
    """Look for a program of the PATH; what is wrong is as grave as `otherwise` (`bad`, `warn`)."""
    path = shutil.which(name)
    if path is None:
        return otherwise("there is none on the PATH")
    try:
        done = subprocess.run(  # noqa: S603 - a program of the table above
            [path, *ASKED[name]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return otherwise(f"{path} does not answer within {_PATIENCE_S:g} s")
    except OSError as error:
        return otherwise(f"{path} does not run: {error.strerror}")
    said = done.stdout.decode(errors="replace").strip()
    if done.returncode:
        last = said.splitlines()[-1] if said else "it says nothing"
        return otherwise(f"{path} does not run: exit code {done.returncode}, {last}")
    version = _VERSION.search(said.partition("\n")[0])
    return ok(f"{version[0]}, {path}" if version else path)


def fonts() -> Seen:
    """Look for a font that the stand-in can draw Chinese with."""
    try:
        from PIL import ImageFont  # noqa: PLC0415 - it may not be there

        from windtunnel_real.standin.fonts import font_file  # noqa: PLC0415 - it needs Pillow
    except ImportError as error:
        return unseen(f"{error.name} is missing")
    from windtunnel_real.errors import StandinError  # noqa: PLC0415 - beside the others

    try:
        file = font_file()
    except StandinError as error:
        return bad(str(error))
    font = ImageFont.truetype(str(file), 16, layout_engine=ImageFont.Layout.BASIC)
    if bytes(font.getmask(_LETTER)) == bytes(font.getmask(_NO_LETTER)):
        return warn(f"{file} has no Chinese letters: boxes are shown")
    return ok(str(file))
