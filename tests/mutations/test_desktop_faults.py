"""Faults planted in the simulated desktop on purpose: the named scenarios' checks turn red.

A model that is kinder or harsher than the documents' WeChat would make every verdict worthless.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from planting_kit import Faults as PlantedFaults
from planting_kit import Played
from windtunnel.acting import Acting
from windtunnel.faults import Faults
from windtunnel.machine.ambushes import NOTHING_MET
from windtunnel.machine.autostart_times import AutostartTimes
from windtunnel.machine.commands import Command
from windtunnel.ports import LoginState
from windtunnel.wechat import clicks, keys
from windtunnel.wechat.screen import Screen
from windtunnel.wechat.surface import Surface
from windtunnel.world import Fault
from windtunnel_models.machine.autostart import Autostart
from windtunnel_models.machine.desktop import SimDesktop
from windtunnel_models.machine.process_table import Process, ProcessTable
from windtunnel_models.machine.programs import SimProgram
from windtunnel_models.wechat.application import NAME, WeChat

fault = PlantedFaults()


# ---------------------------------------------------------------- messages and drafts


@fault(a_second_person_opens_another_session="delivered_to")
def a_message_goes_to_who_was_looked_for(patch: pytest.MonkeyPatch) -> None:
    open_result, deliver = clicks._open_result, Surface.deliver
    found: dict[int, str] = {}

    def note(surface: Surface) -> str:
        found[id(surface)] = surface.screen.result or ""
        return open_result(surface)

    def send(self: Surface, to: str, text: str, who: Acting) -> None:
        deliver(self, found.get(id(self)) or to, text, who)

    patch.setattr(clicks, "_open_result", note)
    patch.setattr(Surface, "deliver", send)


@fault(call_site_logout="count")
def a_text_finds_its_box_by_itself(patch: pytest.MonkeyPatch) -> None:
    """Type into the open session whatever has the focus."""
    focus_of = keys.focus_of

    def box(surface: Surface) -> str:
        place = focus_of(surface)
        return place if place in ("search", "dialog") or surface.screen.session is None else "input"

    patch.setattr(keys, "focus_of", box)


@fault(a_draft_survives_its_flow="delivered_to", a_new_process_begins_afresh="count")
def a_draft_dies_with_its_flow(patch: pytest.MonkeyPatch) -> None:
    fail = Command.fail
    screens: list[Screen] = []
    make = SimDesktop.__init__

    def made(self: SimDesktop, commands: Any, wechat: WeChat, *more: Any) -> None:
        screens.append(wechat.screen)
        make(self, commands, wechat, *more)

    def tidy(self: Command, met: Any) -> None:
        if met.code:
            screens[-1].drafts = {}
        fail(self, met)

    patch.setattr(SimDesktop, "__init__", made)
    patch.setattr(Command, "fail", tidy)


@fault(a_draft_survives_its_flow="count delivered_to")
def a_message_is_sent_without_a_click(patch: pytest.MonkeyPatch) -> None:
    insert = keys.insert

    def eager(surface: Surface, text: str, who: Acting) -> None:
        insert(surface, text, who)
        if keys.focus_of(surface) == "input":
            clicks.send_draft(surface, who)

    patch.setattr(keys, "insert", eager)


# ---------------------------------------------------------------- the window and what lies over it


@fault(a_killed_wechat_fails_slowly="answer", call_site_restart="count")
def a_missing_window_is_never_told(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SimDesktop, "_require_window", lambda self, command: None)


@fault(a_killed_wechat_fails_slowly="answer", a_run_of_slow_failures="count threshold")
def a_missing_window_is_told_at_once(patch: pytest.MonkeyPatch) -> None:
    make = SimDesktop.__init__

    def made(self: SimDesktop, commands: Any, wechat: WeChat, _missing: int, log: Any) -> None:
        make(self, commands, wechat, 0, log)

    patch.setattr(SimDesktop, "__init__", made)


@fault(a_new_process_begins_afresh="count")
def a_new_process_keeps_the_old_session(patch: pytest.MonkeyPatch) -> None:
    def keep(self: Screen, login: LoginState, *, keep_sessions: bool = False) -> None:
        del keep_sessions
        self.login = login

    patch.setattr(Screen, "start_afresh", keep)


@fault(call_site_logout="count", logout_never_inside_a_send="conservation")
def a_picture_is_always_found(patch: pytest.MonkeyPatch) -> None:
    click = clicks._click_picture

    def lenient(surface: Surface, target: str, top: str, who: Acting) -> None:
        try:
            click(surface, target, top, who)
        except Exception:  # noqa: BLE001 - that is the fault
            return

    patch.setattr(clicks, "_click_picture", lenient)


@fault(a_popup_takes_a_click="count")
def a_popup_lets_clicks_through(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Screen, "top", Screen.over)


@fault(nobody_is_logged_in="answer", a_cached_login_goes_stale="answer")
def a_screenshot_always_shows_a_log_in(patch: pytest.MonkeyPatch) -> None:
    state = SimDesktop.login_state

    async def optimistic(self: SimDesktop) -> LoginState:
        await state(self)
        return "logged_in"

    patch.setattr(SimDesktop, "login_state", optimistic)


@fault(a_cached_login_goes_stale="delivered_to")
def the_log_in_page_lets_clicks_through(patch: pytest.MonkeyPatch) -> None:
    over = Screen.over

    def bare(self: Screen) -> str:
        top = over(self)
        return "" if top == "login" else top

    patch.setattr(Screen, "over", bare)


@fault(an_open_session_is_not_opened_again="count")
def a_window_is_never_another(patch: pytest.MonkeyPatch) -> None:
    """Give every window the identity of the first."""
    window = WeChat.window

    def same(self: WeChat) -> Any:
        found = window(self)
        return None if found is None else replace(found, pid=1, started_ns=0)

    patch.setattr(WeChat, "window", same)


# ---------------------------------------------------------------- processes and programs


@fault(call_site_capture="bounded")
def a_hung_program_ends_by_itself(patch: pytest.MonkeyPatch) -> None:
    output = SimProgram.output

    async def given_up(self: SimProgram) -> bytes:
        self.kill()
        return await output(self)

    patch.setattr(SimProgram, "output", given_up)


@fault(call_site_capture="count")
def a_program_is_reaped_by_the_kill(patch: pytest.MonkeyPatch) -> None:
    add = ProcessTable.add
    patch.setattr(ProcessTable, "add", lambda self, name, is_child=False: add(self, name))


@fault(a_killed_wechat_fails_slowly="threshold answer", autofix_waits_for_autostart="event")
def autostart_never_comes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Autostart, "ended", lambda self: None)


@fault(a_killed_wechat_fails_slowly="threshold", autofix_waits_for_autostart="event")
def autostart_comes_at_once(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(AutostartTimes, "left", lambda self, now: 0)


@fault(watchdog_drains_then_kills="event", watchdog_looks_twice="count")
def wechat_ignores_sigterm(patch: pytest.MonkeyPatch) -> None:
    signal = ProcessTable.signal

    def deaf(self: ProcessTable, pid: int, number: int) -> None:
        process: Process | None = self.get(pid)
        if number != 15 or process is None or process.name != NAME:
            signal(self, pid, number)

    patch.setattr(ProcessTable, "signal", deaf)


# ---------------------------------------------------------------- time and faults


@fault(flows_run_their_commands="count")
def a_command_is_recorded_twice(patch: pytest.MonkeyPatch) -> None:
    end = Command.end

    def twice(self: Command, outcome: str) -> None:
        end(self, outcome)
        end(self, outcome)

    patch.setattr(Command, "end", twice)


@fault(a_flow_ends_after_thirty_seconds="answer")
def a_slow_command_is_not_slower(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Command, "meet", lambda self, *more: NOTHING_MET)


@fault(watchdog_looks_twice="count")
def a_lost_window_is_not_given_back(patch: pytest.MonkeyPatch) -> None:
    async def stays(_self: Faults, _fault: Fault) -> None: ...

    patch.setattr(Faults, "undo", stays)


def test_without_a_fault_these_scenarios_are_green(played: Played) -> None:
    fault.require_green(played)


@pytest.mark.parametrize("name", fault.rows)
def test_a_planted_fault_turns_these_checks_red(
    name: str, monkeypatch: pytest.MonkeyPatch, played: Played
) -> None:
    fault.require_red(name, monkeypatch, played)
