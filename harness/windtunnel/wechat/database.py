"""The database: what the simulated WeChat has written down, whatever its window shows.

Imports the ports' `Message` and the log of accesses.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from windtunnel.ports import LoginState, Message
from windtunnel.wechat.accesses import Accesses
from windtunnel.wechat.tables import NOTICE_ASKED, NOTICE_NAMED, REVOKED


@dataclass(slots=True)
class Database:
    """Messages, contacts and moments of the account; it outlives processes.

    No part is changed in place but `messages` and `moments`, which report that themselves.
    """

    log: Accesses
    account: LoginState = "logged_in"
    """The log-in state, also while no window shows it."""
    messages: list[Message] = field(default_factory=list)
    """In order; a message's id is its place, from 1."""
    requests: tuple[str, ...] = ()
    """Who asks to be a friend, the oldest first."""
    friends: tuple[str, ...] = ()
    """Whose request was accepted, in order."""
    asked: tuple[str, ...] = ()
    """Whom this account has asked, in order."""
    remarks: dict[str, str] = field(default_factory=dict)
    """Contact → what it is called."""
    moments: list[tuple[str, str]] = field(default_factory=list)
    """What was done to the moments: (`publish`, text), (`like`, ""), …"""

    RESOURCE: ClassVar[str] = "records"
    PARTS: ClassVar[frozenset[str]]

    def add_message(self, contact: str, text: str, *, outgoing: bool = True) -> None:
        """Write a message down."""
        messages = self.messages
        messages.append(Message(len(messages) + 1, contact, text, outgoing))
        self.log.report("records.messages", "write")

    def last_sent(self, contact: str) -> Message | None:
        """Return the last message that went out to somebody."""
        sent = (each for each in reversed(self.messages) if each.outgoing)
        return next((each for each in sent if each.contact == contact), None)

    def ask(self, contact: str) -> None:
        """Ask somebody to be a friend; their session holds a notice of it."""
        self.asked = (*self.asked, contact)
        self.add_message(contact, NOTICE_ASKED, outgoing=False)

    def name(self, contact: str, remark: str) -> None:
        """Call somebody something; their session holds a notice of it."""
        self.remarks = {**self.remarks, contact: remark}
        self.add_message(contact, NOTICE_NAMED, outgoing=False)

    def revoke(self, message: Message) -> None:
        """Mark a message as taken back."""
        self.messages[message.id - 1] = replace(message, text=REVOKED)
        self.log.report("records.messages", "write")

    def add_moment(self, what: str, text: str = "") -> None:
        """Write down what was done to the moments."""
        self.moments.append((what, text))
        self.log.report("records.moments", "write")

    def accept(self, contact: str) -> bool:
        """Turn a request into a friend; tells whether it was open."""
        if contact not in self.requests:
            return False
        self.requests = tuple(each for each in self.requests if each != contact)
        self.friends = (*self.friends, contact)
        return True


Database.PARTS = frozenset(Database.__slots__) - {"log"}
