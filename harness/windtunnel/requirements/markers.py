"""Markers: the ids that tests carry as `@pytest.mark.spec("UI-Q3")`, read without importing them.

Imports the standard library and the errors.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from windtunnel.errors import Problem

MARKER: Final = "spec"


@dataclass(frozen=True, slots=True, order=True)
class Marked:
    """An id that a test, a class or a whole module carries."""

    id: str
    test: str
    """`file::Class::test`, as pytest names it; the file alone for `pytestmark`."""
    file: str
    line: int
    column: int
    skipped: bool = False
    """Whether `@pytest.mark.skip` stands at it: it shows nothing."""


@dataclass(frozen=True, slots=True)
class Markers:
    """What was found in the tests, in the order of the files and within each of the lines."""

    marked: tuple[Marked, ...]
    problems: tuple[Problem, ...]


def find_markers(folders: Sequence[Path]) -> Markers:
    """Return the ids of every marker below the folders (files are taken as they are).

    Wherever the marker is written it counts for what it stands at: a decorator, `pytestmark`, the
    `marks` of a parameter. Problems are files that are no Python, and ids that are no literals.
    """
    marked: list[Marked] = []
    problems: list[Problem] = []
    for file in dict.fromkeys(_files(folders)):
        try:
            calls = list(_calls(_parsed(file), str(file)))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            problems.append(_unreadable(file, error))
            continue
        for test, call, skipped in calls:
            for argument in _arguments(call):
                place = (str(file), argument.lineno, argument.col_offset + 1)
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    marked.append(Marked(argument.value, test, *place, skipped))
                else:
                    problems.append(Problem(*place, f"`{MARKER}` takes ids as literal texts"))
    return Markers(tuple(marked), tuple(problems))


def _parsed(file: Path) -> ast.Module:
    if not file.is_file():  # a pipe or a device may have no end
        raise ValueError("it is no file")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the tests' own text, which is for pytest to show
        return ast.parse(file.read_bytes(), filename=str(file))


def _files(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        if folder.is_dir():
            inside = (path for path in folder.rglob("*.py") if not _hidden(path, folder))
            yield from sorted(inside)
        else:
            yield folder


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _unreadable(file: Path, error: Exception) -> Problem:
    line = getattr(error, "lineno", None) or 1
    column = getattr(error, "offset", None) or 1
    said = getattr(error, "msg", None) or getattr(error, "strerror", None) or str(error)
    said = "it is nested too deeply" if isinstance(error, RecursionError | MemoryError) else said
    return Problem(str(file), line, column, f"cannot read it: {said}")


def _calls(
    node: ast.AST, owner: str, *, skipped: bool = False
) -> Iterator[tuple[str, ast.Call, bool]]:
    """Yield each call of the marker, with the name of what it stands at and whether it is run."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            left_out = skipped or any(map(_skips, child.decorator_list))
            yield from _calls(child, f"{owner}::{child.name}", skipped=left_out)
            continue
        if isinstance(child, ast.Call) and _is_marker(child.func, MARKER):
            yield owner, child, skipped
        yield from _calls(child, owner, skipped=skipped)


def _skips(decorator: ast.expr) -> bool:
    return _is_marker(decorator.func if isinstance(decorator, ast.Call) else decorator, "skip")


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the arguments, the parts of `*("UI-Q1", …)` too; without any, the call itself."""
    for argument in call.args or [call]:
        match argument:
            case ast.Starred(value=ast.Tuple(elts=parts) | ast.List(elts=parts)):
                yield from parts
            case _:
                yield argument


def _is_marker(node: ast.expr, marker: str) -> bool:
    """Tell `pytest.mark.NAME` and `mark.NAME` from other names."""
    match node:
        case ast.Attribute(value=ast.Attribute(attr="mark") | ast.Name(id="mark"), attr=name):
            return name == marker
    return False
