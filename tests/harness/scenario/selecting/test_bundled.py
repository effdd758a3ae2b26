"""Where the bundled scenarios are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from windtunnel.errors import WindtunnelError
from windtunnel.scenario.selecting.bundled import bundled_root


def test_installed_they_lie_in_the_package(tmp_path: Path) -> None:
    package = tmp_path / "site" / "windtunnel"
    (package / "_scenarios").mkdir(parents=True)
    (tmp_path / "scenarios").mkdir()  # whatever lies beside the installation
    assert bundled_root(package) == package / "_scenarios"


def test_in_a_checkout_they_lie_beside_the_roots(tmp_path: Path) -> None:
    (tmp_path / "harness" / "windtunnel").mkdir(parents=True)
    (tmp_path / "scenarios").mkdir()
    assert bundled_root(tmp_path / "harness" / "windtunnel") == tmp_path / "scenarios"


def test_nowhere_is_told(tmp_path: Path) -> None:
    with pytest.raises(WindtunnelError, match="the bundled scenarios are missing"):
        bundled_root(tmp_path / "harness" / "windtunnel")


def test_this_checkout_has_some() -> None:
    assert any(bundled_root().rglob("*.yaml"))
