"""The layout: where everything lies in the stand-in's window, as data.

Points and boxes are in pixels of the window, from its top left corner. Targets are those of
`windtunnel.wechat.tables`. Imports the region of the QR code and nothing else of the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from windtunnel.services.bridge.flows.flows import QR_REGION


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the window."""

    x: int
    y: int
    width: int
    height: int

    @property
    def center(self) -> tuple[int, int]:
        """The point in its middle."""
        return self.x + self.width // 2, self.y + self.height // 2

    @property
    def right(self) -> int:
        """The first column that is not its own any more."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The first row that is not its own any more."""
        return self.y + self.height

    def contains(self, x: int, y: int) -> bool:
        """Tell whether a point lies in it."""
        return self.x <= x < self.right and self.y <= y < self.bottom

    def overlaps(self, other: Box) -> bool:
        """Tell whether two boxes have a point in common."""
        return (
            self.x < other.right
            and other.x < self.right
            and self.y < other.bottom
            and other.y < self.bottom
        )


# ---------------------------------------------------------------- the window and its parts

ORIGIN: Final = (320, 120)
"""Where on the display the window asks to be."""
WINDOW: Final = Box(0, 0, 800, 560)
TITLE: Final = Box(0, 0, 800, 28)
"""The strip that nothing ever covers: it holds the title and the badge of the log-in state."""
BADGE: Final = Box(712, 4, 76, 20)
RAIL: Final = Box(0, 28, 60, 532)
COLUMN: Final = Box(60, 28, 180, 532)
HEAD: Final = Box(240, 28, 560, 40)
PANE: Final = Box(240, 68, 560, 350)
FOOT: Final = Box(240, 418, 560, 142)
POPUP: Final = Box(0, 28, 800, 532)
"""What a popup covers."""
QR: Final = Box(QR_REGION.x - ORIGIN[0], QR_REGION.y - ORIGIN[1], QR_REGION.width, QR_REGION.height)
"""The QR code of the log-in page; on the display it is the region that the bridge crops."""

# ---------------------------------------------------------------- places that are clicked blindly

ROW_COUNT: Final = 6
ROWS: Final = tuple(Box(60, 72 + 44 * line, 180, 44) for line in range(ROW_COUNT))
"""The rows of sessions; the first is the top row, where a search shows its result."""
CONTACT_COUNT: Final = 3
CONTACT_ROWS: Final = tuple(Box(60, 364 + 40 * line, 180, 40) for line in range(CONTACT_COUNT))

AREAS: Final[Mapping[str, Box]] = MappingProxyType(
    {
        "moments": Box(6, 100, 48, 44),
        "requests": Box(6, 148, 48, 44),
        "menu": Box(6, 508, 48, 44),
        "search": Box(70, 36, 130, 28),
        "add": Box(206, 36, 28, 28),
        "link": Box(262, 76, 240, 44),
        "last_message": Box(660, 362, 128, 50),
        "attach": Box(252, 422, 56, 24),
        "input": Box(250, 450, 440, 102),
        "send": Box(702, 512, 88, 38),
    }
)
"""Target → what of the window is that target, whatever the window shows; but for the rows."""

# ---------------------------------------------------------------- what may lie over the window

BUTTON: Final = (88, 30)
"""Width and height of a button that is found by its picture."""
DIALOG: Final = Box(250, 150, 300, 190)
RESULTS_DIALOG: Final = Box(60, 30, 430, 340)
"""A dialog that lists results lists them in the top row."""
MENU: Final = Box(62, 440, 140, 108)
CONTEXT_MENU: Final = Box(556, 284, 108, 78)
DIALOG_BOX: Final = Box(270, 230, 260, 30)
RESULTS_DIALOG_BOX: Final = Box(70, 36, 160, 28)
COMMENT_BOX: Final = Box(300, 330, 388, 60)


def _button(x: int, y: int) -> Box:
    return Box(x, y, *BUTTON)


BUTTONS: Final[Mapping[str, Mapping[str, Box]]] = MappingProxyType(
    {
        "context_menu": MappingProxyType(
            {"revoke": _button(566, 290), "forward": _button(566, 326)}
        ),
        "contacts": MappingProxyType({"remark": _button(476, 280)}),
        "requests": MappingProxyType({"accept": _button(680, 140)}),
        "moments": MappingProxyType(
            {
                "publish": _button(696, 33),
                "like": _button(300, 290),
                "comment": _button(400, 290),
                "forward": _button(500, 290),
                "delete": _button(600, 290),
            }
        ),
        "link": MappingProxyType({"share": _button(476, 330)}),
    }
)
"""Place, a key of `tables.PICTURES` → target that is found by its picture → where it is drawn."""
CONFIRM: Final = _button(446, 298)
RESULTS_CONFIRM: Final = _button(386, 324)


def place_of(target: str) -> tuple[int, int]:
    """Return the point of a target that is clicked blindly: one of `tables.POSITIONS`.

    Raises `KeyError` for any other: a row of somebody's is revealed, a picture is found.
    """
    if target in ("result", "session"):
        return ROWS[0].center
    return AREAS[target].center
