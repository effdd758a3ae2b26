"""CPython's own tests of asyncio, on the simulated loop: a citizen is who passes them.

Each module runs in a process of its own, with our loop in the place of every new event loop.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = (
    *("test_locks", "test_queues", "test_taskgroups", "test_timeouts", "test_waitfor"),
    *("test_futures", "test_futures2", "test_tasks", "test_eager_task_factory"),
    *("test_context", "test_pep492"),
)
# Threads call in: refused on purpose, as virtual time cannot wait for them.
FROM_THREADS = "RunCoroutineThreadsafeTests"

PROGRAM = """
import asyncio, asyncio.events, importlib, json, sys, unittest, warnings
from windtunnel_models import SimLoop

class Policy(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self):
        return SimLoop()

set_policy = asyncio.set_event_loop_policy
set_policy(Policy())
asyncio.set_event_loop_policy = lambda policy: set_policy(Policy() if policy is None else policy)
module = importlib.import_module(f"test.test_asyncio.{sys.argv[1]}")
module.__dict__.pop("tearDownModule", None)  # it would put the ordinary policy back
asyncio.new_event_loop = asyncio.events.new_event_loop = SimLoop
SimLoop._default_executor = None  # a test looks whether it is there
suite = unittest.defaultTestLoader.loadTestsFromModule(module)
result = unittest.TextTestRunner(verbosity=0).run(suite)
bad = [test.id() for test, _ in result.failures + result.errors]
print(json.dumps({"run": result.testsRun, "bad": bad}))
"""


def has_suite() -> bool:
    try:
        return importlib.util.find_spec("test.test_asyncio") is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.skipif(not has_suite(), reason="this Python comes without CPython's own tests")
@pytest.mark.parametrize("module", MODULES)
def test_the_simulated_loop_passes(module: str) -> None:
    if importlib.util.find_spec(f"test.test_asyncio.{module}") is None:
        pytest.skip(f"{module} came with a later Python")
    path = os.pathsep.join(str(ROOT / name) for name in ("harness", "models"))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, module],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["run"] > 0
    assert [test for test in found["bad"] if FROM_THREADS not in test] == [], done.stderr[-6000:]
