"""The letter: what an owner is told, and what the outbox holds of it."""

from __future__ import annotations

import pytest

from windtunnel.ports.store import Put
from windtunnel.services.dispatcher.entry import new_entry
from windtunnel.services.dispatcher.letter import letter_about, read_letter, request_id


@pytest.mark.spec("RT-D3")
def test_a_letter_tells_what_has_become_of_a_task() -> None:
    entry = new_entry("t", {"webhookUrl": "http://b:1/c"}, 0)
    letter = letter_about(entry, "SUCCESS", result={"image": 'a "b"'})
    assert letter is not None
    assert letter.url == "http://b:1/c"
    assert letter.body == {
        "taskId": request_id("t"),
        "client_task_id": "t",
        "status": "SUCCESS",
        "result": {"image": 'a "b"'},
    }
    assert letter.change() == Put("md:webhooks", "t", letter.text)
    assert read_letter("t", letter.text) == letter


@pytest.mark.parametrize("body", [{}, {"webhookUrl": ""}, {"webhookUrl": None}])
def test_without_a_webhook_there_is_none(body: dict[str, object]) -> None:
    assert letter_about(new_entry("t", body, 0), "SUCCESS") is None


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"url":7,"body":{"status":"SUCCESS"}}', '{"url":"u","body":{}}']
)
def test_a_text_that_holds_no_letter_is_an_error(text: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        read_letter("t", text)
