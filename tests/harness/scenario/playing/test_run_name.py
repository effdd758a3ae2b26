"""Names of runs: one for each, and one that every file system takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from windtunnel.scenario.cells import Cell, Repeats
from windtunnel.scenario.playing.run_name import LONGEST, run_name
from windtunnel.world import Ties

MakeCell = Callable[..., Cell]

TEXTS = st.text(st.characters(), max_size=12) | st.just("x" * 400)
RUNS = st.fixed_dictionaries(
    {
        "scenario": st.sampled_from(["drain", "a.b", "..", "-", "Drain"]),
        "file": st.sampled_from(["a.yaml", "folder/a.yaml"]),
        "axes": st.dictionaries(st.sampled_from(["n", "who"]), TEXTS | st.integers(0, 3)),
        "policy": st.sampled_from(["listed", "specified"]),
        "scheduler": st.sampled_from([None, "m:C"]),
        "seed": st.integers(0, 2),
        "ties": st.builds(
            Ties,
            st.sampled_from(["fifo", "lifo", "seeded"]),
            st.integers(0, 2),
            st.sampled_from([(), (0,), (0, 1)]),
        ),
        "number": st.integers(0, 2),
    }
)
FIELDS = ["scenario", "file", "axes", "policy", "scheduler", "seed", "ties", "number"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(one=RUNS, other=RUNS, often=st.sampled_from([1, 3]))
@pytest.mark.parametrize("changed", FIELDS)
def test_runs_that_differ_in_one_thing_have_names_that_any_file_system_tells_apart(
    make_cell: MakeCell, changed: str, one: dict[str, Any], other: dict[str, Any], often: int
) -> None:
    following = one | {changed: other[changed]}
    names = {run_name_of(make_cell, run, often) for run in (one, following)}
    same = one == following and list(one["axes"]) == list(following["axes"])
    assert len({name.lower() for name in names}) == (1 if same else 2)
    for name in names:
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*[0-9a-f]", name)
        assert len(name) <= LONGEST + 60
    assert names == {run_name_of(make_cell, run, often) for run in (one, following)}


def run_name_of(make_cell: MakeCell, run: dict[str, Any], often: int) -> str:
    fields = {name: value for name, value in run.items() if name != "number"}
    return run_name(make_cell(**fields, repeats=Repeats(often, often)), run["number"])


def test_a_name_says_which_run_it_is_of(make_cell: MakeCell) -> None:
    cell = make_cell(scenario="drain", axes={"case": "all", "world": "real"})
    assert run_name(cell).startswith("drain-case-all-world-real-")
    repeated = make_cell(scenario="drain", repeats=Repeats(5, 4), ties=Ties("seeded", 7))
    assert run_name(repeated, 2).startswith("drain-run3-seeded7-")
