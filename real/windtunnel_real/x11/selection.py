"""The selection CLIPBOARD: how its owner answers those who ask for the text (ICCCM 2).

Everything here runs in the thread that owns the connection. Imports python-xlib.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from windtunnel_real.x11.xlib import X, Xatom, XDisplay, XEvent, XWindow, event, request

SELECTION: Final = "CLIPBOARD"
UTF8: Final = "UTF8_STRING"

CODECS: Final[Mapping[str, str]] = MappingProxyType(
    {UTF8: "utf-8", "text/plain;charset=utf-8": "utf-8", "STRING": "latin-1"}
)
"""Type of a property → how a text is written in it. `TEXT` lets the owner choose among them."""
_NO_TEXT: Final = ("TARGETS", "MULTIPLE", "TIMESTAMP")
_HEADROOM: Final = 64
"""Bytes of a request that are no data, generously."""


class News(StrEnum):
    """What became of an offer."""

    SENT = "sent"
    """Written where a requestor wants it."""
    READ = "read"
    """That requestor has read all of it: it deleted what was written."""
    LOST = "lost"
    """Another program took the selection."""


@dataclass(slots=True, eq=False)
class Offer:
    """A text that is offered."""

    text: str
    tell: Callable[[News, int], None]
    """Told, in the owner thread, what became of it, and by which requestor's window."""
    withdrawn: bool = False
    """Requests are refused; set from any thread."""


@dataclass(slots=True, eq=False)
class _Transfer:
    """A text on its way to one requestor: at once, or in parts (INCR)."""

    offer: Offer
    requestor: XWindow
    property: int
    kind: int
    rest: bytes
    """What was not written yet, after the first part."""
    in_parts: bool


class Selection:
    """The owner's side."""

    def __init__(self, display: XDisplay) -> None:
        self.window: XWindow = display.screen().root.create_window(
            -1, -1, 1, 1, 0, X.CopyFromParent, X.InputOnly, event_mask=X.PropertyChangeMask
        )
        self._names = {
            display.get_atom(name): name
            for name in (*_NO_TEXT, *CODECS, "TEXT", "INCR", "ATOM_PAIR", SELECTION)
        }
        self._atoms = {name: atom for atom, name in self._names.items()}
        self._part = display.display.info.max_request_length * 4 - _HEADROOM
        self._offer: Offer | None = None
        self._since = 0
        self._transfers: dict[tuple[int, int], _Transfer] = {}

    def take(self, display: XDisplay, offer: Offer) -> bool:
        """Take the selection for this offer; return whether it was got."""
        self._offer = None
        # By this the server tells its time; it is asked for at once, so it is the time of taking.
        self.window.change_property(self._atoms["TIMESTAMP"], Xatom.INTEGER, 32, [])
        self.window.set_selection_owner(self._atoms[SELECTION], X.CurrentTime)
        if not self._owned(display):
            return False
        self._offer = offer
        return True

    def give_back(self, display: XDisplay) -> None:
        """Leave the selection without an owner, if it is ours."""
        self._offer = None
        if self._owned(display):
            request.SetSelectionOwner(
                display=display.display,
                window=X.NONE,
                selection=self._atoms[SELECTION],
                time=X.CurrentTime,
            )

    def handle(self, event: XEvent) -> None:
        """Answer an event."""
        handler = _HANDLERS.get(event.type)
        if handler is not None:
            handler(self, event)

    def forget(self, window: int) -> None:
        """Drop what was on its way to a window that is gone."""
        for key in [key for key in self._transfers if key[0] == window]:
            del self._transfers[key]

    def _owned(self, display: XDisplay) -> bool:
        owner = display.get_selection_owner(self._atoms[SELECTION])
        return bool(owner) and owner.id == self.window.id

    # ------------------------------------------------------------ events

    def _on_request(self, asked: XEvent) -> None:
        place = asked.property or asked.target  # a client of old names no property
        given = asked.selection == self._atoms[SELECTION] and self._convert(
            asked.requestor, asked.target, place
        )
        answer = event.SelectionNotify(
            time=asked.time,
            requestor=asked.requestor,
            selection=asked.selection,
            target=asked.target,
            property=place if given else X.NONE,
        )
        asked.requestor.send_event(answer)

    def _on_clear(self, cleared: XEvent) -> None:
        offer, self._offer = self._offer, None
        if offer is not None and cleared.window.id == self.window.id:
            offer.tell(News.LOST, 0)

    def _on_property(self, changed: XEvent) -> None:
        if changed.window.id == self.window.id:
            self._since = changed.time
        elif changed.state == X.PropertyDelete:
            transfer = self._transfers.get((changed.window.id, changed.atom))
            if transfer is not None:
                self._go_on(transfer)

    def _on_destroy(self, destroyed: XEvent) -> None:
        self.forget(destroyed.window.id)

    # ------------------------------------------------------------ answers

    def _convert(self, requestor: XWindow, target: int, place: int) -> bool:
        offer, name = self._offer, self._names.get(target)
        if offer is None or offer.withdrawn or name is None:
            return False
        if name == "TARGETS":
            offered = [self._atoms[one] for one in (*_NO_TEXT, *_text_targets(offer.text))]
            requestor.change_property(place, Xatom.ATOM, 32, offered)
        elif name == "TIMESTAMP":
            requestor.change_property(place, Xatom.INTEGER, 32, [self._since])
        elif name == "MULTIPLE":
            return self._convert_many(requestor, place)
        elif name in _text_targets(offer.text):
            self._write(offer, requestor, name, place)
        else:
            return False
        return True

    def _convert_many(self, requestor: XWindow, place: int) -> bool:
        listed = requestor.get_full_property(place, X.AnyPropertyType)
        if listed is None:
            return False
        pairs = list(listed.value)
        for index in range(0, len(pairs) - 1, 2):
            target, where = pairs[index : index + 2]
            if self._names.get(target) == "MULTIPLE" or not self._convert(requestor, target, where):
                pairs[index + 1] = X.NONE
        requestor.change_property(place, self._atoms["ATOM_PAIR"], 32, pairs)
        return True

    def _write(self, offer: Offer, requestor: XWindow, name: str, place: int) -> None:
        kind = name
        if name == "TEXT":
            kind = "STRING" if "STRING" in _text_targets(offer.text) else UTF8
        data = offer.text.encode(CODECS[kind])
        transfer = _Transfer(offer, requestor, place, self._atoms[kind], b"", in_parts=False)
        self._transfers[requestor.id, place] = transfer
        # Asked for before the property is there, or its deletion could be missed.
        requestor.change_attributes(event_mask=X.PropertyChangeMask | X.StructureNotifyMask)
        if len(data) > self._part:
            transfer.in_parts, transfer.rest = True, data
            requestor.change_property(place, self._atoms["INCR"], 32, [len(data)])
        else:
            requestor.change_property(place, transfer.kind, 8, data)
            offer.tell(News.SENT, requestor.id)

    def _go_on(self, transfer: _Transfer) -> None:
        if transfer.in_parts:
            part, transfer.rest = transfer.rest[: self._part], transfer.rest[self._part :]
            transfer.requestor.change_property(transfer.property, transfer.kind, 8, part)
            if part:
                return
        window = transfer.requestor.id
        del self._transfers[window, transfer.property]
        if all(key[0] != window for key in self._transfers):
            transfer.requestor.change_attributes(event_mask=X.NoEventMask)
        transfer.offer.tell(News.READ, window)


_HANDLERS: Final[Mapping[int, Callable[[Selection, XEvent], None]]] = MappingProxyType(
    {
        X.SelectionRequest: Selection._on_request,  # noqa: SLF001 - its own
        X.SelectionClear: Selection._on_clear,  # noqa: SLF001 - its own
        X.PropertyNotify: Selection._on_property,  # noqa: SLF001 - its own
        X.DestroyNotify: Selection._on_destroy,  # noqa: SLF001 - its own
    }
)


def _text_targets(text: str) -> Iterator[str]:
    """Yield the targets under which a text can be had."""
    for name, codec in CODECS.items():
        try:
            text.encode(codec)
        except UnicodeEncodeError:
            continue
        yield name
    yield "TEXT"
