"""A client of one installation."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import httpx

from .._generated.async_api import AsyncApi
from .._launch import wish_of
from .._operation import Options
from .launched import AsyncLaunched
from .transport import AsyncTransport


class AsyncGPUaaS(AsyncApi):
    """Every operation is a method. Address, token and project come from ``GPUAAS_…`` where they are not given."""

    def __init__(
        self,
        base_url: str | None = None,
        token: str | Callable[[], str] | None = None,
        project: str | None = None,
        *,
        http: httpx.AsyncClient | None = None,
        **more: Any,
    ) -> None:
        self.transport = AsyncTransport(
            base_url or os.environ.get("GPUAAS_BASE_URL") or "http://127.0.0.1:8443",
            token or os.environ.get("GPUAAS_TOKEN"),
            http or httpx.AsyncClient(),
            project=project or os.environ.get("GPUAAS_PROJECT"),
            **more,
        )
        super().__init__(self.transport)

    async def launch(
        self,
        sku: str,
        *,
        count: int | None = None,
        region: str | None = None,
        name: str | None = None,
        image: str | None = None,
        ssh_key_ids: Sequence[str] | None = None,
        tags: Mapping[str, str] | None = None,
        max_duration: str | None = None,
        idle_stop: str | None = None,
        queue: str | None = None,
        options: Options | None = None,
    ) -> AsyncLaunched:
        """Starts GPUs. In a block of its own they are released at its end, whatever happens in it."""
        wish = wish_of(
            await self.catalog.get(sku),
            count,
            region,
            max_duration,
            idle_stop,
            queue,
            name=name,
            image=image,
            ssh_key_ids=ssh_key_ids,
            tags=tags,
        )
        allocation = await self.allocations.create(**wish, options=options)
        return AsyncLaunched(self, allocation["id"])

    async def aclose(self) -> None:
        await self.transport.client.aclose()

    async def __aenter__(self) -> AsyncGPUaaS:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
