"""A parcel: what is on its way from one host to another; it stands on the heap as it is.

Imports nothing of the project.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Parcel:
    """One request, response, message or sign; an event of SimPy's that fires on its arrival."""

    __slots__ = ("arrive", "callbacks", "content", "held", "on_channel", "source", "target")

    _ok = True

    def __init__(
        self,
        source: str,
        target: str,
        arrive: Callable[[Parcel], None],
        content: Any,  # noqa: ANN401 - whatever is sent
        *,
        on_channel: bool = False,
    ) -> None:
        self.source = source
        self.target = target
        self.arrive = arrive
        """Called with the parcel when it comes, and again by whoever has held it."""
        self.content = content
        self.on_channel = on_channel
        """Whether it goes through a channel."""
        self.held = False
        """Whether a partition has held it: it comes late."""
        self.callbacks: Any = (arrive,)

    def copy(self) -> Parcel:
        """Return one that can be sent beside this."""
        return Parcel(
            self.source, self.target, self.arrive, self.content, on_channel=self.on_channel
        )
