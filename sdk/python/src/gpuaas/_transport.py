"""Sends requests and tries again where that is safe. One call keeps its Idempotency-Key through all of its tries.

What is sent and when it is sent again is decided once, in ``_Core``; the two transports differ only in how they wait.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote, urlencode

import httpx

from ._generated.operations import operations
from ._operation import UNSET, Operation, Options, StreamedEvent
from ._problem import GpuaasError, GpuaasUnreachable, read_problem
from ._stream import Frames

_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 10.0
_LONGEST_RETRY_AFTER = 60.0
_AGAIN = 1.0
"""A stream that ended is opened again after this long, from the last event that was seen."""
_PASSING = frozenset({408, 429, 500, 502, 503, 504})
"""Answers after which the same call may be sent again: nothing happened, or it happens once by its key."""


class _Core:
    def __init__(
        self,
        base_url: str,
        *,
        project: str | None = None,
        attempts: int = 4,
        timeout: float = 30.0,
        user_agent: str = "gpuaas-python",
        new_key: Callable[[], str] | None = None,
        chance: Callable[[], float] | None = None,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.project = project
        self.attempts = attempts
        self.timeout = timeout
        self.user_agent = user_agent
        self.new_key = new_key or (lambda: str(uuid.uuid4()))
        self.chance = chance or random.random

    def build(self, operation: Operation, given: Mapping[str, Any], options: Options) -> dict[str, Any]:
        rest = {name: value for name, value in given.items() if value is not UNSET}

        def fill(match: re.Match[str]) -> str:
            value = rest.pop(match.group(1), None)
            if value is None or value == "":
                raise ValueError(f"{match.group(1)} is missing")
            return quote(str(value), safe="")

        path = re.sub(r"\{([a-z_]+)\}", fill, operation.path)
        query = [(name, _text(rest.pop(name))) for name in operation.query if name in rest]
        project = options.project or self.project
        is_bare = operation.method == "DELETE" and not operation.body and not rest
        has_body = operation.method != "GET" and not is_bare
        headers = {"accept": "*/*" if operation.text else "application/json", "user-agent": self.user_agent}
        if options.request_id is not None:
            headers["x-request-id"] = options.request_id
        if operation.in_project and project is not None:
            headers["x-project-id"] = project
        if operation.keyed:
            headers["idempotency-key"] = options.idempotency_key or self.new_key()
        if has_body:
            headers["content-type"] = "application/json"
        return {
            "method": operation.method,
            "url": f"{self.base_url}{path}{'?' + urlencode(query) if query else ''}",
            "headers": headers,
            "content": json.dumps(rest).encode() if has_body else None,
            "timeout": None if operation.stream else (options.timeout or self.timeout),
        }

    def pause_after(self, problem: Exception, retry_after: str | None, operation: Operation, attempt: int) -> float:
        """How long to wait before the next try; raises when there is none."""
        # Without a key only a look may be repeated: nobody knows what became of anything else.
        attempts = self.attempts if operation.method == "GET" or operation.keyed else 1
        passes = isinstance(problem, GpuaasUnreachable) or (
            isinstance(problem, GpuaasError)
            and (problem.status in _PASSING or problem.code == "idempotency_in_progress")
        )
        if not passes or attempt >= attempts:
            raise problem
        asked = _retry_after(retry_after)
        if asked is not None:
            return asked
        # Half of the pause is chance, so that many who were refused together do not come back together.
        return float(min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (attempt - 1)) * (0.5 + self.chance() / 2))

    def unreachable(self, error: Exception) -> GpuaasUnreachable:
        return GpuaasUnreachable(f"{self.base_url} does not answer. Is the address right? ({error})")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _retry_after(header: str | None) -> float | None:
    """Seconds, or a date; never longer than is sensible to hold a call for."""
    if header is None:
        return None
    try:
        if header.isdigit():
            seconds = float(header)
        else:
            seconds = (parsedate_to_datetime(header) - datetime.now(timezone.utc)).total_seconds()
    except (ValueError, TypeError):
        return None
    return min(_LONGEST_RETRY_AFTER, max(0.0, seconds))


def _read(operation: Operation, response: httpx.Response) -> Any:
    return response.text if operation.text or response.text == "" else response.json()


class Transport(_Core):
    def __init__(
        self,
        base_url: str,
        token: str | Callable[[], str] | None,
        client: httpx.Client,
        *,
        sleep: Callable[[float], None] = time.sleep,
        **core: Any,
    ) -> None:
        super().__init__(base_url, **core)
        self.token = token
        self.client = client
        self.sleep = sleep

    def _once(self, request: Mapping[str, Any], stream: bool) -> httpx.Response:
        token = self.token() if callable(self.token) else self.token
        headers = {**request["headers"], **({} if token is None else {"authorization": f"Bearer {token}"})}
        try:
            return self.client.send(self.client.build_request(**{**request, "headers": headers}), stream=stream)
        except httpx.HTTPError as error:
            raise self.unreachable(error) from error

    def deliver(self, name: str, given: Mapping[str, Any], options: Options | None) -> httpx.Response:
        operation = operations[name]
        request = self.build(operation, given, options or Options())
        attempt = 1
        while True:
            retry_after = None
            try:
                response = self._once(request, operation.stream)
                if response.is_success:
                    return response
                response.read()
                retry_after = response.headers.get("retry-after")
                raise read_problem(response)
            except (GpuaasError, GpuaasUnreachable) as problem:
                self.sleep(self.pause_after(problem, retry_after, operation, attempt))
            attempt += 1

    def call(self, name: str, given: Mapping[str, Any], options: Options | None) -> Any:
        return _read(operations[name], self.deliver(name, given, options))

    def stream(self, name: str, given: Mapping[str, Any], options: Options | None) -> Iterator[StreamedEvent]:
        """Server-Sent Events, resumed for as long as somebody reads. A refusal ends it; a broken connection does not."""
        frames = Frames(given)
        while True:
            try:
                response = self.deliver(name, frames.given(), options)
                try:
                    for chunk in response.iter_text():
                        yield from frames.read(chunk)
                finally:
                    response.close()
            except (httpx.HTTPError, GpuaasUnreachable):
                if frames.after is None:
                    raise
            if given.get("follow") is False:
                return
            frames.broken()
            self.sleep(_AGAIN)


class AsyncTransport(_Core):
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
        try:
            return await self.client.send(self.client.build_request(**{**request, "headers": headers}), stream=stream)
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
        return _read(operations[name], await self.deliver(name, given, options))

    async def stream(self, name: str, given: Mapping[str, Any], options: Options | None) -> AsyncIterator[StreamedEvent]:
        frames = Frames(given)
        while True:
            try:
                response = await self.deliver(name, frames.given(), options)
                try:
                    async for chunk in response.aiter_text():
                        for event in frames.read(chunk):
                            yield event
                finally:
                    await response.aclose()
            except (httpx.HTTPError, GpuaasUnreachable):
                if frames.after is None:
                    raise
            if given.get("follow") is False:
                return
            frames.broken()
            await self.sleep(_AGAIN)
