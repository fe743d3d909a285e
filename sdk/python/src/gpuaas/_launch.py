"""What ``launch`` hands out: an allocation to wait for, to look at and to give back."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal

from ._generated.errors import AllocationAlreadyReleasingError
from ._generated.models import AllocationDetail, CatalogItem, TimelineItem

if TYPE_CHECKING:
    from ._client import GPUaaS
    from ._async_client import AsyncGPUaaS

State = Literal["requested", "provisioning", "active", "releasing", "released", "failed", "release_failed"]
OnPhase = Callable[[TimelineItem], None]

_ENDS: Final = ("released", "failed", "release_failed")
_LOOK_AGAIN: Final = 1.0
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


class Launched:
    """Released when its block ends, also by an exception."""

    def __init__(self, client: GPUaaS, allocation_id: str) -> None:
        self._client = client
        self.id = allocation_id

    def get(self) -> AllocationDetail:
        return self._client.allocations.get(self.id)

    @property
    def ssh_command(self) -> str | None:
        return ssh_command_of(self.get()["access"])

    def wait(self, state: State = "active", *, timeout: float = 900, on_phase: OnPhase | None = None) -> AllocationDetail:
        deadline = time.monotonic() + timeout
        seen: set[str] = set()
        while True:
            allocation = self.get()
            if on_phase is not None:
                for item in fresh_items(list(self._client.allocations.timeline(self.id, limit=200)), seen):
                    on_phase(item)
            if is_there(allocation, state):
                return allocation
            if time.monotonic() >= deadline:
                raise TimeoutError(f"{self.id} is {allocation['state']}, not {state} yet; it goes on without us")
            self._client.transport.sleep(_LOOK_AGAIN)

    def release(self) -> None:
        try:
            self._client.allocations.release(self.id)
        except AllocationAlreadyReleasingError:
            pass

    def __enter__(self) -> Launched:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class AsyncLaunched:
    """As ``Launched``, to await."""

    def __init__(self, client: AsyncGPUaaS, allocation_id: str) -> None:
        self._client = client
        self.id = allocation_id

    async def get(self) -> AllocationDetail:
        return await self._client.allocations.get(self.id)

    async def ssh_command(self) -> str | None:
        return ssh_command_of((await self.get())["access"])

    async def wait(
        self, state: State = "active", *, timeout: float = 900, on_phase: OnPhase | None = None
    ) -> AllocationDetail:
        deadline = time.monotonic() + timeout
        seen: set[str] = set()
        while True:
            allocation = await self.get()
            if on_phase is not None:
                items = [item async for item in self._client.allocations.timeline(self.id, limit=200)]
                for item in fresh_items(items, seen):
                    on_phase(item)
            if is_there(allocation, state):
                return allocation
            if time.monotonic() >= deadline:
                raise TimeoutError(f"{self.id} is {allocation['state']}, not {state} yet; it goes on without us")
            await self._client.transport.sleep(_LOOK_AGAIN)

    async def release(self) -> None:
        try:
            await self._client.allocations.release(self.id)
        except AllocationAlreadyReleasingError:
            pass

    async def __aenter__(self) -> AsyncLaunched:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.release()
