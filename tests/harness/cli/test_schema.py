"""`windtunnel schema`."""

from __future__ import annotations

import json
from collections.abc import Callable

from click.testing import Result

from windtunnel.scenario.schema import json_schema


def test_it_prints_the_schema(call: Callable[..., Result]) -> None:
    printed = json.loads(call("schema").stdout)
    assert printed == json.loads(json.dumps(json_schema()))
    assert "$schema" in printed
