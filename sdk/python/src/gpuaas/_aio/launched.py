"""What ``launch`` hands out: an allocation to wait for, to look at and to give back."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from types import TracebackType
from typing import TYPE_CHECKING, Final

import httpx

from .._generated.errors import AllocationAlreadyReleasingError
from .._generated.models import AllocationDetail
from .._launch import OnPhase, State, fresh_items, is_there, ssh_command_of
from .._problem import GpuaasError, GpuaasUnreachable
from .._stream import Frames

if TYPE_CHECKING:
    from .client import AsyncGPUaaS

_PHASE: Final = "provisioning.phase"
"""One of ten on the way to a state: news only to those who follow them."""
_LOOK_AGAIN: Final = 1.0
"""How often it is looked at where no events are heard."""
_STILL_HERE: Final = 5.0
"""How often a stream on which nothing happens says that it is still there."""


class AsyncLaunched:
    """Released when its block ends, also by an exception."""

    def __init__(self, client: AsyncGPUaaS, allocation_id: str) -> None:
        self._client = client
        self.id = allocation_id
        self.seen: AllocationDetail | None = None
        """How it was when somebody last looked."""

    async def get(self) -> AllocationDetail:
        self.seen = await self._client.allocations.get(self.id)
        return self.seen

    @property
    def ssh_command(self) -> str | None:
        """How to get in, once it was seen active."""
        return ssh_command_of(self.seen["access"]) if self.seen else None

    async def wait_until(
        self, state: State = "active", *, timeout: float = 900, on_phase: OnPhase | None = None
    ) -> AllocationDetail:
        """Until it is there; each new line of its timeline is handed to ``on_phase`` once, in its order."""
        deadline = time.monotonic() + timeout
        known: set[str] = set()
        async with aclosing(self._wake_ups(deadline, skip=None if on_phase else _PHASE)) as wake_ups:
            async for _ in wake_ups:
                allocation = await self.get()
                if on_phase is not None:
                    items = [item async for item in self._client.allocations.timeline(self.id, limit=200)]
                    for item in fresh_items(items, known):
                        on_phase(item)
                if is_there(allocation, state):
                    return allocation
        last = self.seen["state"] if self.seen else "unknown"
        raise TimeoutError(f"{self.id} is {last}, not {state} yet; it goes on without us")

    async def _wake_ups(self, deadline: float, skip: str | None) -> AsyncGenerator[None]:
        """At once, whenever something happens to it, and now and then in case that was not heard; until time is up."""
        transport = self._client.transport
        frames = Frames({"about": self.id})
        hears = True
        yield
        while (left := deadline - time.monotonic()) > 0:
            # The last seconds are waited out by the clock: a stream on which nothing happens would be late.
            if hears and left > _STILL_HERE:
                try:
                    async with aclosing(transport.hear("event_stream", frames)) as pieces:
                        async for events in pieces:
                            if not events or any(event.type != skip for event in events):
                                yield
                            if deadline - time.monotonic() <= _STILL_HERE:
                                break
                except GpuaasError:
                    hears = False
                except (httpx.HTTPError, GpuaasUnreachable):
                    frames.broken()
            await transport.sleep(min(_LOOK_AGAIN, left))
            yield

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
