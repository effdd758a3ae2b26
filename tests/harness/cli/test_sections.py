"""Help under headings: each option once, and what no section names at the end."""

from __future__ import annotations

import re

import click
import pytest
from click.testing import CliRunner

from windtunnel.cli.run import command as run
from windtunnel.cli.sections import SectionedCommand


def helped(sections: dict[str, tuple[str, ...]]) -> str:
    options = [click.Option([f"--{name}"], help=f"says {name}") for name in ("a", "b", "c")]
    arguments = [click.Argument(["paths"], nargs=-1)]
    command = SectionedCommand("probe", params=[*options, *arguments], sections=sections)
    return CliRunner().invoke(command, ["--help"], catch_exceptions=False).output


def headings(text: str) -> dict[str, list[str]]:
    """Return heading → the options below it, in order."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if re.fullmatch(r"\S.*:", line):
            found[line.rstrip(":")] = []
        elif option := re.match(r"  (?:-\w, )?(--?[a-z-]+)", line):
            found[next(reversed(found))].append(option[1])
    return found


def test_options_stand_under_their_headings_and_the_others_last() -> None:
    shown = headings(helped({"First": ("c",), "Second": ("b",)}))
    assert shown == {"First": ["--c"], "Second": ["--b"], "Other": ["--a", "--help"]}


def test_a_section_names_options_that_there_are() -> None:
    with pytest.raises(KeyError, match="'d'"):
        helped({"First": ("d",)})


def test_every_option_of_run_has_a_section_and_help() -> None:
    shown = headings(CliRunner().invoke(run, ["--help"], catch_exceptions=False).output)
    assert shown["Other"] == ["--help"]
    real = ["--display", "--driver", "--window-manager", "--frames", "--frames-dir"]
    assert shown["On a real display (cells of the world `real`)"] == real
    options = {option for parameter in run.params for option in parameter.opts if "-" in option}
    assert options == {option for under in shown.values() for option in under} - {"--help"}
    for parameter in run.params:
        assert not isinstance(parameter, click.Option) or parameter.help
