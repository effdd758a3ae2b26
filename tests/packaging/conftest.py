"""The distributions that the tests of packaging look into, each built once."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import pytest

from packaging_kit import PARTS, ROOT, build


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what a build reads, so that nothing is left in the checkout itself."""
    copy = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        if (ROOT / part).is_dir():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, copy / part, ignore=ignore)
        elif (ROOT / part).exists():
            shutil.copy(ROOT / part, copy / part)
    return copy


@pytest.fixture(scope="session")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the checkout."""
    return build(checkout, tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="session")
def sdist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist from the checkout and unpack it."""
    folder = tmp_path_factory.mktemp("sdist")
    archive = build(checkout, folder, "sdist")
    with tarfile.open(archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)  # it came with 3.11.4
        tar.extractall(folder)  # noqa: S202 - an archive of our own
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked
