"""What ``launch`` hands out: an allocation to wait for, to look at and to give back."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Final

from .._generated.errors import AllocationAlreadyReleasingError
from .._generated.models import AllocationDetail
from .._launch import OnPhase, State, fresh_items, is_there, ssh_command_of

if TYPE_CHECKING:
    from .client import AsyncGPUaaS

_LOOK_AGAIN: Final = 1.0


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
        while True:
            allocation = await self.get()
            if on_phase is not None:
                items = [item async for item in self._client.allocations.timeline(self.id, limit=200)]
                for item in fresh_items(items, known):
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
