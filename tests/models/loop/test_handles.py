"""Handles: what scheduling returns."""

from __future__ import annotations

import asyncio
import contextvars

from windtunnel_models import SimLoop


def note() -> None:
    """Stand for a callback."""


def test_a_cancelled_handle_does_not_run() -> None:
    loop = SimLoop()
    log: list[str] = []
    soon = loop.call_soon(log.append, "soon")
    later = loop.call_later(1, log.append, "later")
    kept = loop.call_later(1, log.append, "kept")
    soon.cancel()
    later.cancel()
    loop.run_forever()
    assert log == ["kept"]
    assert (soon.cancelled(), later.cancelled(), kept.cancelled()) == (True, True, False)
    loop.close()


def test_cancelling_one_due_now_from_a_callback_due_now_works() -> None:
    loop = SimLoop()
    log: list[str] = []
    handles: list[asyncio.Handle] = []

    def cancel_all() -> None:
        for handle in handles:
            handle.cancel()

    loop.call_soon(cancel_all)
    handles.append(loop.call_soon(log.append, "soon"))
    loop.run_forever()
    loop.call_later(1, cancel_all)
    handles.append(loop.call_later(1, log.append, "second"))
    loop.run_forever()
    assert log == []
    assert loop.env.dead == 0
    loop.close()


def test_cancelling_after_the_call_changes_nothing_but_the_flag() -> None:
    loop = SimLoop()
    handle = loop.call_later(1, note)
    loop.run_forever()
    handle.cancel()
    handle.cancel()
    assert handle.cancelled()
    assert loop.env.dead == 0
    loop.close()


def test_a_timer_tells_its_instant_and_context() -> None:
    loop = SimLoop()
    context = contextvars.copy_context()
    timer = loop.call_later(0.3, note, context=context)
    assert timer.when() == 0.3
    assert timer.get_context() is context
    assert loop.call_soon(note, context=context).get_context() is context
    loop.close()


def test_representations_name_the_callback_and_no_address() -> None:
    loop = SimLoop()
    soon, timer = loop.call_soon(note), loop.call_later(0.3, note)
    assert "note() at " in repr(soon)
    assert repr(timer).startswith("<Timer at 0.3 s note()")
    assert "0x" not in repr(soon) + repr(timer)
    soon.cancel()
    assert repr(soon) == "<Handle cancelled>"
    loop.close()


def test_a_timer_fired_by_hand_reports_what_its_callback_raises() -> None:
    loop = SimLoop()
    contexts: list[dict[str, object]] = []
    loop.set_exception_handler(lambda _, context: contexts.append(context))
    loop.call_later(1, int, "x")
    loop.env.step()
    assert [type(context["exception"]) for context in contexts] == [ValueError]
    loop.close()
