"""Structure: no module that nothing reaches, and no module without a test of its name."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, Protocol

# path of a source → why nothing needs to reach it
UNREACHED: dict[str, str] = {}
# path of a source → why no test has its name
UNTESTED: dict[str, str] = {}


class Repository(Protocol):
    """What these tests read."""

    files: list[str]
    sources: dict[str, str]

    def texts(self, *names: str) -> dict[str, str]:
        """Read files."""


def module(path: str) -> str:
    """Turn harness/windtunnel/policies/rate.py into windtunnel.policies.rate."""
    parts = PurePosixPath(path).with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def mentions(path: str, text: str) -> Iterator[str]:
    """Name what a module imports, or names in a string that is looked up later.

    A string counts in the forms that are resolved lazily: ``package.module``,
    ``package.module:Name``, ``.module`` from the package it stands in, and f"package.{name}" where
    the names are strings of the same module: a table of commands.
    """
    package = module(path) if path.endswith("__init__.py") else module(path).rpartition(".")[0]
    tree = ast.parse(text)
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom():
                base = absolute(node.module or "", node.level, package)
                yield base
                yield from (f"{base}.{alias.name}" for alias in node.names)
            case ast.Constant(value=str(value)) if re.fullmatch(r"\.?\w+(\.\w+)*(:\w+)?", value):
                name = value.partition(":")[0]
                yield absolute(name.lstrip("."), int(name.startswith(".")), package)
            case ast.JoinedStr(values=[ast.Constant(value=str(prefix)), ast.FormattedValue()]) if (
                prefix.endswith(".")
            ):
                yield from (prefix + name for name in strings(tree))


def strings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def absolute(name: str, level: int, package: str) -> str:
    """Resolve a relative import of so many dots within the package."""
    if not level:
        return name
    base = package.split(".")[: len(package.split(".")) - level + 1]
    return ".".join([*base, name] if name else base)


def unreached(sources: dict[str, str], entries: set[str]) -> set[str]:
    """Give the files that no chain of imports leads to from the entries (module names)."""
    by_name = {module(path): path for path in sources}
    waiting = [name for name in by_name if name in entries or "." not in name]
    waiting += [name for name in by_name if name.endswith(".__main__")]
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in reached or name not in by_name:
            continue
        reached.add(name)
        waiting.append(name.rpartition(".")[0])  # importing a module runs its packages
        waiting.extend(mentions(by_name[name], sources[by_name[name]]))
    return {path for name, path in by_name.items() if name not in reached}


def entry_points(project: dict[str, Any]) -> set[str]:
    """Give the modules the installed distribution is entered by."""
    groups = [project.get("scripts", {}), *project.get("entry-points", {}).values()]
    return {target.partition(":")[0] for group in groups for target in group.values()}


def place_of_test(path: str) -> str:
    """Give the place of a module's test: tests/harness/policies/test_rate.py.

    What a package defines in its ``__init__`` is tested beside its modules, by its own name.
    """
    source = PurePosixPath(path)
    folders = [source.parts[0], *source.parts[2:-1]]
    name = source.parent.name if source.stem == "__init__" else source.stem.strip("_")
    return "/".join(["tests", *folders, f"test_{name}.py"])


def untested(sources: dict[str, str], files: list[str]) -> set[str]:
    """Give the modules that define something and have no test of their name."""
    return {p for p, text in sources.items() if place_of_test(p) not in files and defines(text)}


def defines(text: str) -> bool:
    definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return any(isinstance(node, definition) for node in ast.parse(text).body)


def test_every_module_is_reached(repository: Repository) -> None:
    project = tomllib.loads(repository.texts("pyproject.toml")["pyproject.toml"])["project"]
    dead = unreached(repository.sources, entry_points(project))
    offenders = sorted(dead - UNREACHED.keys())
    assert not offenders, "nothing imports or names:\n" + "\n".join(offenders)
    assert not UNREACHED.keys() - dead, "exceptions that are not needed"


def test_every_module_has_a_test_of_its_name(repository: Repository) -> None:
    without = untested(repository.sources, repository.files)
    offenders = [
        f"{path} wants {place_of_test(path)}" for path in sorted(without - UNTESTED.keys())
    ]
    assert not offenders, "\n".join(offenders)
    assert not UNTESTED.keys() - without, "exceptions that are not needed"


def test_every_exception_has_a_reason() -> None:
    assert all(reason.strip() for reason in (UNREACHED | UNTESTED).values())


def test_a_module_that_nothing_reaches_is_seen() -> None:
    sources = {
        "harness/w/__init__.py": '"""W."""\nTABLE = {"a": "w.by_string:Name", "b": ".by_dot"}\n',
        "harness/w/by_string.py": "from . import relative\nfrom .sub.deep import x\n",
        "harness/w/by_dot.py": "import w.plain\n",
        "harness/w/relative.py": "",
        "harness/w/plain.py": "",
        "harness/w/sub/__init__.py": "from .near import y\n",
        "harness/w/sub/deep.py": "from ..up import z\n",
        "harness/w/sub/near.py": "",
        "harness/w/up.py": "",
        "harness/w/entered.py": 'TABLE = {"command": "Does it."}\nload(f"w.cli.{name}")\n',
        "harness/w/cli/__init__.py": "",
        "harness/w/cli/command.py": "",
        "harness/w/cli/forgotten.py": "",
        "harness/w/__main__.py": "",
        # two that know only one another, and one that is only talked about
        "harness/w/dead.py": "import w.mate\n",
        "harness/w/mate.py": "import w.dead\n",
        "harness/w/spoken.py": '"""w.spoken is nice."""\n',
    }
    assert unreached(sources, {"w.entered"}) == {
        "harness/w/cli/forgotten.py",
        "harness/w/dead.py",
        "harness/w/mate.py",
        "harness/w/spoken.py",
    }


def test_a_module_without_a_test_is_seen() -> None:
    sources = {
        "harness/w/a.py": "def f(): ...\n",
        "harness/w/p/b.py": "class B: ...\n",
        "harness/w/p/__init__.py": "def g(): ...\n",
        "harness/w/data.py": "X = 1\n",
        "harness/w/c.py": "async def h(): ...\n",
    }
    files = ["tests/harness/test_a.py", "tests/harness/p/test_p.py"]
    assert untested(sources, files) == {"harness/w/p/b.py", "harness/w/c.py"}
    assert place_of_test("harness/w/p/b.py") == "tests/harness/p/test_b.py"


def test_scripts_and_entry_points_are_entries() -> None:
    project = {"scripts": {"w": "w.cli:main"}, "entry-points": {"pytest11": {"w": "w.plugin"}}}
    assert entry_points(project) == {"w.cli", "w.plugin"}
