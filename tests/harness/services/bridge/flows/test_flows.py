"""Flows: the documents' commands in their order, and what they are given."""

from __future__ import annotations

import pytest

from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.flows.backend import Backend
from windtunnel.services.bridge.flows.flows import ARGUMENTS, FLOWS, missing_arguments


@pytest.mark.spec("UI-F1")
@pytest.mark.parametrize(
    ("action", "commands"),
    [
        (
            "send_text",
            "activate click_search type_query open_session focus_input type_text click_send verify",
        ),
        ("logout", "activate click_menu key_down key_down key_enter click_confirm"),
        ("restart", "kill wait_exit start wait_window"),
        ("qr_start", "activate screenshot crop"),
        ("screenshot", "screenshot"),
    ],
)
def test_the_documents_flows(action: str, commands: str) -> None:
    assert [step.name for step in FLOWS[action]] == commands.split()


@pytest.mark.spec("UI-F1", "UI-E1")
def test_every_endpoint_has_a_flow_and_the_others_have_3_to_8_commands() -> None:
    assert FLOWS.keys() == ENDPOINTS.keys()
    others = FLOWS.keys() - {"screenshot"}
    assert all(3 <= len(FLOWS[name]) <= 8 for name in others)


def test_every_verb_is_a_call_of_the_desktop_or_of_a_process() -> None:
    verbs = {step.verb for steps in FLOWS.values() for step in steps}
    processes = {"program", "kill", "wait_exit", "find", "start"}
    assert all(hasattr(Backend, verb) for verb in verbs - processes)
    assert processes <= verbs


def test_clicks_keys_and_texts_say_what() -> None:
    for steps in FLOWS.values():
        for step in steps:
            said = isinstance(step.argument, str) and bool(step.argument)
            assert said == (step.verb in ("activate", "click", "key", "type_text"))


def test_the_arguments_are_those_that_the_steps_name() -> None:
    assert {name: names for name, names in ARGUMENTS.items() if names} == {
        "send_text": ("to", "text"),
        "send_file": ("to", "file"),
        "revoke": ("to",),
        "forward": ("to",),
        "set_remark": ("to", "remark"),
        "add_friend": ("to",),
        "publish": ("text",),
        "comment": ("text",),
    }


def test_what_is_missing_is_named() -> None:
    assert missing_arguments("send_text", {"text": "x"}) == ("to",)
    assert missing_arguments("set_remark", {}) == ("to", "remark")
    assert missing_arguments("logout", {}) == ()


# What each command does, in the words of a script: verb and argument.
SCRIPTS = {
    "send_text": (
        "activate wechat, click search, type_text {to}, click result, click input, "
        "type_text {text}, click send, capture"
    ),
    "send_file": (
        "activate wechat, click search, type_text {to}, click result, click attach, "
        "type_text {file}, key Return, capture"
    ),
    "revoke": ("activate wechat, click session:{to}, click last_message, click revoke, capture"),
    "forward": (
        "activate wechat, click session, click last_message, click forward, "
        "type_text {to}, click result, click confirm"
    ),
    "set_remark": (
        "activate wechat, click contact:{to}, click remark, type_text {remark}, click confirm"
    ),
    "add_friend": "activate wechat, click add, type_text {to}, click result, click confirm",
    "accept_friend": "activate wechat, click requests, click accept, click confirm",
    "publish": "activate wechat, click moments, click publish, type_text {text}, click confirm",
    "share": "activate wechat, click session, click link, click share, click confirm",
    "delete": "activate wechat, click moments, click delete, click confirm",
    "forward_moment": "activate wechat, click moments, click forward, click confirm",
    "like": "activate wechat, click moments, click like, capture",
    "comment": (
        "activate wechat, click moments, click comment, type_text {text}, key Return, capture"
    ),
    "screenshot": "capture",
    "qr_start": "activate wechat, program, capture Region(x=560, y=240, width=320, height=320)",
    "logout": ("activate wechat, click menu, key Down, key Down, key Return, click confirm"),
    "restart": "kill, wait_exit 5.0, start, wait_window 10.0",
    "autofix": "kill, find, start, wait_window 10.0",
}


@pytest.mark.spec("UI-F1")
@pytest.mark.parametrize("action", FLOWS)
def test_each_command_does_what_its_name_says(action: str) -> None:
    script = [
        step.verb if step.argument is None else f"{step.verb} {step.argument}"
        for step in FLOWS[action]
    ]
    assert ", ".join(script) == SCRIPTS[action]
