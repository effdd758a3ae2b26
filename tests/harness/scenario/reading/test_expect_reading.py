"""Reading of `expect`: what the entries ask for, and their mistakes beyond the broken files."""

from __future__ import annotations

from collections.abc import Callable

Refusals = Callable[..., list[str]]

HEAD = "format: 1\nname: probe\nsystem: toy\ntimeline: [{at: 0s, submit: ping}]\n"


def test_what_is_no_list_of_mappings(refusals: Refusals) -> None:
    assert refusals(HEAD, "expect: {conservation: {}}\n") == [
        "5:9 `expect` is a list of checks, such as `- conservation: {}`"
    ]
    assert refusals(HEAD, "expect: [conservation, conservation: {}]\n") == [
        "5:10 an expectation is a mapping, such as `- conservation: {}`"
    ]


def test_an_option_misspelt_as_the_check(refusals: Refusals) -> None:
    (told,) = refusals(HEAD, "expect: [{conservation: {}}, {severty: error}]\n")
    assert told == "5:31 unknown field `severty`; did you mean `severity`?"


def test_an_unknown_check_without_a_near_one(refusals: Refusals) -> None:
    (told,) = refusals(HEAD, "expect: [{xyzzy: {}}]\n")
    assert told.startswith("5:11 unknown check `xyzzy` (known: ")
    assert "conservation" in told


def test_a_wrong_option_does_not_hide_wrong_arguments_of_others(refusals: Refusals) -> None:
    text = "expect:\n  - {conservation: {}, severity: 3}\n  - {fifo: {witin: all}}\n"
    told = refusals(HEAD, text)
    assert [line.split()[0] for line in told] == ["6:34", "7:13"]


def test_references_stand_in_arguments_and_figures_alone(refusals: Refusals) -> None:
    text = """\
    expect:
      - conservation: {of: $x}
        because: $y
        fails: {measured: $z}
    """
    assert [line.split()[:2] for line in refusals(HEAD, text)] == [
        ["6:24", "`$x`"],
        ["8:23", "`$z`"],
    ]


def test_a_world_that_is_none(refusals: Refusals) -> None:
    (told,) = refusals(HEAD, "expect: [{conservation: {}, world: smi}]\n")
    assert told == "5:36 'smi' is not one of sim, real; did you mean `sim`?"
