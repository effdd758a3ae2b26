"""The selection of operations."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from windtunnel.checks.selection import Classes, Operations, entry_id, selects


@pytest.mark.parametrize(
    ("op", "entry"),
    [
        ("send.2", "send"),
        ("send", "send"),
        ("a-b.10", "a-b"),
        ("a.b", "a.b"),
        ("send/2", "send"),
        ("send.2/3", "send"),
    ],
)
def test_the_entry_of_an_operation(op: str, entry: str) -> None:
    assert entry_id(op) == entry


def test_what_a_selection_holds() -> None:
    assert selects((), "send.2", "send_text")
    for of in ("send_text", "send", "send.2"):
        assert selects((of,), "send.2", "send_text")
    for of in ("send_file", "sen", "send.1", "send.22"):
        assert not selects((of,), "send.2", "send_text")


def test_a_second_operation_of_one_call_is_selected_with_it() -> None:
    for of in ("accept_friend", "poll", "poll.1", "poll.1/2"):
        assert selects((of,), "poll.1/2", "accept_friend")
    for of in ("poll.2", "poll.1/3"):
        assert not selects((of,), "poll.1/2", "accept_friend")


@pytest.mark.parametrize(
    "adapter", [TypeAdapter[tuple[str, ...]](Operations), TypeAdapter[tuple[str, ...]](Classes)]
)
def test_one_may_stand_without_a_list(adapter: TypeAdapter[tuple[str, ...]]) -> None:
    assert adapter.validate_python("send_text") == ("send_text",)
    assert adapter.validate_python(["a", "b"]) == ("a", "b")
    with pytest.raises(ValidationError):
        adapter.validate_python([1])
    variants = adapter.json_schema()["anyOf"]
    assert [variant["type"] for variant in variants] == ["string", "array"]
