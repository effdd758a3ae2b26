"""Parcels: an event of the loop's heap that arrives once; a copy arrives beside it."""

from __future__ import annotations

from windtunnel_models.cluster.parcels import Parcel
from windtunnel_models.loop.sim_loop import SimLoop


def test_a_parcel_and_its_copy_arrive_each_at_its_instant() -> None:
    loop = SimLoop()
    came: list[tuple[int, object, str]] = []

    def arrive(parcel: Parcel) -> None:
        came.append((loop.env.now, parcel.content, parcel.target))

    parcel = Parcel("a", "b", arrive, "content", on_channel=True)
    copy = parcel.copy()
    assert copy.on_channel
    loop.env.schedule(parcel, delay=5)  # type: ignore[arg-type]
    loop.env.schedule(copy, delay=3)  # type: ignore[arg-type]
    loop.run_forever()
    assert came == [(3, "content", "b"), (5, "content", "b")]
    loop.close()
