"""Size: no source file over 350 lines, no function over 70, and the exceptions that are left."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Protocol

MOST_LINES = 350
MOST_LINES_OF_A_FUNCTION = 70

# path of a source → why it may be longer
LONGER_FILES: dict[str, str] = {}


class Repository(Protocol):
    """What these tests read."""

    sources: dict[str, str]
    python: dict[str, str]


def long_files(sources: dict[str, str]) -> dict[str, int]:
    lines = {name: text.count("\n") for name, text in sources.items()}
    return {name: count for name, count in lines.items() if count > MOST_LINES}


def functions(text: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def long_functions(sources: dict[str, str]) -> list[str]:
    return [
        f"{name}:{node.lineno} {node.name}: {length} lines"
        for name, text in sources.items()
        for node in functions(text)
        if (length := (node.end_lineno or 0) - node.lineno + 1) > MOST_LINES_OF_A_FUNCTION
    ]


def test_no_source_is_too_long(repository: Repository) -> None:
    offenders = long_files(repository.sources)
    assert not offenders.keys() - LONGER_FILES.keys(), offenders


def test_every_exception_is_needed_and_has_a_reason(repository: Repository) -> None:
    offenders = long_files(repository.sources)
    assert [name for name in LONGER_FILES if name not in offenders] == []
    assert [name for name, reason in LONGER_FILES.items() if not reason.strip()] == []


def test_no_function_is_too_long(repository: Repository) -> None:
    offenders = long_functions(repository.python)
    assert not offenders, "\n".join(offenders)


def test_the_limits_are_inclusive() -> None:
    assert long_files({"a.py": "\n" * 350, "b.py": "\n" * 351}) == {"b.py": 351}
    fits = "def fits():\n" + "    x = 1\n" * 69
    long = "class C:\n    async def long(self):\n" + "        x = 1\n" * 70
    assert long_functions({"a.py": fits}) == []
    assert long_functions({"b.py": long}) == ["b.py:2 long: 71 lines"]
