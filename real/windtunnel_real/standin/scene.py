"""The scene: what the stand-in's window shows, as data: panels of filled boxes and tiles.

Pure: it reads the surface and its rows, and draws nothing. Imports the state machine, the layout,
the drawing of tiles, and what may lie over the window.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from windtunnel.ports import Message
from windtunnel.wechat.surface import Surface
from windtunnel_real.standin import drawing
from windtunnel_real.standin.hits import shown_buttons
from windtunnel_real.standin.layout import (
    AREAS,
    BADGE,
    COLUMN,
    COMMENT_BOX,
    CONTACT_ROWS,
    FOOT,
    HEAD,
    PANE,
    RAIL,
    ROWS,
    TITLE,
    Box,
)
from windtunnel_real.standin.overlays import overlay
from windtunnel_real.standin.panels import (
    GREY,
    INK,
    Fill,
    Item,
    Panel,
    Picture,
    avatar,
    buttons,
    framed,
    icon,
    label,
    written,
)
from windtunnel_real.standin.rows import Rows, is_searching

RAIL_COLOUR: Final = (46, 46, 46)
COLUMN_COLOUR: Final = (247, 247, 247)
CHOSEN: Final = (222, 222, 222)
PANE_COLOUR: Final = (243, 243, 243)
SENT: Final = (149, 236, 105)
TITLE_COLOUR: Final = (230, 230, 230)
BUBBLES: Final = 5
"""How many messages are shown."""
VIEW_TITLES: Final = {
    "moments": "朋友圈",
    "requests": "新的朋友",
    "contacts": "通讯录",
    "link": "网页",
}


def scene(surface: Surface, rows: Rows, title: str) -> tuple[Panel, ...]:
    """Return the window's panels, which share no point, and last what lies over them, if any."""
    parts = (
        Panel(TITLE, tuple(_title(surface, title))),
        Panel(RAIL, tuple(_rail(surface))),
        Panel(COLUMN, tuple(_column(surface, rows))),
        Panel(HEAD, tuple(_head(surface))),
        Panel(PANE, tuple(_pane(surface))),
        Panel(FOOT, tuple(_foot(surface))),
    )
    over = overlay(surface)
    return parts if over is None else (*parts, over)


def called(surface: Surface, name: str) -> str:
    """Return what somebody is called on the window."""
    remark = surface.database.remarks.get(name)
    return f"{remark} ({name})" if remark else name


def _title(surface: Surface, title: str) -> Iterator[Item]:
    yield Fill(TITLE, TITLE_COLOUR)
    yield label(12, 5, title, 14, INK, TITLE_COLOUR, 600)
    if surface.screen.login in drawing.BADGES:
        yield Picture(BADGE.x, BADGE.y, drawing.badge(surface.screen.login))


def _rail(surface: Surface) -> Iterator[Item]:
    yield Fill(RAIL, RAIL_COLOUR)
    yield from avatar(Box(12, 42, 36, 36), "我", drawing.GREEN)
    view, asking = surface.screen.view, len(surface.database.requests)
    yield from icon(AREAS["moments"], "朋友圈", RAIL_COLOUR, lit=view == "moments")
    friends = f"好友 {asking}" if asking else "新朋友"
    yield from icon(AREAS["requests"], friends, RAIL_COLOUR, lit=view == "requests")
    yield from icon(AREAS["menu"], "菜单", RAIL_COLOUR, lit=surface.screen.menu is not None)


def _column(surface: Surface, rows: Rows) -> Iterator[Item]:
    screen = surface.screen
    yield Fill(COLUMN, COLUMN_COLOUR)
    search = AREAS["search"]
    yield from framed(search, CHOSEN, lit=screen.focus == "search")
    if screen.search:
        yield from written(search, screen.search, CHOSEN)
    else:
        yield label(search.x + 8, search.y + 6, "搜索", 13, GREY, CHOSEN, search.width - 16)
    yield from framed(AREAS["add"], CHOSEN, lit=False)
    yield label(AREAS["add"].x + 8, AREAS["add"].y + 3, "+", 18, INK, CHOSEN, 20)
    if is_searching(screen):
        found = screen.result
        said = "搜索联系人…" if not screen.search else "没有找到"
        yield from _row(
            ROWS[0], found or "?", called(surface, found) if found else said, "搜索结果"
        )
    else:
        for box, name in zip(ROWS, rows.sessions, strict=False):
            yield from _session(surface, box, name)
    yield label(74, 342, "联系人", 12, GREY, COLUMN_COLOUR, 150)
    shown = screen.contact if screen.view == "contacts" else None
    for box, name in zip(CONTACT_ROWS, rows.contacts, strict=False):
        yield from _row(box, name, called(surface, name), "", chosen=name == shown)


def _session(surface: Surface, box: Box, name: str) -> Iterator[Item]:
    chosen = surface.screen.session == name
    draft = surface.screen.drafts.get(name)
    last = next(
        (each for each in reversed(surface.database.messages) if each.contact == name), None
    )
    below = f"[草稿] {draft}" if draft and not chosen else last.text if last else ""
    yield from _row(box, name, called(surface, name), below, chosen=chosen)


def _row(box: Box, name: str, first: str, second: str, *, chosen: bool = False) -> Iterator[Item]:
    ground = CHOSEN if chosen else COLUMN_COLOUR
    yield Fill(box, ground)
    yield from avatar(Box(box.x + 10, box.y + (box.height - 32) // 2, 32, 32), name)
    width = box.width - 58
    lift = 4 if second else 11
    yield label(box.x + 50, box.y + lift, first, 14, INK, ground, width)
    if second:
        yield label(box.x + 50, box.y + 24, second, 11, GREY, ground, width)


def _head(surface: Surface) -> Iterator[Item]:
    screen = surface.screen
    yield Fill(HEAD, PANE_COLOUR)
    session = "" if screen.session is None else called(surface, screen.session)
    said = VIEW_TITLES.get(screen.view, session)
    yield label(HEAD.x + 20, HEAD.y + 9, said, 17, INK, PANE_COLOUR, 420)
    yield Fill(Box(HEAD.x, HEAD.bottom - 1, HEAD.width, 1), CHOSEN)
    if screen.view == "moments" and not screen.top():
        yield from buttons({"publish": shown_buttons(surface).get("publish")})


def _pane(surface: Surface) -> Iterator[Item]:
    yield Fill(PANE, PANE_COLOUR)
    view = surface.screen.view
    if view == "chats":
        yield from _chat(surface)
        return
    yield from _VIEWS[view](surface)
    if not surface.screen.top():
        shown = shown_buttons(surface)
        yield from buttons({target: box for target, box in shown.items() if box.y >= PANE.y})


def _chat(surface: Surface) -> Iterator[Item]:
    session = surface.screen.session
    if session is None:
        yield label(PANE.x + 218, PANE.y + 160, "没有打开的聊天", 16, GREY, PANE_COLOUR, 300)
        return
    link = AREAS["link"]
    yield from framed(link, drawing.WHITE, lit=False)
    yield label(link.x + 12, link.y + 5, "置顶链接 风洞简报", 14, INK, drawing.WHITE, 220)
    yield label(link.x + 12, link.y + 25, "点击查看网页", 11, GREY, drawing.WHITE, 220)
    messages = surface.database.messages
    mine = (each for each in reversed(messages) if each.contact == session)
    for line, message in enumerate(islice(mine, BUBBLES)):
        yield from _bubble(message, AREAS["last_message"].bottom - 6 - line * 46)


def _bubble(message: Message, bottom: int) -> Iterator[Item]:
    room = 330
    said = drawing.wrapped(message.text[:200], 14, room)
    text = said[0] + ("…" if len(said) > 1 else "")
    width = max(64, min(room + 16, drawing.text_width(text, 14)) + 20)
    ground = SENT if message.outgoing else drawing.WHITE
    left = PANE.right - 56 - width if message.outgoing else PANE.x + 56
    box = Box(left, bottom - 38, width, 34)
    yield Fill(box, ground)
    yield label(box.x + 10, box.y + 8, text, 14, INK, ground, width - 16)
    face = Box(PANE.right - 48 if message.outgoing else PANE.x + 16, bottom - 38, 32, 32)
    who, colour = ("我", drawing.GREEN) if message.outgoing else (message.contact, None)
    yield from avatar(face, who, colour)


def _moments(surface: Surface) -> Iterator[Item]:
    done = surface.database.moments
    liked = sum(what == "like" for what, _ in done)
    yield from avatar(Box(300, 96, 40, 40), "风", (87, 107, 149))
    yield label(352, 96, "风洞", 15, (87, 107, 149), PANE_COLOUR, 200)
    published = next((text for what, text in reversed(done) if what in ("publish", "share")), "")
    yield label(352, 120, published or "今天的风很稳。", 14, INK, PANE_COLOUR, 380)
    yield label(352, 150, f"{liked} 人觉得很赞", 12, GREY, PANE_COLOUR, 380)
    comments = [text for what, text in done if what == "comment"][-4:]
    for line, text in enumerate(comments):
        yield label(352, 174 + 20 * line, f"我 {text}", 12, GREY, PANE_COLOUR, 400)
    if surface.screen.focus == "comment":
        yield from framed(COMMENT_BOX, drawing.WHITE, lit=True)
        yield from written(COMMENT_BOX, surface.screen.comment, drawing.WHITE)


def _requests(surface: Surface) -> Iterator[Item]:
    waiting = surface.database.requests
    if not waiting:
        yield label(440, 220, "没有新的好友申请", 16, GREY, PANE_COLOUR, 300)
    for line, name in enumerate(waiting[:4]):
        top = 130 + 60 * line
        yield from avatar(Box(280, top, 40, 40), name)
        yield label(334, top + 2, name, 15, INK, PANE_COLOUR, 320)
        yield label(334, top + 24, "请求添加你为朋友", 12, GREY, PANE_COLOUR, 320)


def _contact(surface: Surface) -> Iterator[Item]:
    contact = surface.screen.contact
    if contact is None:
        return
    yield from avatar(Box(400, 140, 72, 72), contact)
    yield label(490, 146, called(surface, contact), 18, INK, PANE_COLOUR, 290)
    yield label(490, 178, f"微信号 {contact}", 13, GREY, PANE_COLOUR, 290)


def _link(_surface: Surface) -> Iterator[Item]:
    yield Fill(Box(300, 96, 440, 210), drawing.WHITE)
    yield label(324, 112, "风洞简报", 20, INK, drawing.WHITE, 380)
    for line, text in enumerate(("同一份场景 两个世界 ", "模拟的桌面 和真实的显示器。")):
        yield label(324, 160 + 26 * line, text, 15, GREY, drawing.WHITE, 380)


_VIEWS: Final = {
    "moments": _moments,
    "requests": _requests,
    "contacts": _contact,
    "link": _link,
}


def _foot(surface: Surface) -> Iterator[Item]:
    screen = surface.screen
    if screen.view != "chats" or screen.session is None:
        yield Fill(FOOT, PANE_COLOUR)
        return
    yield Fill(FOOT, drawing.WHITE)
    yield Fill(Box(FOOT.x, FOOT.y, FOOT.width, 1), CHOSEN)
    yield label(AREAS["attach"].x + 6, AREAS["attach"].y + 4, "文件", 13, GREY, drawing.WHITE, 46)
    box = AREAS["input"]
    yield from written(box, screen.draft, drawing.WHITE, lit=screen.focus == "input")
    send = AREAS["send"]
    colour = drawing.GREEN if screen.draft else CHOSEN
    yield Fill(send, colour)
    ink = drawing.WHITE if screen.draft else GREY
    yield label(send.x + 28, send.y + 10, "发送", 15, ink, colour, 60)
