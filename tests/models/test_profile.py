"""The profile: the documents' figures, draws within bounds, and a file's mistakes with lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel import streams
from windtunnel.spans import Span
from windtunnel.units import HOUR, MS, SECOND
from windtunnel_models.profile import (
    DEFAULT_FILE,
    Latencies,
    ProfileError,
    as_range,
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


def latencies(given: Mapping[str, object] | None = None, stream: Random | None = None) -> Latencies:
    return Latencies(default(), given or {}, stream or streams.stream(0, "latency"))


@pytest.mark.spec("UI-F2")
def test_the_default_has_the_documents_figures() -> None:
    profile = default()
    assert profile is default()
    assert (profile.start_up, profile.missing_window) == (4 * SECOND, SECOND)
    assert profile.autostart == Span.model_construct(min=5 * SECOND, max=10 * SECOND)
    assert profile.latencies["login_state"] == as_range({"min": 200 * MS, "max": 500 * MS})


def test_a_file_is_read(tmp_path: Path) -> None:
    profile = load(write(tmp_path, GOOD))
    assert profile.latencies["click"] == as_range(100 * MS)
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


@pytest.mark.parametrize(
    ("given", "command", "port", "seconds"),
    [
        ({}, "verify", "capture", 0.3),
        ({}, "anything", "capture", 0.2),
        ({}, "capture", "capture", 0.2),
        ({"capture": SECOND}, "verify", "capture", 1.0),
        ({"capture": SECOND, "verify": 2 * SECOND}, "verify", "capture", 2.0),
        ({"verify": 0}, "verify", "capture", 0.0),
    ],
)
def test_given_goes_before_the_profile_and_the_flows_name_before_the_ports(
    given: dict[str, object], command: str, port: str, seconds: float
) -> None:
    assert latencies(given).seconds(command, port) == seconds


def test_a_port_without_a_latency_is_an_error_that_names_it() -> None:
    with pytest.raises(ProfileError, match="no latency for `teleport`"):
        latencies().seconds("a", "teleport")


@given(st.tuples(st.integers(0, HOUR), st.integers(0, HOUR)).map(sorted), st.integers())
def test_draws_lie_within_the_bounds_and_come_from_the_stream(bounds: list[int], seed: int) -> None:
    least, most = bounds
    span = {"click": {"min": least, "max": most}}
    first, again = (latencies(span, Random(seed)) for _ in range(2))
    drawn = [first.seconds("click", "click") for _ in range(20)]
    assert all(least / SECOND <= each <= most / SECOND for each in drawn)
    assert drawn == [again.seconds("click", "click") for _ in range(20)]


def test_both_bounds_are_drawn() -> None:
    drawn = {as_range({"min": 3, "max": 5}).draw(Random(seed)) for seed in range(50)}
    assert drawn == {3, 4, 5}


def test_a_constant_draws_nothing() -> None:
    stream = Random(1)
    before = stream.getstate()
    both = latencies({"click": SECOND, "key": {"min": SECOND, "max": SECOND}}, stream)
    both.seconds("click", "click")
    both.seconds("key", "key")
    assert stream.getstate() == before
    both.seconds("login_state", "login_state")
    assert stream.getstate() != before
