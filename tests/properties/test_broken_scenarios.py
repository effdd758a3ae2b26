"""Whatever is done to a good file, it loads or is refused at a place in it; never anything else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from windtunnel.errors import ScenarioError
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.reading.loading import load_scenario
from windtunnel.scenario.source.yaml_nodes import compose

WHOLE = """\
format: 1
name: all-of-the-format
system: ui
status: open
requires: [desktop]
world: [sim, real]
include: [base.yaml]
let: {n: 2, pace: 1s}
per_world: {real: {let: {n: 1}, tolerance: 20ms, repeat: 3, pass_at_least: 2}}
matrix: {kind: [popup, log_out], seed: [1, 2], exclude: [{kind: popup}]}
cases: {inputs: [m], outputs: [most], rows_from: rows.csv}
timeline:
  - {at: 0s, submit: logout, id: first, repeat: $n, every: 5ms}
  - {at: 1s, submit: logout, id: drawn, poisson: {rate: 2/s, count: $m}}
  - {at: 1s, submit: logout, id: waves, burst: {size: 2, every: 1s, count: 2}}
  - {after: out.undone, plus: 1ms, submit: send_text, id: read, from_csv: {file: jobs.csv},
     args: {to: $to, text: "$i for $word"}}
faults:
  - {at: $pace, do: $kind, id: out, for: 2s}
  - {after: first.0.submitted, do: kill}
order:
  - [first.0.settled, waves.1.submitted]
  - [out.injected, read.0.click_search.begin]
ties: {order: seeded, explore: 4}
expect: [conservation: {}]
thresholds:
  - {metric: wait, of: logout, stat: p95, max: $most, when: {seed: 1}}
"""
BESIDE = {
    "base.yaml": b"let: {pace: 3s}\nlimits: {wall: 5s}\ngiven: {}\n",
    "rows.csv": b'id,m,most\none,1,5s\n"two",2,6s\n',
    "jobs.csv": b'at,to,word\n0s,bob,"a, b"\n1.5s,eve,c\n',
}
"""What the scenario above names."""
GOOD = [
    WHOLE,
    *(
        path.read_text("utf-8")
        for path in sorted((Path(__file__).parents[2] / "scenarios").rglob("*.yaml"))
        if "include:" not in path.read_text("utf-8")
    ),
]
Load = Callable[..., bool]


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Load:
    """Load and expand a file of these bytes; tell whether it was good."""
    folder = tmp_path_factory.mktemp("broken")

    def attempt(data: bytes, beside: Mapping[str, bytes] = BESIDE) -> bool:
        files = {**beside, "x.yaml": data}
        for name, content in files.items():
            (folder / name).write_bytes(content)
        try:
            expand(load_scenario(folder / "x.yaml", display_name="x.yaml"))
        except ScenarioError as error:
            check(error, files)
            return False
        return True

    return attempt


def check(error: ScenarioError, files: Mapping[str, bytes]) -> None:
    assert error.problems
    for problem in error.problems:
        text = files[problem.file].decode("utf-8", "replace")
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        assert 1 <= problem.line <= len(lines) + 1, problem
        length = len(lines[problem.line - 1]) if problem.line <= len(lines) else 0
        assert 1 <= problem.column <= length + 1, problem
        assert str(problem).isprintable()
        assert problem.message


def test_the_files_are_good_to_begin_with(load: Load) -> None:
    assert len(GOOD) > 10
    assert all(load(text.encode()) for text in GOOD)


NOISE = st.sampled_from(
    [
        "\t",
        "\x00",
        "\x1b",
        "\u2028",
        "\ufeff",
        "[",
        "]",
        "{",
        "}",
        ":",
        ": ",
        "- ",
        "#",
        " #",
        "'",
        '"',
        "&a ",
        "*a",
        "*",
        "!!set ",
        "!x ",
        "|",
        ">",
        "%",
        "@",
        "`",
        "$",
        "$x",
        "$$",
        "<<: ",
        "? ",
        "\n",
        "\n---\n",
        "\n...\n",
        "\r",
        "\n ",
        "~",
        "null",
        "0x",
        "1e999",
        "9" * 50,
        ".nan",
        "ä",
        "😀",
    ]
)


@st.composite
def damaged_texts(draw: st.DrawFn) -> bytes:
    """A good file cut off, with noise put in, with parts taken out or repeated."""
    text = draw(st.sampled_from(GOOD))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        text = draw(
            st.sampled_from(
                [
                    text[:start],
                    text[:start] + draw(NOISE) + text[start:],
                    text[:start] + text[end:],
                    text[:end] + text[start:],
                    text[:start] + text[start:end].replace("\n", "\r\n") + text[end:],
                ]
            )
        )
    return text.encode("utf-8", "surrogatepass")


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(data=damaged_texts())
def test_damaged_texts(load: Load, data: bytes) -> None:
    load(data)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_damage_to_what_a_scenario_names(load: Load, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(BESIDE)))
    good = BESIDE[name].decode()
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, min(len(good), start + 6)))
    more = data.draw(NOISE | st.sampled_from([",", "\n", '"', "include: x.yaml\n", ""]))
    damaged = (good[:start] + more + good[end:]).encode("utf-8", "surrogatepass")
    load(WHOLE.encode(), {**BESIDE, name: damaged})


@settings(max_examples=60)
@given(data=st.binary(max_size=40), text=st.sampled_from(GOOD), share=st.floats(0, 1))
def test_damaged_bytes(load: Load, data: bytes, text: str, share: float) -> None:
    good = text.encode()
    place = int(len(good) * share)
    load(good[:place] + data + good[place:])


SCALARS = st.sampled_from(
    [None, True, 0, -1, 3, 1.5, 1e300, 2**70, "", "x", "1s", "$x", "$i", "a.b"]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abx"), inner, max_size=3)
    ),
    max_leaves=5,
)
NAMES = st.sampled_from(
    [
        "format",
        "name",
        "system",
        "let",
        "matrix",
        "exclude",
        "cases",
        "rows",
        "rows_from",
        "include",
        "per_world",
        "status",
        "requires",
        "faults",
        "do",
        "for",
        "order",
        "ties",
        "explore",
        "choices",
        "thresholds",
        "metric",
        "stat",
        "max",
        "poisson",
        "rate",
        "until",
        "burst",
        "size",
        "from_csv",
        "file",
        "at",
        "after",
        "submit",
        "call",
        "id",
        "repeat",
        "args",
        "fails",
        "when",
        "x",
        "",
        "a\nb",
        "<<",
    ]
)


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every path to a value in the data."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


@st.composite
def changed_data(draw: st.DrawFn) -> bytes:
    """A good file with keys dropped, renamed or moved and values of another type put in."""
    root, _ = compose(draw(st.sampled_from(GOOD)))
    data = json.loads(json.dumps(root.value))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(places(data))))
        parent = data
        for part in path[:-1]:
            parent = parent[part]
        key = path[-1]
        match draw(st.sampled_from(["drop", "rename", "replace", "copy"])):
            case "drop" if len(data) > 1:
                del parent[key]
            case "rename" if isinstance(parent, dict):
                parent[draw(NAMES)] = parent.pop(key)
            case "copy" if isinstance(parent, list):
                parent.append(parent[key])
            case _:
                parent[key] = draw(VALUES)
        if not data:
            break
    return json.dumps(data, ensure_ascii=False, indent=draw(st.sampled_from([None, 1]))).encode()


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(data=changed_data())
def test_changed_data(load: Load, data: bytes) -> None:
    load(data)
