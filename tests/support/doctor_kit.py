"""What the tests of the doctor share: programs that misbehave, servers started in a wrong way."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

FAR_S: Final = 60.0
"""A deadline that only a failing test reaches."""


def write_program(folder: Path, name: str, script: str) -> Path:
    """Write a program of the shell."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{textwrap.dedent(script)}", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@contextmanager
def server_as_told(*arguments: str) -> Iterator[tuple[str, int]]:
    """Give the name and process of an Xvfb that is started with these arguments alone."""
    heard, said = os.pipe()
    command = ["Xvfb", "-displayfd", str(said), "-nolisten", "tcp", *arguments]
    server = subprocess.Popen(command, pass_fds=[said], stderr=subprocess.DEVNULL)
    os.close(said)
    try:
        with os.fdopen(heard, encoding="ascii") as answer:
            number = re.match(r"\d+", answer.readline())
        assert number is not None, "Xvfb did not start"
        yield f":{number[0]}", server.pid
    finally:
        server.kill()
        server.wait(FAR_S)
