"""The UI system: a scheduler in front of one display, its bridge around it (spec: system 1)."""

from __future__ import annotations

from windtunnel.systems.ui.system import UISystem

__all__ = ["UISystem"]
