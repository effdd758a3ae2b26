"""A cookie: the secret that opens a display, and the Xauthority file that holds it.

MIT-MAGIC-COOKIE-1: sixteen bytes that whoever connects has to say. An entry of the file, numbers in
big-endian sixteen bits: family, then address, display number, name of the method and secret, each
after its length (libXau, `Xauth.h` and `AuRead.c`). Imports nothing of the project.
"""

from __future__ import annotations

import os
import secrets
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

METHOD: Final = b"MIT-MAGIC-COOKIE-1"
FAMILY_LOCAL: Final = 256
FAMILY_WILD: Final = 65535
_SECRET_BYTES: Final = 16
_OWNER_ONLY: Final = 0o600


@dataclass(frozen=True, slots=True)
class Cookie:
    """The secret of one display. It is in no `repr`, and goes into no log."""

    secret: bytes = field(repr=False)

    @classmethod
    def fresh(cls) -> Cookie:
        """Make one that nobody can guess."""
        return cls(secrets.token_bytes(_SECRET_BYTES))

    def write(self, path: Path) -> None:
        """Write a new file, readable by its owner alone, that opens any display number.

        Two entries, since readers differ: python-xlib looks for this host's name and knows no wild
        family; libxcb takes the wild one, which stands whatever the host is called later.
        Raises `OSError`, also when the file is there.
        """
        host = os.fsencode(socket.gethostname())
        entries = (_entry(FAMILY_LOCAL, host, self), _entry(FAMILY_WILD, b"", self))
        path.touch(mode=_OWNER_ONLY, exist_ok=False)
        path.write_bytes(b"".join(entries))


def find_cookie(path: Path, number: int) -> Cookie | None:
    """Return the cookie that a file has for a display of this machine, by libXau's rules.

    None: it has none for that display number. Raises `OSError` when it cannot be read.
    """
    local = (FAMILY_LOCAL, os.fsencode(socket.gethostname()))
    for family, address, shown, method, secret in _entries(path.read_bytes()):
        here = family == FAMILY_WILD or (family, address) == local
        if here and method == METHOD and shown in (b"", b"%d" % number):
            return Cookie(secret)
    return None


def _entry(family: int, address: bytes, cookie: Cookie) -> bytes:
    fields = (address, b"", METHOD, cookie.secret)
    return struct.pack(">H", family) + b"".join(struct.pack(">H", len(f)) + f for f in fields)


def _entries(data: bytes) -> Iterator[tuple[int, bytes, bytes, bytes, bytes]]:
    """Yield the entries of a file; one that is cut short ends them, as in libXau."""
    at = 0
    while at + 2 <= len(data):
        (family,) = struct.unpack_from(">H", data, at)
        at += 2
        fields: list[bytes] = []
        while len(fields) < 4 and at + 2 <= len(data):  # noqa: PLR2004 - as the docstring says
            (length,) = struct.unpack_from(">H", data, at)
            fields.append(data[at + 2 : at + 2 + length])
            at += 2 + length
        if len(fields) < 4 or at > len(data):  # noqa: PLR2004 - as the docstring says
            return
        yield family, fields[0], fields[1], fields[2], fields[3]
