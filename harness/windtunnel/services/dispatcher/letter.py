"""The letter: what the owner of a task is to be told by its webhook, and how the outbox holds it.

Imports the wire's task and the store's changes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from windtunnel.ports.store import Put
from windtunnel.services.dispatcher.entry import Entry, encode, typed
from windtunnel.services.wire.task import OWN_ID, WEBHOOK

WEBHOOKS: Final = "md:webhooks"
"""The table of the outbox: a task's id → the newest letter about it that was not answered."""


class Letter(NamedTuple):
    """One call of a webhook to be made."""

    task: str
    url: str
    body: Mapping[str, Any]
    text: str
    """As the outbox holds it."""

    def change(self) -> Put:
        """Return what puts it into the outbox, in the place of an earlier one about its task."""
        return Put(WEBHOOKS, self.task, self.text)


def request_id(task: str) -> str:
    """Return the name by which the dispatcher's callers know a task."""
    return f"md-{task}"


def letter_about(entry: Entry, status: str, **what: Any) -> Letter | None:  # noqa: ANN401 - JSON values
    """Return the letter that tells of a task's status (RT-D3), or None where it has no webhook."""
    url = entry.payload.get(WEBHOOK)
    if not url:
        return None
    body = {"taskId": request_id(entry.id), OWN_ID: entry.id, "status": status, **what}
    return Letter(entry.id, url, body, encode({"url": url, "body": body}))


def read_letter(task: str, text: str) -> Letter:
    """Return the letter that the outbox holds; raises as `read_entry` for another text."""
    fields = json.loads(text)
    body = typed(fields, "body", dict)
    typed(body, "status", str)
    return Letter(task, typed(fields, "url", str), body, text)
