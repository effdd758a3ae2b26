"""At the command line a broken file is exit code 2 and file:line:col, never a traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.cli import cli

ROOT = Path(__file__).parents[2]
BROKEN = sorted((ROOT / "tests" / "harness" / "scenario" / "broken").glob("*.yaml"))
GOOD = sorted((ROOT / "scenarios").rglob("*.yaml"))
TOLD = re.compile(r".+\.yaml:[1-9][0-9]*:[1-9][0-9]*: error: \S.*")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, catch_exceptions=True)


def assert_told(result: Result) -> None:
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit), result.exception
    errors = [line for line in result.output.splitlines() if ": error: " in line]
    assert errors
    assert all(TOLD.fullmatch(line) for line in errors), errors
    assert "Traceback" not in result.output


def test_there_are_enough_of_them() -> None:
    assert len(BROKEN) >= 30


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_every_broken_file_is_told(path: Path) -> None:
    assert_told(call("check", str(path)))


def test_all_of_them_at_once_are_told_by_run_too() -> None:
    result = call("run", str(BROKEN[0].parent))
    assert_told(result)
    named = {line.partition(".yaml:")[0] for line in result.output.splitlines() if TOLD.match(line)}
    assert len(named) == len(BROKEN)


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
