"""Refusals. Each code of the catalogue has an exception of its own, in ``gpuaas.errors``."""

from __future__ import annotations

import json
from typing import Any

import httpx


class GpuaasError(Exception):
    """A refusal. ``correlation_id`` finds the request in everybody's logs."""

    code: str = "unknown"
    status: int = 0
    retryable: bool = False

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        status: int | None = None,
        correlation_id: str | None = None,
        details: Any = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.correlation_id = correlation_id
        self.details = details
        if code is not None:
            self.code = code
        if status is not None:
            self.status = status


class GpuaasUnreachable(Exception):
    """Nobody answered: the address is wrong, the network is gone, or it took too long."""


def read_problem(response: httpx.Response) -> GpuaasError:
    """Reads a refusal. Whatever a proxy on the way says instead is shown as far as it helps."""
    from ._generated.errors import by_code

    correlation_id = response.headers.get("x-request-id")
    try:
        body = json.loads(response.text)
    except ValueError:
        body = None
    if isinstance(body, dict) and isinstance(body.get("code"), str) and isinstance(body.get("message"), str):
        kind = by_code.get(body["code"], GpuaasError)
        problem = kind(
            body["message"],
            code=body["code"],
            status=response.status_code,
            correlation_id=body.get("correlation_id") or correlation_id,
            details=body.get("details"),
        )
        if kind is GpuaasError:
            problem.retryable = response.status_code >= 500
        return problem
    # The code is the SDK's own: a proxy answered, so the catalogue has no entry for it.
    foreign = GpuaasError(
        f"The answer was {response.status_code} and no problem of ours: {response.text[:200]}",
        code="upstream_error",
        status=response.status_code,
        correlation_id=correlation_id,
    )
    foreign.retryable = response.status_code >= 500
    return foreign
