"""The reply of a route: status, body, and what an error says of itself. Imports errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from windtunnel.errors import HTTP_STATUS, BridgeError, Code

OK: Final = 200
BAD_REQUEST: Final = "BAD_REQUEST"
NOT_FOUND: Final = "NOT_FOUND"
CANCELLED: Final = "CANCELLED"
INTERNAL: Final = "INTERNAL"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a route answers; `retry_after` in whole seconds, `code` None where it went well."""

    status: int
    body: Mapping[str, Any]
    code: str | None = None
    retry_after: int | None = None


def good(body: Mapping[str, Any]) -> Reply:
    """Return a reply with status 200."""
    return Reply(OK, body)


def refused(status: int, code: str, message: str) -> Reply:
    """Return a reply with a code of the routes' own."""
    return Reply(status, {"code": code, "message": message}, code)


def of_error(error: BaseException) -> Reply:
    """Return what a route answers when its action raised; nothing inside leaks but the type.

    An error of anybody's scheduler is understood by its `.code`, if that is one of `Code`.
    """
    if isinstance(error, BridgeError):
        body = {"code": error.code, "message": error.message, **error.details}
        return Reply(error.http_status, body, error.code, error.retry_after)
    if isinstance(error, TimeoutError):
        return of_error(BridgeError(Code.TIMEOUT, str(error) or "it took too long"))
    code = getattr(error, "code", None)
    if isinstance(code, str) and code in HTTP_STATUS:
        details = getattr(error, "details", None)
        return of_error(BridgeError(code, str(error), details if isinstance(details, dict) else {}))
    return refused(500, INTERNAL, type(error).__name__)
