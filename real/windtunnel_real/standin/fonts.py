"""Fonts: the file that the stand-in's texts are drawn with. Imports the errors."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from PIL import ImageFont

from windtunnel_real.errors import StandinError

FOLDERS: Final = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
WANTED: Final = (
    *("truetype/wqy/wqy-microhei.ttc", "truetype/wqy/wqy-zenhei.ttc"),
    *("opentype/noto/NotoSansCJK-Regular.ttc", "truetype/noto/NotoSansCJK-Regular.ttc"),
    *("truetype/arphic/uming.ttc", "truetype/droid/DroidSansFallbackFull.ttf"),
)
"""Fonts with Chinese letters, as Debian's packages lay them, the best first."""
OTHERS: Final = ("truetype/dejavu/DejaVuSans.ttf", "truetype/liberation/LiberationSans-Regular.ttf")
"""Fonts without them: a text shows boxes, and everything else works."""
INSTALL: Final = "apt-get install fonts-wqy-microhei"


def font_file(folders: Iterable[Path] = FOLDERS) -> Path:
    """Return the font to draw with, one with Chinese letters where there is any.

    Raises `StandinError`, which says what to install, where there is none at all.
    """
    places = [folder / name for name in (*WANTED, *OTHERS) for folder in folders]
    for place in places:
        if place.is_file():
            return place
    for folder in folders:
        for pattern in ("*.ttc", "*.ttf"):
            if found := next(iter(sorted(folder.rglob(pattern))), None):
                return found
    where = ", ".join(map(str, folders))
    raise StandinError(f"no TrueType font in {where}: the stand-in needs one; {INSTALL}")


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return the font in a size in pixels; raises as `font_file` does."""
    return ImageFont.truetype(str(font_file()), size, layout_engine=ImageFont.Layout.BASIC)
