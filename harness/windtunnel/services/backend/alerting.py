"""The alerting: tells which figures go over their limits, and which come back (RT-X3).

Imports the table of alerts and periodic loops.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from windtunnel.policies.router.alerts import Alarms, Figures
from windtunnel.services.note import Note
from windtunnel.services.periodic import Periodic

logger = logging.getLogger("windtunnel.backend")


class Alerting:
    """Looks at the figures every `interval_s`; a turn of `loop` is one look.

    Notes `alert.raised` and `alert.cleared`, each once; both are logged.
    """

    def __init__(
        self, figures: Callable[[], Figures], note: Note, *, interval_s: float = 10.0
    ) -> None:
        self._figures = figures
        self._note = note
        self._alarms = Alarms()
        self.loop = Periodic("alerting", self.look, interval_s)

    @property
    def on(self) -> frozenset[str]:
        """The names of the alerts that are on."""
        return self._alarms.on

    async def look(self) -> None:
        """Look once."""
        raised, cleared = self._alarms.update(self._figures())
        for alert in raised:
            logger.warning(
                "%s alert: %s is %g, over %g", alert.severity, alert.name, alert.value, alert.limit
            )
            details = {"alert": alert.name, "severity": alert.severity, "value": alert.value}
            self._note("alert.raised", "", details)
        for alert in cleared:
            logger.info("no alert any more: %s is %g", alert.name, alert.value)
            self._note("alert.cleared", "", {"alert": alert.name})
