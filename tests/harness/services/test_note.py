"""Note: what is ignored is ignored."""

from __future__ import annotations

from windtunnel.services.note import Note, ignore


def test_a_note_may_be_ignored() -> None:
    note: Note = ignore
    note("lock.waited", "", {"waited": 1})
