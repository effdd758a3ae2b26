"""What is known by name: a name that is not is refused with the close one. Imports nothing."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


def known(name: str, names: Sequence[str], what: str) -> str:
    """Return the name; raises `ValueError` with the close one for a name that is not among them.

    `what` says what the name is missing from: `no flow has a command`.
    """
    if name in names:
        return name
    near = difflib.get_close_matches(name.lower()[:80], names, n=1)
    hint = f"; did you mean `{near[0]}`?" if near else f" (known: {', '.join(sorted(names))})"
    raise ValueError(f"{what} `{name[:40]}`{hint}")
