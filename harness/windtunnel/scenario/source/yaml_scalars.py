"""Plain scalars of YAML 1.2's core schema: what an unquoted word in a scenario file means.

`no`, `on` and `1:30` are texts and `010` is ten, unlike in YAML 1.1. Imports nothing of
the project.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

Scalar = str | int | float | bool | None

MAX_DIGITS: Final = 40
"""Longest number: beyond it nobody means a number, and conversion is no longer cheap."""

WORDS: Final = MappingProxyType(
    dict.fromkeys(("", "~", "null", "Null", "NULL"))
    | dict.fromkeys(("true", "True", "TRUE"), True)
    | dict.fromkeys(("false", "False", "FALSE"), False)
    | {sign + word: float("inf") for sign in ("", "+") for word in (".inf", ".Inf", ".INF")}
    | {"-" + word: float("-inf") for word in (".inf", ".Inf", ".INF")}
    | {word: float("nan") for word in (".nan", ".NaN", ".NAN")}
)

_FIRST: Final = frozenset("0123456789+-.")
_INT = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def resolve(text: str) -> Scalar:
    """Return the value of a plain scalar.

    Raises `ValueError` for a number of more than `MAX_DIGITS` characters.
    """
    if text in WORDS:
        return WORDS[text]
    if text[0] not in _FIRST:
        return text
    return _number(text)


def written(value: Scalar) -> str:
    """Return a scalar as a text: null, true and false as a file has them, a text as it is."""
    words = {None: "null", True: "true", False: "false"}
    return words[value] if value is None or isinstance(value, bool) else str(value)


def _number(text: str) -> Scalar:
    if len(text) > MAX_DIGITS:
        if _FLOAT.fullmatch(text) or _HEX.fullmatch(text) or _OCTAL.fullmatch(text):
            raise ValueError(
                f"a number of {len(text)} characters is too long; quote it if it is a text"
            )
        return text
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _OCTAL.fullmatch(text):
        return int(text, 0)
    if _HEX.fullmatch(text):
        return int(text, 0)
    return text
