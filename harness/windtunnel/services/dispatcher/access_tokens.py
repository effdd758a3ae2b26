"""The access tokens: signed, with an expiry (RT-J1).

A token is a JSON Web Token (RFC 7519) signed with HMAC-SHA256. The key is derived from the
password, so that tokens outlive a restart without being stored; whoever changes the password takes
all tokens back. Imports the settings and the units.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from windtunnel.services.dispatcher.settings import Credentials
from windtunnel.units import SECOND, to_seconds

PURPOSE: Final = b"windtunnel dispatcher access token"
CACHED: Final = 256
"""How many tokens are remembered as verified."""


class AccessTokens:
    """Issues tokens to who knows the credentials, and verifies them. Times in ns."""

    def __init__(self, credentials: Credentials, lifetime: int) -> None:
        self._credentials = credentials
        self._lifetime = lifetime
        self._key = hmac.digest(credentials.password.encode(), PURPOSE, hashlib.sha256)
        self._verified: dict[str, float] = {}

    def log_in(self, username: object, password: object, now: int) -> tuple[str, int] | None:
        """Return a new token and its lifetime in s; None where name or password are wrong."""
        known = self._credentials
        # Both are always compared, so that the time taken does not tell which was wrong.
        right = _equal(username, known.username) & _equal(password, known.password)
        return self._issue(now) if right else None

    def is_valid(self, token: object, now: int) -> bool:
        """Tell whether a token is one of ours and has not expired."""
        if not isinstance(token, str):
            return False
        expiry = self._verified.get(token)
        if expiry is None:
            expiry = self._expiry_of(token)
            if len(self._verified) >= CACHED:
                self._verified.clear()
            if expiry is not None:
                self._verified[token] = expiry
        return expiry is not None and to_seconds(now) < expiry

    def _issue(self, now: int) -> tuple[str, int]:
        claims = {
            "sub": self._credentials.username,
            "iat": to_seconds(now),
            "exp": to_seconds(now + self._lifetime),
        }
        signed = f"{_HEADER}.{_encoded(json.dumps(claims).encode())}"
        return f"{signed}.{self._signature(signed)}", self._lifetime // SECOND

    def _signature(self, signed: str) -> str:
        return _encoded(hmac.digest(self._key, signed.encode(), hashlib.sha256))

    def _expiry_of(self, token: str) -> float | None:
        """Return the second at which a token of ours expires; None for any other text."""
        signed, _, signature = token.rpartition(".")
        # The header is not read, only signed: no token says how it is to be verified.
        if not _equal(signature, self._signature(signed)):
            return None
        claims = signed.partition(".")[2]
        try:
            expiry = json.loads(_decoded(claims))["exp"]
        except (ValueError, KeyError, TypeError, binascii.Error):
            return None
        return float(expiry)


def _equal(given: object, right: str) -> bool:
    text = given if isinstance(given, str) else ""
    return hmac.compare_digest(text.encode("utf-8", "surrogatepass"), right.encode())


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


_HEADER: Final = _encoded(b'{"alg":"HS256","typ":"JWT"}')
