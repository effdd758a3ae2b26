"""Source text: a scenario file from disk, refused with its place when it is not readable text.

Imports `yaml_nodes.YamlError`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from windtunnel.scenario.source.yaml_nodes import YamlError

MAX_BYTES: Final = 1024 * 1024

_BOMS: Final = ((b"\xef\xbb\xbf", "UTF-8"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))
_FORBIDDEN = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def read_text(path: Path, most: int = MAX_BYTES) -> str:
    """Return the text of a file.

    Raises `YamlError` when the file is missing, no file, unreadable, larger than `most` bytes, not
    UTF-8 without a byte order mark, or holds control characters.
    """
    return decode(_read_bytes(path, most))


def _read_bytes(path: Path, most: int) -> bytes:
    try:
        if path.exists() and not path.is_file():
            kind = "a directory" if path.is_dir() else "not a regular file"
            raise YamlError(1, 1, f"cannot read it: it is {kind}")
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise YamlError(1, 1, f"cannot read it: {error.strerror or error}") from error
    except ValueError as error:  # a NUL in the path
        raise YamlError(1, 1, f"cannot read it: {error}") from error
    if len(data) > most:
        raise YamlError(1, 1, f"the file is larger than {most // 1024} KiB")
    return data


def decode(data: bytes) -> str:
    """Return the text of a file's bytes; raises `YamlError` as `read_text` does."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            raise YamlError(
                1,
                1,
                f"the file begins with a byte order mark ({encoding}); save it as UTF-8 without",
            )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        line, column = _place(before, len(before))
        message = f"the byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise YamlError(line, column, message) from error
    if bad := _FORBIDDEN.search(text):
        line, column = _place(text, bad.start())
        message = (
            f'the character U+{ord(bad.group()):04X} cannot stand in a file; write it as "\\u…"'
        )
        raise YamlError(line, column, message)
    return text


def _place(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - before.rfind("\n")
