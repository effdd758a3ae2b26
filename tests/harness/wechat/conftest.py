"""A window with nothing behind it, and what hears what a step touches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from desktop_kit import Sheet, hear


@pytest.fixture
def sheet() -> Sheet:
    """Give a logged-in window at its chats, and nothing open."""
    return Sheet()


@pytest.fixture
def hearing() -> Callable[..., Any]:
    """Give a context in which the accesses of a log are heard: it yields the list of them."""
    return hear
