"""What goes wrong with a real display, and is told by type.

A command that takes too long or finds no window is the bridge's own affair (`BridgeError`); these
are the errors below it. Imports the one error tree.
"""

from __future__ import annotations

from windtunnel.errors import WindtunnelError, WorldError, WorldUnavailableError


class DisplayStartError(WorldUnavailableError):
    """A display could not be started, or the one that was named cannot be reached."""


class MissingProgramError(DisplayStartError, WorldError):
    """A program is not installed: no world can be had, or a run that asks for it cannot go on."""


class DisplayDiedError(WorldError):
    """The display's server is gone in the middle of a run: the world cannot go on."""


class DeadlineError(WindtunnelError, TimeoutError):
    """Something on the display did not end in time: a stopped server, somebody else's grab."""


class InputError(WindtunnelError):
    """A driver cannot do what it is asked: a key that the display does not know."""


class BlankFrameError(WindtunnelError):
    """A picture of the whole display shows one colour only: nothing was captured."""


class ClipboardError(WindtunnelError):
    """A text could not be handed over through the clipboard."""


class StandinError(WindtunnelError):
    """The stand-in does not answer, or refuses what it was told."""
