"""The profile: the documents' figures, draws within bounds, and a file's mistakes with lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from windtunnel.spans import Span, as_span
from windtunnel.units import MS, SECOND
from windtunnel_models.profile import (
    DEFAULT_FILE,
    ProfileError,
    default,
    load,
)

GOOD = """\
latencies:
  click: 100ms
  login_state: {min: 200ms, max: 500ms}
start_up: 4s
autostart: null
missing_window: 1s
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.spec("UI-F2")
def test_the_default_has_the_documents_figures() -> None:
    profile = default()
    assert profile is default()
    assert (profile.start_up, profile.missing_window) == (4 * SECOND, SECOND)
    assert profile.autostart == Span.model_construct(min=5 * SECOND, max=10 * SECOND)
    assert profile.latencies["login_state"] == as_span({"min": 200 * MS, "max": 500 * MS})


def test_a_file_is_read(tmp_path: Path) -> None:
    profile = load(write(tmp_path, GOOD))
    assert profile.latencies["click"] == as_span(100 * MS)
    assert profile.autostart is None


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("100ms", "5", "mine.yaml:2: latencies.click: a duration is a number with a unit"),
        ("100ms", "fast", "mine.yaml:2: latencies.click: 'fast' is not a duration"),
        ("100ms", "null", "mine.yaml:2: latencies.click"),
        ("min: 200ms", "min: 2s", "yaml:3: latencies.login_state: `min` is over `max`: 2s > 500ms"),
        ("min: 200ms", "mean: 200ms", "mine.yaml:3: latencies.login_state.mean: Extra inputs"),
        ("start_up: 4s", "startup: 4s", "mine.yaml:4: startup: Extra inputs"),
        ("start_up: 4s\n", "", "start_up: Field required"),
        ("missing_window: 1s", "missing_window: {min: 1s, max: 2s}", "mine.yaml:6: missing_window"),
        ("missing_window: 1s", "missing_window: 6s", "missing_window: a command is given up after"),
        ("autostart", "start_up", "mine.yaml:5: `start_up` stands here twice"),
        ("{min", "[min", "mine.yaml:3: not YAML"),
        (GOOD, "", "Input should be"),
        (GOOD, "- click", "Input should be"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(
    tmp_path: Path, before: str, after: str, complaint: str
) -> None:
    with pytest.raises(ProfileError) as caught:
        load(write(tmp_path, GOOD.replace(before, after)))
    assert complaint in str(caught.value)
    assert str(tmp_path / "mine.yaml:") in str(caught.value)


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(ProfileError) as caught:
        load(write(tmp_path, GOOD.replace("100ms", "5").replace("4s", "4")))
    assert str(caught.value).count("\n") == 1


def test_a_file_that_cannot_be_read_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="cannot be read"):
        load(tmp_path / "nowhere.yaml")
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProfileError, match="cannot be read"):
        load(binary)


def test_the_file_lies_in_the_package() -> None:
    import windtunnel_models

    assert DEFAULT_FILE.parent == Path(windtunnel_models.__file__).parent
    assert DEFAULT_FILE.is_file()
