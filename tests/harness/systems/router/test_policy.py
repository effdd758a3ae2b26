"""The policy: a scenario writes exactly the options that there are."""

from __future__ import annotations

import pickle
from dataclasses import asdict, fields

import pytest
from pydantic import ValidationError

from windtunnel.policies.router.router_options import LISTED, RouterOptions
from windtunnel.systems.router.policy import POLICIES, Policy, options_of


def test_it_has_every_option_with_its_default() -> None:
    assert Policy().model_dump() == asdict(RouterOptions())
    assert set(Policy.model_fields) == {field.name for field in fields(RouterOptions)}


@pytest.mark.parametrize("name", POLICIES)
def test_every_set_is_a_policy(name: str) -> None:
    assert options_of(Policy(**POLICIES[name])) == RouterOptions(**POLICIES[name])


def test_the_listed_set_differs_in_every_option_that_it_names() -> None:
    assert POLICIES["listed"] == LISTED
    plain = asdict(RouterOptions())
    assert [name for name, value in LISTED.items() if plain[name] == value] == []


@pytest.mark.parametrize(
    "said", [{"choice": "chance"}, {"submissions": 0}, {"colour": "red"}, {"reserve": "maybe"}]
)
def test_what_is_no_option_is_refused(said: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Policy.model_validate(said)


def test_a_policy_goes_to_another_process() -> None:
    policy = Policy.model_validate({"submissions": 2})
    assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301 - our own
