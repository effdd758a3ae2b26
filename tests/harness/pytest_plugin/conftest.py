"""A project of scenarios and tests that a pytest of its own runs, with the plug-in."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

Run = Callable[..., pytest.RunResult]

HEAD = """\
format: 1
system: ui
policy: specified
"""
RED_AND_GREEN = """\
summary: one send, counted
covers: [UI-Q3]
tags: [counting]
matrix: {n: [1, 2]}
timeline:
  - {at: 0s, submit: send_text, id: send, args: {to: alice, text: hello}}
expect:
  - count: {of: send_text, equals: $n}
    because: one is one
"""
"""The cell with `n=1` passes, that with `n=2` fails."""


@pytest.fixture
def scenario(pytester: pytest.Pytester) -> Callable[..., str]:
    """Give a function that writes scenarios/NAME.yaml, by default one cell green and one red."""

    def write(name: str = "sends", body: str = RED_AND_GREEN) -> str:
        file = pytester.path / "scenarios" / f"{name}.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"{HEAD}name: {name}\n{dedent(body)}", encoding="utf-8")
        return str(file.relative_to(pytester.path))

    return write


@pytest.fixture
def run(pytester: pytest.Pytester, pytestconfig: pytest.Config) -> Run:
    """Give a function that runs pytest over the project and checks that nothing broke in it.

    The plug-ins that our own settings leave out are left out here too.
    """
    left_out = [one for one in pytestconfig.getini("addopts") if one.startswith("no:")]
    others = [part for name in left_out for part in ("-p", name)]
    pytester.makeini("[pytest]\nwindtunnel_scenarios = scenarios\n")
    (pytester.path / "scenarios").mkdir(exist_ok=True)

    def call(*arguments: str) -> pytest.RunResult:
        plugin = ("-p", "windtunnel.pytest_plugin", *others)
        result = pytester.runpytest(*plugin, "--color=no", *arguments)
        assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()
        assert "Traceback" not in result.stdout.str() + result.stderr.str()
        return result

    return call


@pytest.fixture
def real_world(pytester: pytest.Pytester) -> Callable[[str], None]:
    """Give a function that puts a class `Real` into the place of the real world, by its source.

    By a conftest: that is read in every process of the run, and undone in this one.
    """

    def place(source: str) -> None:
        pytester.makepyfile(own_real=source)
        pytester.syspathinsert()
        pytester.makeconftest(PLACING)

    return place


PLACING = """
import pytest
from windtunnel import builtin

patch = pytest.MonkeyPatch()


def pytest_configure():
    worlds = {**builtin.BUILTIN["worlds"], "real": "own_real:Real"}
    patch.setattr(builtin, "BUILTIN", {**builtin.BUILTIN, "worlds": worlds})


def pytest_unconfigure():
    patch.undo()
"""
