"""Source text: what cannot be read is refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from windtunnel.scenario.source.source_text import MAX_BYTES, decode, read_text
from windtunnel.scenario.source.yaml_nodes import YamlError


def refusal(data: bytes) -> tuple[int, int, str]:
    with pytest.raises(YamlError) as caught:
        decode(data)
    return caught.value.fault[:3]


def unreadable(path: Path) -> str:
    with pytest.raises(YamlError) as caught:
        read_text(path)
    assert caught.value.fault[:2] == (1, 1)
    return caught.value.fault.message


def test_text_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes("ä: 😀\r\n\tx\u00a0".encode())
    assert read_text(file) == "ä: 😀\r\n\tx\u00a0"


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (b"a: 1\nb: \xff", (2, 4), "the byte 0xff is not UTF-8"),
        ("ä: ".encode() + b"\xc3", (1, 4), "the byte 0xc3 is not UTF-8"),
        (b"\xef\xbb\xbfa: 1", (1, 1), "byte order mark (UTF-8)"),
        ("a: 1".encode("utf-16"), (1, 1), "byte order mark (UTF-16)"),
        (b"a: 1\nb: \x00", (2, 4), "the character U+0000"),
        (b"a: 1\r\nb:\x1b", (2, 3), "the character U+001B"),
        (b"a: 1\rb:\x07", (2, 3), "the character U+0007"),
        ("a: \u2028".encode(), (1, 4), "the character U+2028"),
        ("a: \x85".encode(), (1, 4), "the character U+0085"),
        ("a: \ufeff".encode(), (1, 4), "the character U+FEFF"),
        ("a: \uffff".encode(), (1, 4), "the character U+FFFF"),
        (b"a: \x7f", (1, 4), "the character U+007F"),
    ],
)
def test_what_is_no_text_is_told_at_its_place(
    data: bytes, place: tuple[int, int], message: str
) -> None:
    fault = refusal(data)
    assert fault[:2] == place
    assert message in fault[2]


def test_a_missing_file(tmp_path: Path) -> None:
    assert unreadable(tmp_path / "none.yaml") == "cannot read it: No such file or directory"


def test_a_directory(tmp_path: Path) -> None:
    assert unreadable(tmp_path) == "cannot read it: it is a directory"


def test_a_device_is_not_read() -> None:
    assert unreadable(Path("/dev/zero")) == "cannot read it: it is not a regular file"


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise PermissionError(13, "Permission denied")

    file = tmp_path / "a.yaml"
    file.touch()
    monkeypatch.setattr(Path, "open", refuse)
    assert unreadable(file) == "cannot read it: Permission denied"


def test_a_path_that_is_none() -> None:
    assert unreadable(Path("a\0b")).startswith("cannot read it")


def test_a_large_file(tmp_path: Path) -> None:
    file = tmp_path / "large.yaml"
    file.write_bytes(b"#" * MAX_BYTES)
    assert len(read_text(file)) == MAX_BYTES
    file.write_bytes(b"#" * (MAX_BYTES + 1))
    assert unreadable(file) == "the file is larger than 1024 KiB"
