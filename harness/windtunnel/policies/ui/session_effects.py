"""What each action does to the open session: opens its contact's, leaves it, or keeps it.

Data for the session cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

Effect = Literal["opens", "leaves", "keeps", "forgets"]

EFFECTS: Final[Mapping[str, Effect]] = MappingProxyType(
    {
        **dict.fromkeys(("send_text", "send_file", "revoke"), "opens"),
        # These end in another view, or in the session that lay on top: whose, nobody asked.
        **dict.fromkeys(
            ("forward", "share", "set_remark", "add_friend", "accept_friend"), "leaves"
        ),
        **dict.fromkeys(("publish", "delete", "forward_moment", "like", "comment"), "leaves"),
        "screenshot": "keeps",
        **dict.fromkeys(("qr_start", "logout", "restart", "autofix"), "forgets"),
    }
)
"""Class of action → its effect when it succeeds; one that fails makes the cache forget."""
