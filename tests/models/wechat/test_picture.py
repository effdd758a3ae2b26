"""Pictures: as large as asked for, and different where the screen is."""

from __future__ import annotations

from typing import Any

from windtunnel.ports import Region
from windtunnel_models.wechat.picture import HEIGHT, WIDTH, picture


def test_a_picture_has_the_size_asked_for(sheet: Any) -> None:
    whole = picture(sheet.screen)
    assert (whole.width, whole.height, len(whole.pixels)) == (WIDTH, HEIGHT, 4 * WIDTH * HEIGHT)
    part = picture(sheet.screen, Region(10, 20, 3, 5))
    assert (part.width, part.height, len(part.pixels)) == (3, 5, 60)


def test_equal_screens_have_equal_pictures_and_others_others(sheet: Any) -> None:
    screen = sheet.screen
    seen = [picture(screen).pixels]
    for change in (
        lambda: screen.open_session("bob"),
        lambda: screen.open_session("eve"),
        lambda: screen.open_dialog("add"),
        screen.open_popup,
        lambda: screen.start_afresh("qr"),
    ):
        change()
        assert picture(screen) == picture(screen)
        assert picture(screen).pixels not in seen
        seen.append(picture(screen).pixels)
        if screen.popup:
            screen.close_popup()


def test_without_a_window_all_screens_look_alike(sheet: Any) -> None:
    sheet.screen.window = False
    before = picture(sheet.screen)
    sheet.screen.open_session("bob")
    assert picture(sheet.screen) == before
