"""python-xlib's own face: what is named there is the library's."""

from __future__ import annotations

from pathlib import Path

import Xlib.display

import windtunnel_real
from windtunnel_real.x11 import xlib


def test_what_it_names_is_there() -> None:
    assert all(hasattr(xlib, name) for name in xlib.__all__)
    assert xlib.display is Xlib.display


def test_it_starts_no_threads_support_of_the_library() -> None:
    # With `Xlib.threaded` each request would take real locks: one thread owns a display here.
    sources = Path(windtunnel_real.__file__).parent.rglob("*.py")
    assert not [path for path in sources if "Xlib.threaded" in path.read_text(encoding="utf-8")]
