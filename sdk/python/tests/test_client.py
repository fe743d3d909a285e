from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from gpuaas import AllocationEnded, GPUaaS, GpuaasError, GpuaasUnreachable, errors
from gpuaas._generated.errors import by_code
from gpuaas._generated.operations import operations, places
from gpuaas._launch import seconds_of, ssh_command_of


def client(answer: Callable[[httpx.Request], httpx.Response], **more: Any) -> GPUaaS:
    http = httpx.Client(transport=httpx.MockTransport(answer))
    return GPUaaS("http://gpuaas.test", "t", "p", http=http, sleep=lambda _: None, **more)


def test_every_operation_has_a_method() -> None:
    gpu = client(lambda _: httpx.Response(200))
    assert operations.keys() == places.keys()
    for space, method in places.values():
        assert inspect.ismethod(getattr(getattr(gpu, space), method))


def test_every_code_has_an_exception_of_its_own() -> None:
    assert len(set(by_code.values())) == len(by_code)
    for code, kind in by_code.items():
        assert issubclass(kind, GpuaasError)
        assert kind.code == code


def test_a_refusal_can_be_caught_by_its_name() -> None:
    body = {"code": "allocation_not_found", "message": "There is none.", "correlation_id": "c-1"}
    gpu = client(lambda _: httpx.Response(404, json=body))
    with pytest.raises(errors.AllocationNotFoundError) as caught:
        gpu.allocations.get("a")
    assert caught.value.correlation_id == "c-1"


def test_nobody_answers_and_it_tried_again() -> None:
    tries = []

    def fail(request: httpx.Request) -> httpx.Response:
        tries.append(request)
        raise httpx.ConnectError("refused")

    with pytest.raises(GpuaasUnreachable, match="http://gpuaas.test does not answer"):
        client(fail).me.get()
    assert len(tries) == 4


def test_a_path_with_a_hole_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(ValueError, match="project_id is missing"):
        client(lambda _: pytest.fail("sent")).projects.get("")


ITEM = {
    "sku": "h200",
    "allowed_gpu_counts": [1, 2],
    "availability": [
        {"region": "a", "gpu_count": 1, "available": 1},
        {"region": "b", "gpu_count": 1, "available": 5},
    ],
}


class Installation:
    def __init__(self, *states: str, pieces: list[str] | None = None) -> None:
        self.states = list(states)
        self.pieces = pieces
        self.asked: list[str] = []
        self.wish: Any = None

    def answer(self, request: httpx.Request) -> httpx.Response:
        asked = f"{request.method} {request.url.path}"
        self.asked.append(asked)
        if asked == "GET /api/v1/catalog/h200":
            return httpx.Response(200, json=ITEM)
        if asked == "POST /api/v1/allocations":
            self.wish = json.loads(request.content)
            return httpx.Response(201, json={"id": "a1"})
        if asked == "GET /api/v1/allocations/a1":
            state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
            failure = {"code": "gpu_unhealthy", "reason": "bad luck"} if state == "failed" else None
            return httpx.Response(200, json={"id": "a1", "state": state, "failure": failure, "access": None})
        if asked == "GET /api/v1/allocations/a1/timeline":
            item = {"id": "t1", "at": "2026", "name": "lease"}
            return httpx.Response(200, json={"data": [item], "has_more": False, "next_cursor": None})
        if asked == "GET /api/v1/events/stream":
            assert request.url.params["about"] == "a1"
            if self.pieces is None:
                return httpx.Response(403, json={"code": "scope_missing", "message": "No.", "correlation_id": "c"})
            return httpx.Response(200, content=(piece.encode() for piece in self.pieces))
        assert asked == "POST /api/v1/allocations/a1/release"
        return httpx.Response(200, json={"id": "a1"})


def test_what_was_launched_is_released_at_the_end_of_its_block() -> None:
    there = Installation("provisioning", "provisioning", "active")
    phases: list[str] = []
    with client(there.answer) as gpu, gpu.launch("h200", idle_stop="90s", max_duration="1h30m") as launched:
        done = launched.wait_until(on_phase=lambda item: phases.append(item["name"]))
    assert done["state"] == "active"
    assert phases == ["lease"]
    assert there.wish == {
        "sku": "h200",
        "gpus": 1,
        "region": "b",
        "max_duration_seconds": 5400,
        "idle": {"action": "release", "minutes": 2},
    }
    assert there.asked[-1] == "POST /api/v1/allocations/a1/release"


READY = "id: 1\nevent: ready\ndata: {}\n\n"
MOVED = "id: 2\nevent: provisioning.phase\ndata: {}\n\n"


def waiting(there: Installation) -> tuple[GPUaaS, list[float]]:
    slept: list[float] = []
    gpu = client(there.answer)
    gpu.transport.sleep = slept.append
    return gpu, slept


def test_whoever_waits_is_woken_by_what_happens_and_by_the_word_that_nothing_does() -> None:
    there = Installation("requested", "provisioning", "provisioning", "active", pieces=[READY, MOVED, ": still here\n\n"])
    gpu, slept = waiting(there)
    assert gpu.launch("h200").wait_until(on_phase=lambda _: None)["state"] == "active"
    assert slept == []
    assert there.asked.count("GET /api/v1/events/stream") == 1


def test_phases_wake_nobody_who_does_not_follow_them() -> None:
    there = Installation("requested", "provisioning", "active", pieces=[READY, MOVED, MOVED, ": still here\n\n"])
    gpu, _ = waiting(there)
    assert gpu.launch("h200").wait_until()["state"] == "active"
    assert there.asked.count("GET /api/v1/allocations/a1") == 3


def test_whoever_may_not_hear_looks_once_a_second() -> None:
    there = Installation("requested", "provisioning", "active")
    gpu, slept = waiting(there)
    assert gpu.launch("h200").wait_until()["state"] == "active"
    assert slept == [1.0, 1.0]
    assert there.asked.count("GET /api/v1/events/stream") == 1


def test_the_last_seconds_are_waited_out_by_the_clock() -> None:
    there = Installation("provisioning", "active", pieces=[READY])
    gpu, slept = waiting(there)
    assert gpu.launch("h200").wait_until(timeout=4)["state"] == "active"
    assert slept == [1.0]
    assert "GET /api/v1/events/stream" not in there.asked


def test_a_stream_that_ended_is_opened_again() -> None:
    there = Installation("requested", "provisioning", "provisioning", "provisioning", "active", pieces=[READY])
    gpu, slept = waiting(there)
    assert gpu.launch("h200").wait_until()["state"] == "active"
    assert slept == [1.0, 1.0]
    assert there.asked.count("GET /api/v1/events/stream") == 2


def test_an_exception_releases_it_too() -> None:
    there = Installation("active")
    with pytest.raises(RuntimeError, match="mine"), client(there.answer).launch("h200"):
        raise RuntimeError("mine")
    assert there.asked[-1] == "POST /api/v1/allocations/a1/release"


def test_what_failed_says_why() -> None:
    there = Installation("provisioning", "failed")
    with pytest.raises(AllocationEnded, match=r"bad luck \(gpu_unhealthy\)"):
        client(there.answer).launch("h200").wait_until()


def test_patience_ends_and_nothing_else() -> None:
    there = Installation("provisioning")
    with pytest.raises(TimeoutError, match="goes on without us"):
        client(there.answer).launch("h200").wait_until(timeout=0)


def test_lengths_of_time() -> None:
    assert seconds_of("1h30m") == 5400
    with pytest.raises(ValueError, match="no length of time"):
        seconds_of("soon")


def test_the_way_in() -> None:
    assert ssh_command_of({"address": "10.0.0.1", "port": 22, "username": "u"}) == "ssh u@10.0.0.1"
    assert ssh_command_of({"address": "10.0.0.1", "port": 2222, "username": "u"}) == "ssh -p 2222 u@10.0.0.1"
    assert ssh_command_of(None) is None
