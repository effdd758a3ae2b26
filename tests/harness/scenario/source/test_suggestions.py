"""Suggestions: a close name, a short list, or nothing."""

from __future__ import annotations

from windtunnel.scenario.source.suggestions import closest, did_you_mean


def test_the_closest_name() -> None:
    assert closest("expct", ["expect", "except", "format"]) == "expect"
    assert closest("Expect", ["expect"]) == "expect"
    assert closest("zzz", ["expect"]) is None


def test_a_close_name_is_proposed() -> None:
    assert did_you_mean("tgas", ["tags", "name"]) == "; did you mean `tags`?"


def test_otherwise_the_few_known_are_listed_once_each() -> None:
    assert did_you_mean("zzz", ["b", "a", "b"]) == " (known: a, b)"


def test_many_are_not_listed_and_none_is_nothing() -> None:
    assert did_you_mean("zzz", map(str, range(20))) == ""
    assert did_you_mean("zzz", ["a", "b"], most=1) == ""
    assert did_you_mean("zzz", []) == ""


def test_among_too_many_none_is_looked_for() -> None:
    names = [f"name{number}" for number in range(201)]
    assert closest("nam7", names[:200]) == "name7"
    assert closest("nam7", names) is None


def test_a_very_long_word_costs_little() -> None:
    assert did_you_mean("x" * 1_000_000, ["expect"], most=0) == ""
