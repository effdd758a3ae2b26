"""At the command line a broken file is exit code 2 and file:line:col, never a traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.cli import cli

ROOT = Path(__file__).parents[3]
BROKEN = sorted((Path(__file__).parent / "broken").glob("*.yaml"))
OF_UI = [path for path in BROKEN if "toy" not in path.read_text("utf-8")]
"""Those that a user can try: the others need the system of these tests."""
EXPECTED = re.compile(r"#! (?P<place>(?:\S+:)?\d+:\d+) (?P<message>.+)")
GOOD = sorted((ROOT / "scenarios").rglob("*.yaml"))
TOLD = re.compile(r".+\.(yaml|csv):[1-9][0-9]*:[1-9][0-9]*: error: \S.*")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, catch_exceptions=True)


def assert_told(result: Result) -> None:
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit), result.exception
    errors = [line for line in result.output.splitlines() if ": error: " in line]
    assert errors
    assert all(TOLD.fullmatch(line) for line in errors), errors
    assert "Traceback" not in result.output


def expected(path: Path) -> list[tuple[str, str]]:
    lines = path.read_text("utf-8").splitlines()
    return sorted((m["place"], m["message"]) for line in lines if (m := EXPECTED.fullmatch(line)))


def test_there_are_enough_of_them() -> None:
    assert len(OF_UI) >= 30


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_every_mistake_is_told_at_its_place(path: Path, request: pytest.FixtureRequest) -> None:
    if path not in OF_UI:
        request.getfixturevalue("toy")
    result = call("run", str(path))
    assert_told(result)
    beside = f"{path.parent}/"
    told = sorted(
        tuple(line.removeprefix(f"{path}:").removeprefix(beside).split(": error: ", 1))
        for line in result.output.splitlines()
        if TOLD.fullmatch(line)
    )
    wanted = expected(path)
    assert [place for place, _ in told] == [place for place, _ in wanted], told
    assert all(part in said for (_, said), (_, part) in zip(told, wanted, strict=True)), told


def test_all_of_them_at_once_are_told_by_check_too() -> None:
    result = call("check", str(BROKEN[0].parent))
    assert_told(result)
    named = {line.partition(".yaml:")[0] for line in result.output.splitlines() if TOLD.match(line)}
    assert {str(path.with_suffix("")) for path in BROKEN} <= named


def lines_of(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("broken") / "made.yaml"


@st.composite
def broken_texts(draw: st.DrawFn) -> str:
    """A good file with a mistake that it cannot survive."""
    lines = lines_of(draw(st.sampled_from(GOOD)))
    keys = [i for i, line in enumerate(lines) if re.match(r"(format|name|system|expect):", line)]
    place = draw(st.sampled_from(keys))
    key, _, rest = lines[place].partition(":")
    lines[place] = draw(
        st.sampled_from(
            [
                f"{key}x:{rest}",  # an unknown field, and one that is missing
                f"{key}: {{a: b",  # a bracket left open
                f"\t{key}:{rest}",  # a tab
                f"{key}: [[[]]]",  # a value of another kind
                f"{key}:{rest}\n{lines[place]}",  # twice
                f"{key}: !!python/object {rest.strip() or 'x'}",
                f"{key}: *nobody",
                f"<<: {{{key}: 1}}",
            ]
        )
    )
    return "\n".join(lines) + "\n"


@settings(max_examples=40)
@given(text=broken_texts())
def test_files_made_from_good_ones_are_told(file: Path, text: str) -> None:
    file.write_text(text, "utf-8")
    assert_told(call("run", str(file)))
