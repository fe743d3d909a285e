"""Sends requests and tries again where that is safe. One call keeps its Idempotency-Key through all of its tries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any

import httpx

from .._core import Core, File, read_answer
from .._generated.operations import operations
from .._operation import Options, StreamedEvent
from .._problem import GpuaasError, GpuaasUnreachable, read_problem
from .._stream import Frames

_AGAIN = 1.0
"""A stream that ended is opened again after this long, from the last event that was seen."""


class AsyncPieces:
    def __init__(self, file: File) -> None:
        self._file = file

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._file.chunks():
            yield chunk


class AsyncTransport(Core):
    def __init__(
        self,
        base_url: str,
        token: str | Callable[[], str] | None,
        client: httpx.AsyncClient,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        **core: Any,
    ) -> None:
        super().__init__(base_url, **core)
        self.token = token
        self.client = client
        self.sleep = sleep

    async def _once(self, request: Mapping[str, Any], stream: bool) -> httpx.Response:
        token = self.token() if callable(self.token) else self.token
        headers = {**request["headers"], **({} if token is None else {"authorization": f"Bearer {token}"})}
        content = request["content"]
        body = AsyncPieces(content) if isinstance(content, File) else content
        made = self.client.build_request(**{**request, "headers": headers, "content": body})
        try:
            return await self.client.send(made, stream=stream)
        except httpx.HTTPError as error:
            raise self.unreachable(error) from error

    async def deliver(self, name: str, given: Mapping[str, Any], options: Options | None) -> httpx.Response:
        operation = operations[name]
        request = self.build(operation, given, options or Options())
        attempt = 1
        while True:
            retry_after = None
            try:
                response = await self._once(request, operation.stream)
                if response.is_success:
                    return response
                await response.aread()
                retry_after = response.headers.get("retry-after")
                raise read_problem(response)
            except (GpuaasError, GpuaasUnreachable) as problem:
                await self.sleep(self.pause_after(problem, retry_after, operation, attempt))
            attempt += 1

    async def call(self, name: str, given: Mapping[str, Any], options: Options | None) -> Any:
        return read_answer(operations[name], await self.deliver(name, given, options))

    async def hear(
        self, name: str, frames: Frames, options: Options | None = None
    ) -> AsyncGenerator[list[StreamedEvent]]:
        """One connection, piece by piece. A piece without events only says that somebody is still there."""
        response = await self.deliver(name, frames.given(), options)
        try:
            async for chunk in response.aiter_text():
                yield list(frames.read(chunk))
        finally:
            await response.aclose()

    async def stream(self, name: str, given: Mapping[str, Any], options: Options | None) -> AsyncIterator[StreamedEvent]:
        """Server-Sent Events, resumed for as long as somebody reads. A refusal ends it; a broken connection does not."""
        frames = Frames(given)
        while True:
            try:
                async with aclosing(self.hear(name, frames, options)) as pieces:
                    async for events in pieces:
                        for event in events:
                            yield event
            except (httpx.HTTPError, GpuaasUnreachable):
                if frames.after is None:
                    raise
            if given.get("follow") is False:
                return
            frames.broken()
            await self.sleep(_AGAIN)
