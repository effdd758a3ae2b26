"""Determinism: the same order of events in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

PROGRAM = '''
"""Do what goes through sets and addresses in asyncio, and print the order of what happened."""
import asyncio, random, sys

waste = [object() for _ in range(int(sys.argv[1]))]
waste += [bytearray(index % 977) for index in range(int(sys.argv[1]))]
del waste[::3]

import windtunnel_models

log = []

async def job(name, delay):
    try:
        log.append((name, "starts", asyncio.get_running_loop().time_ns()))
        await asyncio.sleep(delay)
        log.append((name, "ends"))
        if name == "g13":
            raise KeyError(name)
        return name
    except asyncio.CancelledError:
        log.append((name, "cancelled"))
        raise

async def main():
    rng = random.Random(0)
    delays = [rng.choice([0, 0.1, 0.1, 0.2, 0.3]) for _ in range(60)]
    for done in asyncio.as_completed([job(f"c{i}", d) for i, d in enumerate(delays)]):
        log.append(await done)
    tasks = [asyncio.create_task(job(f"w{i}", d)) for i, d in enumerate(delays)]
    while tasks:
        done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        log.append([task.result() for task in done])
        log.append([task.get_name() for task in tasks])
    try:
        async with asyncio.TaskGroup() as group:
            for i, d in enumerate(delays):
                group.create_task(job(f"g{i}", 0.1 if i == 13 else 5))
    except* KeyError:
        log.append("group over")
    left = [asyncio.create_task(job(f"l{i}", 9)) for i in range(60)]
    await asyncio.sleep(1)
    log.append([task.get_name() for task in asyncio.all_tasks()])

windtunnel_models.run(main())
import hashlib
print(len(log), hashlib.sha256(repr(log).encode()).hexdigest())
'''


def order_in_a_process(hash_seed: str, waste: int) -> str:
    paths = [str(ROOT / name) for name in ("harness", "models")]
    environment = {
        **os.environ,
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join(paths),
    }
    command = [sys.executable, "-c", PROGRAM, str(waste)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize(("hash_seed", "waste"), [("1", 10_007), ("4242", 333)])
def test_hash_seed_and_earlier_allocations_change_nothing(hash_seed: str, waste: int) -> None:
    expected = order_in_a_process("0", 0)
    assert int(expected.split()[0]) > 500
    assert order_in_a_process(hash_seed, waste) == expected
