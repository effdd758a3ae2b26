"""Texts in any script, typed into the application and sent: what is delivered is what was typed.

Through the port of the desktop, by each driver, with whatever the texts are made of.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Final

import pytest

from real_kit import play_on_a_display
from windtunnel.world import WorldOptions
from windtunnel_real.drivers.driver import DRIVERS
from windtunnel_real.world import RealWorld

TEXTS: Final = {"xtest": 60, "xdotool-pipe": 60, "xdotool": 12}
"""A process per command and per key takes its time."""
SEED = int(os.environ.get("WINDTUNNEL_SEED", "1"))
COUNT = int(os.environ.get("WINDTUNNEL_TEXTS", "0"))
"""By hand: another seed, and how many texts for each driver."""
LONGEST = 40
ALPHABETS: Final = (
    "".join(map(chr, range(0x20, 0x7F))),
    "äöüßéèçñøåłžšđÆŒ€£¥«»„“”–—…",
    "abcdéñ中文日本語한국어",
    "你好世界聊天窗口发送消息朋友圈确定取消退出登录张三李四王五",
    "こんにちはカタカナ漢字テスト안녕하세요",
    "שלוםمرحبابالعالمनमस्तेสวัสดีПриветΓειά",
    "😀😂👍🏽👨\u200d👩\u200d👧\u200d👦🇩🇪🏳️\u200d🌈❤️☺️",
    "e\u0301a\u0308o\u0302n\u0303\u0323\u200b\u200e\u200f\ufeff",
    "\t \u00a0\u3000\u2028<>&\"'\\$`{}|;",
)


def any_character(random: Random) -> str:
    """Return a character of any plane: no surrogate, no NUL, no line break (a key of its own)."""
    while True:
        code = random.choice((random.randrange(1, 0x3000), random.randrange(1, 0x110000)))
        if not 0xD800 <= code < 0xE000 and code not in {0x0A, 0x0D}:
            return chr(code)


def text(random: Random) -> str:
    """Return a text of one alphabet, of several, or of whatever there is."""
    size = random.randint(1, LONGEST)
    kind = random.randrange(3)
    if kind == 0:
        return "".join(random.choices(random.choice(ALPHABETS), k=size))
    if kind == 1:
        return "".join(random.choice(random.choice(ALPHABETS)) for _ in range(size))
    return "".join(any_character(random) for _ in range(size))


@pytest.mark.parametrize("driver", DRIVERS)
def test_what_is_delivered_is_what_was_typed(driver: str, note: Callable[[str], None]) -> None:
    random = Random(SEED)
    texts = [text(random) for _ in range(COUNT or TEXTS[driver])]

    async def body(world: RealWorld) -> None:
        desktop = world.ports.desktop
        assert desktop is not None
        await desktop.activate("wechat")
        await desktop.click("input")
        for each in texts:
            await desktop.type_text(each)
            await desktop.click("send")

    options = WorldOptions(driver=driver, frames="none")
    world = play_on_a_display(body, options=options, session="alice")
    delivered = [event.details["text"] for event in world.trace.of("message.delivered")]
    exact = sum(got == meant for got, meant in zip(delivered, texts, strict=False))
    note(f"{exact} of {len(texts)} texts delivered exactly")
    wrong = [both for both in zip(delivered, texts, strict=False) if both[0] != both[1]]
    assert not wrong, wrong[:5]
    assert len(delivered) == len(texts)
