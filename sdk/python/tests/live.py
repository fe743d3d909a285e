"""Against a running installation, named by GPUAAS_BASE_URL, GPUAAS_TOKEN and GPUAAS_PROJECT. Run by name."""

from __future__ import annotations

import asyncio

import pytest

from gpuaas import AsyncGPUaaS, GPUaaS, errors


def test_who_and_what_there_is() -> None:
    with GPUaaS() as gpu:
        me = gpu.me.get()
        assert me["posix"]["username"]
        assert "h200-sxm-slice" in [item["sku"] for item in gpu.catalog.list(limit=2)]


def test_a_refusal_has_a_name_and_a_correlation_id() -> None:
    with GPUaaS() as gpu, pytest.raises(errors.AllocationNotFoundError) as caught:
        gpu.allocations.get("01a1dea2-0000-7000-8000-000000000000")
    assert caught.value.correlation_id


def test_launch_wait_and_release() -> None:
    phases: list[str] = []
    with GPUaaS() as gpu:
        with gpu.launch("h200-sxm-slice", count=1, name="by-python", max_duration="1h") as launched:
            active = launched.wait_until(timeout=120, on_phase=lambda item: phases.append(item["name"]))
            assert active["receipt"] is not None and active["receipt"]["passed"]
            command = launched.ssh_command
            assert command is not None and command.startswith("ssh ")
            kept = launched
        assert "activate" in phases
        assert kept.wait_until("released", timeout=120)["state"] == "released"


def test_the_same_to_await() -> None:
    async def run() -> str:
        async with AsyncGPUaaS() as gpu:
            async with await gpu.launch("h200-sxm-slice", count=1, name="awaited", max_duration="1h") as launched:
                await launched.wait_until(timeout=120)
                kept = launched
            return (await kept.wait_until("released", timeout=120))["state"]

    assert asyncio.run(run()) == "released"
