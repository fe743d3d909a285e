"""What is asked for, what is waited for and how to get in, whoever waits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from ._generated.models import AllocationDetail, CatalogItem, TimelineItem

State = Literal["requested", "provisioning", "active", "releasing", "released", "failed", "release_failed"]
OnPhase = Callable[[TimelineItem], None]

_ENDS: Final = ("released", "failed", "release_failed")
_UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


class AllocationEnded(Exception):
    """It is where nothing moves on from, and not where it should be."""

    def __init__(self, allocation: AllocationDetail, wanted: str) -> None:
        failure = allocation["failure"]
        why = f": {failure['reason']} ({failure['code']})" if failure else ""
        super().__init__(f"{allocation['id']} is {allocation['state']} and will not be {wanted}{why}")
        self.allocation = allocation


def seconds_of(text: str) -> int:
    """``90s``, ``30m``, ``1h30m``, ``2d`` in seconds."""
    if not re.fullmatch(r"(?:\d+[smhd])+", text):
        raise ValueError(f"{text!r} is no length of time: write 90s, 30m, 3h or 2d")
    return sum(int(count) * _UNITS[unit] for count, unit in re.findall(r"(\d+)([smhd])", text))


def wish_of(
    item: CatalogItem,
    count: int | None,
    region: str | None,
    max_duration: str | None,
    idle_stop: str | None,
    queue: str | None,
    **plain: Any,
) -> dict[str, Any]:
    gpus = count if count is not None else item["allowed_gpu_counts"][0]
    wish: dict[str, Any] = {"sku": item["sku"], "gpus": gpus, "region": region or _region_for(item, gpus)}
    if max_duration is not None:
        wish["max_duration_seconds"] = seconds_of(max_duration)
    if idle_stop is not None:
        wish["idle"] = {"action": "release", "minutes": -(-seconds_of(idle_stop) // 60)}
    if queue is not None:
        wish["queue"] = {"max_wait_seconds": seconds_of(queue)}
    return {**wish, **{name: value for name, value in plain.items() if value is not None}}


def _region_for(item: CatalogItem, gpus: int) -> str:
    """Where most of it is free; where nothing is, the first place that has any of it."""
    suits = sorted(
        (each for each in item["availability"] if each["gpu_count"] == gpus),
        key=lambda each: (-each["available"], each["region"]),
    )
    for each in [*suits, *item["availability"]]:
        return each["region"]
    raise ValueError(f"no host offers {item['sku']} now: name a region")


def fresh_items(items: Sequence[TimelineItem], seen: set[str]) -> list[TimelineItem]:
    fresh = [item for item in items if item["id"] not in seen]
    seen.update(item["id"] for item in fresh)
    return sorted(fresh, key=lambda item: (item["at"], item["id"]))


def is_there(allocation: AllocationDetail, wanted: State) -> bool:
    if allocation["state"] == wanted:
        return True
    if allocation["state"] in _ENDS:
        raise AllocationEnded(allocation, wanted)
    return False


def ssh_command_of(access: Mapping[str, Any] | None) -> str | None:
    if not access or "address" not in access:
        return None
    port = "" if access.get("port") in (None, 22) else f" -p {access['port']}"
    return f"ssh{port} {access.get('username', '')}@{access['address']}"
