"""The cases that all SDKs share: what goes over the wire, and what comes of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gpuaas import UNSET, AsyncGPUaaS, AsyncPages, GPUaaS, GpuaasError, Pages, StreamedEvent
from gpuaas._generated.operations import operations, places

VECTORS = Path(__file__).parents[2] / "vectors" / "calls.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text())["cases"]
STREAMS: list[dict[str, Any]] = json.loads((VECTORS.parent / "streams.json").read_text())["cases"]
BASE = "http://gpuaas.test"


class Wire:
    """Knows what comes and what it answers."""

    def __init__(self, exchange: list[dict[str, Any]]) -> None:
        self.script = list(exchange)
        self.sleeps: list[float] = []

    def answer(self, request: httpx.Request) -> httpx.Response:
        assert self.script, f"nobody expected {request.method} {request.url}"
        turn = self.script.pop(0)
        expected, answer = turn["expect"], turn["answer"]
        path = request.url.raw_path.decode()
        assert f"{request.method} {path}" == f"{expected['method']} {expected['path']}"
        for name, value in expected.get("headers", {}).items():
            assert request.headers.get(name) == value, name
        for name in expected.get("absent", []):
            assert name not in request.headers
        if "body" in expected:
            assert (json.loads(request.content) if request.content else None) == expected["body"]
        headers = answer.get("headers", {})
        if "text" in answer:
            return httpx.Response(answer["status"], headers=headers, text=answer["text"])
        return httpx.Response(answer["status"], headers=headers, json=answer.get("body"))

    def options(self) -> dict[str, Any]:
        return {"project": "the-project", "new_key": lambda: "key-1", "chance": lambda: 1.0}


def judge(case: dict[str, Any], wire: Wire, result: Any, error: GpuaasError | None) -> None:
    if "error" in case:
        assert error is not None
        for name, value in case["error"].items():
            assert getattr(error, name) == value, name
    else:
        assert error is None
        assert result == case["result"]
    assert wire.script == []
    if "sleeps" in case:
        assert [round(seconds * 1000) for seconds in wire.sleeps] == case["sleeps"]


def split(operation: str, given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """What stands in the path is given by its place, the rest by name."""
    path = operations[operation].path
    return (
        [value for name, value in given.items() if "{" + name + "}" in path],
        {name: value for name, value in given.items() if "{" + name + "}" not in path},
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_a_call(case: dict[str, Any]) -> None:
    wire = Wire(case["exchange"])
    http = httpx.Client(transport=httpx.MockTransport(wire.answer))
    gpu = GPUaaS(BASE, lambda: "the-token", http=http, sleep=wire.sleeps.append, **wire.options())
    space, method = places[case["call"]["operation"]]
    positional, named = split(case["call"]["operation"], case["call"]["input"])
    result, error = None, None
    try:
        result = getattr(getattr(gpu, space), method)(*positional, **named)
        if isinstance(result, Pages):
            result = list(result) if case["call"].get("all") else result.first()
    except GpuaasError as caught:
        error = caught
    judge(case, wire, result, error)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_a_call_that_is_awaited(case: dict[str, Any]) -> None:
    wire = Wire(case["exchange"])

    async def pause(seconds: float) -> None:
        wire.sleeps.append(seconds)

    async def run() -> Any:
        http = httpx.AsyncClient(transport=httpx.MockTransport(wire.answer))
        async with AsyncGPUaaS(BASE, lambda: "the-token", http=http, sleep=pause, **wire.options()) as gpu:
            space, method = places[case["call"]["operation"]]
            positional, named = split(case["call"]["operation"], case["call"]["input"])
            answer = getattr(getattr(gpu, space), method)(*positional, **named)
            if isinstance(answer, AsyncPages) and case["call"].get("all"):
                return [row async for row in answer]
            return await answer

    result, error = None, None
    try:
        result = asyncio.run(run())
    except GpuaasError as caught:
        error = caught
    judge(case, wire, result, error)


class Pieces(httpx.SyncByteStream, httpx.AsyncByteStream):
    """An answer that arrives bit by bit."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.pieces:
            yield piece.encode()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            yield piece.encode()


class Connections:
    """Knows where each of them goes on from."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.left = list(case["connections"])

    def answer(self, request: httpx.Request) -> httpx.Response:
        assert self.left, "nobody expected another connection"
        connection = self.left.pop(0)
        assert request.url.params.get("after") == connection["after"]
        return httpx.Response(200, stream=Pieces(connection["pieces"]))


def shown(event: StreamedEvent) -> dict[str, Any]:
    return {"id": event.id, "type": event.type, "data": event.data}


@pytest.mark.parametrize("case", STREAMS, ids=lambda case: str(case["name"]))
def test_a_stream(case: dict[str, Any]) -> None:
    connections, seen = Connections(case), []
    http = httpx.Client(transport=httpx.MockTransport(connections.answer))
    gpu = GPUaaS(BASE, "t", "p", http=http, sleep=lambda _: None)
    for event in gpu.events.stream(after=case.get("from", UNSET)):
        seen.append(shown(event))
        if len(seen) == len(case["events"]):
            break
    assert seen == case["events"]
    assert connections.left == []


@pytest.mark.parametrize("case", STREAMS, ids=lambda case: str(case["name"]))
def test_a_stream_that_is_awaited(case: dict[str, Any]) -> None:
    connections = Connections(case)

    async def pause(_: float) -> None:
        return None

    async def run() -> list[dict[str, Any]]:
        seen = []
        http = httpx.AsyncClient(transport=httpx.MockTransport(connections.answer))
        async with AsyncGPUaaS(BASE, "t", "p", http=http, sleep=pause) as gpu:
            async for event in gpu.events.stream(after=case.get("from", UNSET)):
                seen.append(shown(event))
                if len(seen) == len(case["events"]):
                    break
        return seen

    assert asyncio.run(run()) == case["events"]
    assert connections.left == []
