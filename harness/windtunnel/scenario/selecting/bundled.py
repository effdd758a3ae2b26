"""Where the bundled scenarios lie. Imports `windtunnel.errors` alone."""

from __future__ import annotations

from pathlib import Path

from windtunnel.errors import WindtunnelError

_PACKAGE = Path(__file__).resolve().parents[2]


def bundled_root(package: Path = _PACKAGE) -> Path:
    """Return the folder of the scenarios that come with the project.

    Installed, they lie in the package (`windtunnel/_scenarios`); in a checkout, in `scenarios/`
    beside the source roots. Raises `WindtunnelError` when neither is there.
    """
    candidates = (package / "_scenarios", package.parents[1] / "scenarios")
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise WindtunnelError(
        f"the bundled scenarios are missing (looked in {candidates[0]} and {candidates[1]}): "
        "reinstall windtunnel, or name scenario files"
    )
