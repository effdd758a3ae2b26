"""What an X server refuses: requests that came back as errors.

Imports the errors of the real world and python-xlib's.
"""

from __future__ import annotations

from typing import Any, Final

from windtunnel_real.errors import InputError

_OF_A_WINDOW: Final = frozenset({"BadWindow", "BadDrawable"})


class XRequestError(InputError):
    """The server refused a request: `code` names the error (`BadMatch`), `resource` its object."""

    def __init__(self, message: str, *, code: str, resource: int) -> None:
        super().__init__(message)
        self.code = code
        self.resource = resource


class WindowGoneError(XRequestError):
    """The window of a request is not there, or not any more (`BadWindow`, `BadDrawable`)."""


def refusal(error: Any, what: str) -> XRequestError:  # noqa: ANN401 - python-xlib has no types
    """Return python-xlib's `XError` as the error it is here; `what` was being done."""
    code = type(error).__name__
    resource = int(getattr(error.resource_id, "id", error.resource_id))
    if code in _OF_A_WINDOW:
        message = f"{what}: there is no window {resource:#x} (any more)"
        return WindowGoneError(message, code=code, resource=resource)
    message = (
        f"{what}: the X server refused a request ({code}; request {error.major_opcode}"
        f".{error.minor_opcode}, resource or value {resource:#x})"
    )
    return XRequestError(message, code=code, resource=resource)
