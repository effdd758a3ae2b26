"""The access tokens: ours, and nobody else's, until they expire."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.services.dispatcher.access_tokens import AccessTokens
from windtunnel.services.dispatcher.settings import Credentials
from windtunnel.units import HOUR, SECOND

pytestmark = pytest.mark.spec("RT-J1")
PAIR = Credentials("backend", "pässword")


def issued(tokens: AccessTokens, now: int = 0) -> str:
    found = tokens.log_in(PAIR.username, PAIR.password, now)
    assert found is not None
    return found[0]


def test_a_token_is_valid_until_its_lifetime_is_over() -> None:
    tokens = AccessTokens(PAIR, HOUR)
    found = tokens.log_in("backend", "pässword", 5 * SECOND)
    assert found is not None
    token, lifetime = found
    assert lifetime == 3600
    assert tokens.is_valid(token, 5 * SECOND)
    assert tokens.is_valid(token, 5 * SECOND + HOUR - SECOND)
    assert not tokens.is_valid(token, 5 * SECOND + HOUR)


def test_it_outlives_a_restart_and_a_new_password_takes_it_back() -> None:
    token = issued(AccessTokens(PAIR, HOUR))
    assert AccessTokens(PAIR, HOUR).is_valid(token, 1)
    assert not AccessTokens(Credentials("backend", "other"), HOUR).is_valid(token, 1)


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("backend", "x"),
        ("x", "pässword"),
        ("", ""),
        (None, None),
        (1, ["pässword"]),
        ("\ud800", "x"),
    ],
)
def test_others_cannot_log_in(name: object, password: object) -> None:
    assert AccessTokens(PAIR, HOUR).log_in(name, password, 0) is None


def test_it_is_a_json_web_token() -> None:
    token = issued(AccessTokens(PAIR, HOUR), 7 * SECOND)
    parts = [urlsafe_b64decode(part + "==") for part in token.split(".")]
    assert json.loads(parts[0]) == {"alg": "HS256", "typ": "JWT"}
    assert json.loads(parts[1]) == {"sub": "backend", "iat": 7.0, "exp": 3607.0}
    assert len(parts[2]) == 32
    assert PAIR.password not in repr(PAIR)


@given(st.integers(0, 200), st.characters(codec="ascii", categories=["L", "N"]))
def test_for_all_places_a_changed_token_is_refused(at: int, other: str) -> None:
    token = issued(AccessTokens(PAIR, HOUR))
    at %= len(token)
    changed = token[:at] + other + token[at + 1 :]
    # The last sign of each part may stand for bits that decode to nothing: it is compared as text.
    assert AccessTokens(PAIR, HOUR).is_valid(changed, 1) == (changed == token)


@given(st.one_of(st.none(), st.text(), st.binary(), st.integers()))
def test_for_all_else_it_is_refused(anything: object) -> None:
    assert not AccessTokens(PAIR, HOUR).is_valid(anything, 0)


def test_a_token_without_a_signature_is_refused() -> None:
    head = urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').rstrip(b"=").decode()
    claims = issued(AccessTokens(PAIR, HOUR)).split(".")[1]
    for token in (f"{head}.{claims}.", f"{head}.{claims}", claims, ".."):
        assert not AccessTokens(PAIR, HOUR).is_valid(token, 0)


def test_what_is_remembered_is_bounded() -> None:
    tokens = AccessTokens(PAIR, HOUR)
    for number in range(1000):
        assert tokens.is_valid(issued(tokens, number * SECOND), number * SECOND)
        assert not tokens.is_valid(f"x.y.{number}", 0)
    assert len(tokens._verified) <= 256
