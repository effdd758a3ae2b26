"""Docstrings: every module has one, and so has every public name of the packages."""

from __future__ import annotations

import ast
from typing import Protocol

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Repository(Protocol):
    """What these tests read."""

    sources: dict[str, str]
    python: dict[str, str]


def undescribed(sources: dict[str, str]) -> list[str]:
    """Modules that hold something and do not say what."""
    trees = {name: ast.parse(text) for name, text in sources.items()}
    return [name for name, tree in trees.items() if tree.body and not ast.get_docstring(tree)]


def undocumented(sources: dict[str, str]) -> list[str]:
    """Functions and classes at the top of a module that are public and undocumented."""
    return [
        f"{name}:{node.lineno} {node.name}"
        for name, text in sources.items()
        for node in ast.parse(text).body
        if isinstance(node, Definition) and not node.name.startswith("_")
        if not ast.get_docstring(node) and not is_overload(node)
    ]


def is_overload(node: Definition) -> bool:
    return any("overload" in ast.unparse(decorator) for decorator in node.decorator_list)


def test_every_module_says_what_it_is(repository: Repository) -> None:
    offenders = undescribed(repository.python)
    assert not offenders, "\n".join(offenders)


def test_every_public_name_is_documented(repository: Repository) -> None:
    offenders = undocumented(repository.sources)
    assert not offenders, "\n".join(offenders)


def test_an_undescribed_module_is_seen() -> None:
    sources = {"bare.py": "x = 1\n", "said.py": '"""X."""\nx = 1\n', "empty.py": ""}
    assert undescribed(sources) == ["bare.py"]


def test_an_undocumented_name_is_seen() -> None:
    text = (
        "def bare(): ...\n"
        "class Bare: ...\n"
        "async def said():\n    'Said.'\n"
        "def _private(): ...\n"
        "@typing.overload\ndef several(): ...\n"
    )
    assert undocumented({"a.py": text}) == ["a.py:1 bare", "a.py:2 Bare"]
