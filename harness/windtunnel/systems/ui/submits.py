"""The submissions: class of action → model of its arguments. Imports the table of endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel

from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.systems.base import NoArgs, Vocabulary


class ToContact(Vocabulary):
    """Whom an action is for."""

    to: str


class SendText(Vocabulary):
    """A text to a contact."""

    to: str
    text: str


class SendFile(Vocabulary):
    """A file to a contact."""

    to: str
    file: str


class SetRemark(Vocabulary):
    """What a contact is called from now on."""

    to: str
    remark: str


class WriteText(Vocabulary):
    """A text for all to see."""

    text: str


_ARGS: Final[Mapping[str, type[BaseModel]]] = {
    "send_text": SendText,
    "send_file": SendFile,
    "set_remark": SetRemark,
    "publish": WriteText,
    "comment": WriteText,
    **dict.fromkeys(("revoke", "forward", "add_friend"), ToContact),
}
SUBMITS: Final[Mapping[str, type[BaseModel]]] = MappingProxyType(
    {name: _ARGS.get(name, NoArgs) for name in ENDPOINTS}
)
"""Class of action → model of its `args`."""
