"""The table of endpoints, against the documents' own."""

from __future__ import annotations

import pytest

from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS

# The rows that drive the display, as the documents write them.
TABLE = """\
| POST /api/send/text | queued | NORMAL | same contact 1000, other 3000 | 15000 |
| POST /api/send/file | queued | NORMAL | 3000 | 15000 |
| POST /api/messages/revoke | queued | NORMAL | 3000 | 15000 |
| POST /api/messages/forward | queued | NORMAL | 3000 | 15000 |
| POST /api/friends/remark | queued | NORMAL | 3000 | 15000 |
| POST /api/friends/add | queued | NORMAL | 3000 | 15000 |
| POST /api/friends/accept | queued | HIGH | 3000 | 30000 |
| POST /api/moments/publish | queued | NORMAL | 3000 | 30000 |
| POST /api/moments/share | queued | NORMAL | 3000 | 30000 |
| POST /api/moments/delete | queued | NORMAL | 3000 | 15000 |
| POST /api/moments/forward | queued | NORMAL | 3000 | 30000 |
| POST /api/moments/like | queued | LOW | 3000 | 15000 |
| POST /api/moments/comment | queued | LOW | 3000 | 15000 |
| POST /api/screenshot | direct | LOW | 3000 | 10000 |
| POST /api/login/qr/start | direct | HIGH | 3000 | 15000 |
| POST /api/login/logout | direct | HIGH | 3000 | 30000 |
| POST /api/wechat/restart | direct | CRITICAL | 0 | 60000 |
| POST /api/diagnostic/autofix/wechat_running | direct | CRITICAL | 0 | 30000 |
"""
SPACED = "same contact 1000, other 3000"


@pytest.mark.spec("UI-E1", "UI-Q4")
def test_every_row_is_the_documents_row() -> None:
    rows = [
        f"| {row.route} | {row.today} | {row.priority.name} "
        f"| {SPACED if row.spaced else format(row.delay_ms, 'g')} | {row.wait_ms:g} |"
        for row in ENDPOINTS.values()
    ]
    assert rows == TABLE.splitlines()


@pytest.mark.spec("UI-E2")
def test_the_direct_ones_have_trace_ids() -> None:
    assert {row.trace_id for row in ENDPOINTS.values() if row.today == "direct"} == {
        *("logout", "wechat_restart", "qr_start", "screenshot", "autofix_wechat_running")
    }
    assert all(not row.trace_id for row in ENDPOINTS.values() if row.today == "queued")


@pytest.mark.spec("UI-C1", "UI-Q8")
def test_what_opens_a_window_is_critical_and_says_for_how_long() -> None:
    windows = {name: row.window_ms for name, row in ENDPOINTS.items() if row.window_ms}
    assert windows == {"restart": 8000, "autofix": 15000}
    assert all(ENDPOINTS[name].priority is Priority.CRITICAL for name in windows)


@pytest.mark.spec("UI-Q4")
def test_texts_and_files_are_sends() -> None:
    assert {name for name, row in ENDPOINTS.items() if row.sends} == {"send_text", "send_file"}


def test_names_and_routes_are_unique() -> None:
    assert all(name == row.action for name, row in ENDPOINTS.items())
    assert len({row.route for row in ENDPOINTS.values()}) == len(ENDPOINTS)
