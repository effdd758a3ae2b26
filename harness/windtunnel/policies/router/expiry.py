"""The expiry of pending tasks (RT-D6). Imports the router's options and the units."""

from __future__ import annotations

from typing import Final

from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.units import MINUTE

PENDING_LIFE: Final = 30 * MINUTE


def expired(
    submitted_at: int, now: int, limit: int = PENDING_LIFE, *, options: RouterOptions
) -> bool:
    """Tell whether a pending task is older than `limit` nanoseconds; of just that age it is not.

    As listed none ever expires (F-R2).
    """
    return options.expiry != "never" and now - submitted_at > limit
