"""The messages of the channels."""

from __future__ import annotations

import pytest

from windtunnel.services.wire import messages


@pytest.mark.spec("RT-W1")
def test_a_message_is_a_type_and_its_data() -> None:
    made = messages.message(messages.CONNECT, clientId="task-queue-backend")
    assert made == {"type": "CONNECT", "data": {"clientId": "task-queue-backend"}}
