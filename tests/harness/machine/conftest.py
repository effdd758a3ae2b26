"""A simulated desktop, for what the machines of both worlds share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from desktop_kit import play_on_a_desktop


@pytest.fixture
def play_desktop() -> Callable[..., Any]:
    """Give what plays a body on a simulated desktop; `wechat` is given by keywords."""
    return play_on_a_desktop
