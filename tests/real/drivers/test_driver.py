"""The face of a driver: each of them has it."""

from __future__ import annotations

from typing import get_args

import pytest

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.drivers.driver import DRIVERS, Driver, DriverName
from windtunnel_real.drivers.xdotool_pipe import pipe_driver
from windtunnel_real.drivers.xdotool_process import process_driver
from windtunnel_real.drivers.xtest import XTestDriver
from windtunnel_real.x11.connection import Connection

NOWHERE = DisplayAddress(":59999")
MADE: dict[DriverName, Driver] = {
    "xtest": XTestDriver(Connection.__new__(Connection)),
    "xdotool-pipe": pipe_driver(NOWHERE),
    "xdotool": process_driver(NOWHERE),
}


def test_every_name_stands_for_a_driver() -> None:
    assert tuple(MADE) == DRIVERS == get_args(DriverName)


@pytest.mark.parametrize("name", DRIVERS)
def test_each_has_the_face_and_its_own_name(name: DriverName) -> None:
    assert isinstance(MADE[name], Driver)
    assert MADE[name].name == name
