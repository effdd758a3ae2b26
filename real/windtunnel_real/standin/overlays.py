"""Overlays: what of the application's own lies over the stand-in's window.

A dialog, a menu, the log-in page; another program's popup is a window of its own. Imports the state
machine's tables, the layout and the panels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from windtunnel.wechat.surface import Surface
from windtunnel.wechat.tables import MENU
from windtunnel_real.standin import drawing
from windtunnel_real.standin.hits import shown_buttons
from windtunnel_real.standin.layout import (
    CONTEXT_MENU,
    DIALOG,
    DIALOG_BOX,
    POPUP,
    QR,
    RESULTS_DIALOG,
    RESULTS_DIALOG_BOX,
    ROWS,
    Box,
)
from windtunnel_real.standin.layout import MENU as MENU_BOX
from windtunnel_real.standin.panels import (
    GREY,
    INK,
    LIT,
    Fill,
    Item,
    Panel,
    Picture,
    avatar,
    buttons,
    framed,
    label,
    written,
)

TITLES: Final = {
    "settings": ("设置", "通用 · 通知 · 快捷键"),
    "confirm_logout": ("退出登录", "确定要退出当前账号吗"),
    "file": ("发送文件", "输入路径 按回车发送"),
    "chooser": ("转发给", "选择一个聊天"),
    "add": ("添加朋友", "搜索微信号 选择结果后确定"),
    "accept": ("通过朋友验证", ""),
    "remark": ("设置备注", ""),
    "publish": ("发表朋友圈", ""),
    "share": ("分享到朋友圈", "风洞简报"),
    "delete": ("删除", "确定要删除这条朋友圈吗"),
    "forward_moment": ("转发", "确定要转发这条朋友圈吗"),
}
"""Dialog → its title and what it says."""
MENU_LABELS: Final = {"settings": "设置", "log_out": "退出登录", "about": "关于"}


def overlay(surface: Surface) -> Panel | None:
    """Return what lies over the window, or None."""
    over = surface.screen.over()
    if not over:
        return None
    if over == "login":
        return Panel(POPUP, tuple(_login(surface)))
    if over == "menu":
        return Panel(MENU_BOX, tuple(_menu(surface)))
    if over == "context_menu":
        return Panel(CONTEXT_MENU, tuple(_context_menu(surface)))
    row = surface.screen.dialog_row
    if row is not None and row.lists_results:
        return Panel(RESULTS_DIALOG, tuple(_results_dialog(surface)))
    return Panel(DIALOG, tuple(_dialog(surface)))


def _login(surface: Surface) -> Iterator[Item]:
    yield Fill(POPUP, drawing.WHITE)
    if surface.screen.login == "qr":
        yield label(330, 76, "扫码登录微信", 22, INK, drawing.WHITE, 300)
        yield Picture(QR.x, QR.y, drawing.qr_code())
        yield label(338, 462, "请用手机扫一扫", 16, GREY, drawing.WHITE, 300)
        return
    yield from avatar(Box(352, 180, 96, 96), "我", drawing.GREEN)
    yield label(352, 300, "已退出登录", 18, INK, drawing.WHITE, 300)
    yield label(340, 340, "请在手机上登录", 16, GREY, drawing.WHITE, 300)


def _menu(surface: Surface) -> Iterator[Item]:
    yield from framed(MENU_BOX, drawing.WHITE, lit=False)
    for line, name in enumerate(MENU, start=1):
        chosen = surface.screen.menu == line
        ground = (222, 240, 228) if chosen else drawing.WHITE
        top = MENU_BOX.y + 4 + 34 * (line - 1)
        yield Fill(Box(MENU_BOX.x + 2, top, MENU_BOX.width - 4, 32), ground)
        ink = LIT if chosen else INK
        yield label(MENU_BOX.x + 20, top + 7, MENU_LABELS[name], 15, ink, ground, 110)


def _context_menu(surface: Surface) -> Iterator[Item]:
    yield from framed(CONTEXT_MENU, drawing.WHITE, lit=False)
    yield from buttons(shown_buttons(surface))


def _dialog(surface: Surface) -> Iterator[Item]:
    screen = surface.screen
    title, said = TITLES[screen.dialog]
    yield from framed(DIALOG, drawing.WHITE, lit=False)
    yield label(DIALOG.x + 20, DIALOG.y + 16, title, 17, INK, drawing.WHITE, 260)
    about = screen.choice or ""
    yield label(DIALOG.x + 20, DIALOG.y + 46, said or about, 13, GREY, drawing.WHITE, 260)
    if screen.dialog_row is not None and screen.dialog_row.box:
        yield from framed(DIALOG_BOX, drawing.WHITE, lit=True)
        yield from written(DIALOG_BOX, screen.box, drawing.WHITE, lit=True)
    yield from buttons(shown_buttons(surface))


def _results_dialog(surface: Surface) -> Iterator[Item]:
    screen = surface.screen
    title, said = TITLES[screen.dialog]
    yield from framed(RESULTS_DIALOG, drawing.WHITE, lit=False)
    yield from framed(RESULTS_DIALOG_BOX, drawing.WHITE, lit=True)
    yield from written(RESULTS_DIALOG_BOX, screen.box, drawing.WHITE, lit=True)
    yield label(256, 42, title, 17, INK, drawing.WHITE, 220)
    yield label(256, 84, said, 13, GREY, drawing.WHITE, 220)
    if screen.result is not None:
        yield from _result(screen.result, chosen=screen.choice == screen.result)
    if screen.choice is not None:
        yield label(256, 120, f"已选择 {screen.choice}", 14, LIT, drawing.WHITE, 220)
    yield from buttons(shown_buttons(surface))


def _result(name: str, *, chosen: bool) -> Iterator[Item]:
    row = ROWS[0]
    ground = (222, 240, 228) if chosen else (247, 247, 247)
    yield Fill(Box(row.x + 2, row.y, row.width - 4, row.height), ground)
    yield from avatar(Box(row.x + 10, row.y + 6, 32, 32), name)
    yield label(row.x + 50, row.y + 12, name, 14, INK, ground, row.width - 58)
