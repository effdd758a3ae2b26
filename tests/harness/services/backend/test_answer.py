"""Answer: what an owner is told."""

from __future__ import annotations

import dataclasses

import pytest

from windtunnel.services.backend.answer import Answer


def test_an_answer_is_not_changed() -> None:
    answer = Answer("t.1", "done", "image")
    assert (answer.error, answer.status) == (None, "done")
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.status = "failed"  # type: ignore[misc]
