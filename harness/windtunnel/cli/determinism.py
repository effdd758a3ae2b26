"""`--verify-determinism`: the same cells in fresh processes, and the first event that differs.

Each process has another hash seed and other objects in memory before anything is imported: what
depends on the order of a set or on an address shows. Starts Python; imports the trace sink.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Final

from windtunnel.checks.base import Verdict
from windtunnel.cli.sinks import TraceFile
from windtunnel.cli.texts import plural
from windtunnel.errors import WindtunnelError

HASH_SEEDS: Final = (1, 4242)
"""PYTHONHASHSEED of the two processes; the seed of what they allocate first, too."""
_START: Final = """
import random, sys
chance = random.Random(int(sys.argv[1]))
garbage = [bytearray(chance.randrange(16, 4096)) for _ in range(4000)]
garbage += [object() for _ in range(chance.randrange(50_000))]
del garbage[:: chance.randrange(2, 5)]
from windtunnel.cli import main
main(sys.argv[2:])
"""
_END: Final = "(the trace ends)"
UNREPEATABLE: Final = frozenset({"real"})
"""Worlds that never play a cell twice in the same way: the instants of their traces are real."""
Key = tuple[str, str]


class VerificationError(WindtunnelError):
    """A process for the comparison did not do its run."""


@dataclass(frozen=True, slots=True)
class Block:
    """One cell's part of a trace file."""

    key: Key
    """File and name of the cell."""
    digest: str
    verdict: str
    world: str
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first event at which two runs of a cell part."""

    name: str
    hash_seed: int
    number: int
    """The place of the event in the trace, from 0."""
    here: str
    there: str

    def lines(self) -> tuple[str, ...]:
        """Return what is printed of it."""
        return (
            f"  {self.name}: differs at event {self.number}",
            f"    this process:            {self.here}",
            f"    with PYTHONHASHSEED={self.hash_seed:<5}: {self.there}",
        )


@dataclass(frozen=True, slots=True)
class Verification:
    """What the comparison of all cells came to."""

    same: int
    differences: tuple[Difference, ...]
    incomparable: tuple[str, ...]
    """Cells without a trace, of the real world, or ended by a limit of wall time: `NAME: why`."""

    def lines(self) -> tuple[str, ...]:
        """Return what is printed of it."""
        runs = f"{len(HASH_SEEDS) + 1} processes"
        found = [f"determinism: {plural(self.same, 'cell')} equal in {runs}"]
        for difference in self.differences:
            found.extend(difference.lines())
        found.extend(f"  {told}" for told in self.incomparable)
        return tuple(found)


class Verifier:
    """Keeps the traces of this process's run, and compares them with those of fresh ones.

    `sink` takes this run's results. Call `close` at the end.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="windtunnel-")
        self._mine = Path(self._folder.name, "here.ndjson")
        self.sink = TraceFile(str(self._mine))

    def close(self) -> None:
        """Remove the traces."""
        self._folder.cleanup()

    def verify(self, arguments: Sequence[str] | None, jobs: int) -> Verification:
        """Run what the arguments of `windtunnel run` ask for in fresh processes.

        None: nothing can be compared, so nothing is run. The sink has been committed.

        Raises `VerificationError` when one of them cannot do its run.
        """
        seeds = HASH_SEEDS if arguments is not None else ()
        theirs = {seed: self._run(arguments or (), seed, jobs) for seed in seeds}
        blocks = {seed: {b.key: b for b in read_blocks(path)} for seed, path in theirs.items()}
        same = 0
        differences: list[Difference] = []
        incomparable: list[str] = []
        for block in read_blocks(self._mine):
            others = {seed: found.get(block.key) for seed, found in blocks.items()}
            if not _comparable([block, *others.values()]):
                incomparable.append(f"{block.key[1]}: {_why_not(block)}")
                continue
            parted = [
                first_difference(block, other, seed)
                for seed, other in others.items()
                if other is not None and other.digest != block.digest
            ]
            differences.extend(parted[:1])
            same += not parted
        return Verification(same, tuple(differences), tuple(incomparable))

    def _run(self, arguments: Sequence[str], hash_seed: int, jobs: int) -> Path:
        """Run in a fresh interpreter; return where its trace is."""
        trace = Path(self._folder.name, f"{hash_seed}.ndjson")
        path = os.pathsep.join(part or str(Path.cwd()) for part in sys.path)
        environment = os.environ | {"PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": path}
        whole = ["run", *arguments, "--jobs", str(jobs), "--trace", str(trace)]
        command = [sys.executable, "-c", _START, str(hash_seed), *whole]
        with subprocess.Popen(  # noqa: S603 - our own program with the arguments we were given
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as child:
            try:
                _, said = child.communicate()
            except BaseException:
                child.terminate()
                raise
        if not trace.exists():
            last = said.decode(errors="replace").strip().splitlines()[-1:] or ["nothing was said"]
            raise VerificationError(
                f"the run with PYTHONHASHSEED={hash_seed} ended with exit code "
                f"{child.returncode} and without a trace: {last[0]}"
            )
        return trace


def read_blocks(path: Path) -> Iterator[Block]:
    """Yield the cells of a trace file that `--trace` wrote."""
    header: dict[str, str] | None = None
    events: list[str] = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.startswith('{"cell":'):
                if header is not None:
                    yield _block(header, events)
                header, events = json.loads(line), []
            else:
                events.append(line.rstrip("\n"))
    if header is not None:
        yield _block(header, events)


def first_difference(here: Block, there: Block, hash_seed: int) -> Difference:
    """Return where two runs of a cell part."""
    pairs = zip_longest(here.events, there.events, fillvalue=_END)
    for number, (mine, other) in enumerate(pairs):
        if mine != other:
            return Difference(here.key[1], hash_seed, number, mine, other)
    return Difference(here.key[1], hash_seed, len(here.events), here.digest, there.digest)


def _block(header: dict[str, str], events: list[str]) -> Block:
    key = (header["file"], header["cell"])
    return Block(key, header["digest"], header["verdict"], header["world"], tuple(events))


def _comparable(blocks: Collection[Block | None]) -> bool:
    """Tell whether runs can be compared: a limit of real time ends them at no certain place."""
    found = [block for block in blocks if block is not None]
    digests = {block.digest for block in found}
    real = any(block.world in UNREPEATABLE for block in found)
    if len(found) < len(blocks) or "" in digests or real:
        return False
    return len(digests) == 1 or all(block.verdict != Verdict.UNKNOWN for block in found)


def _why_not(block: Block) -> str:
    real = (
        f" (the {block.world} world plays no cell twice in the same way; --world sim leaves it out)"
    )
    return f"not compared{real if block.world in UNREPEATABLE else ''}"
