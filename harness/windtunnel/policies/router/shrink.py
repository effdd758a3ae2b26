"""The shrink: what of the dispatcher's backlog is offered for fallback (RT-D5, F-R8).

Imports the router's options.
"""

from __future__ import annotations

from windtunnel.policies.router.router_options import RouterOptions


def to_offer(
    pending: int, online_before: int, online_after: int, lost_tasks: int, options: RouterOptions
) -> int:
    """Return how many tasks, from the tail of pending, are offered to the backend.

    `pending` counts tasks, those included that ran on lost instances and went back to its head;
    `lost_tasks` are these; `online_before` and `online_after` count instances. With none left
    there is no capacity at all, and all that is pending is offered: nobody is there to wait for.
    Else, when there are no fewer instances than before, nothing is. Else the backlog beyond
    capacity is what is pending less one task for each instance left, and of it

    - `backlog`, as listed: all is offered;
    - `lost`: no more than the lost capacity means, which is one task for each instance lost, or
      what ran on them where that is more.
    """
    if not online_after:
        return pending
    lost = online_before - online_after
    beyond = max(0, pending - online_after)
    if lost <= 0 or options.shrink == "backlog":
        return beyond if lost > 0 else 0
    return min(beyond, max(lost, lost_tasks))
