"""What is sent, and when it is sent again. Nothing here waits: the transports do."""

from __future__ import annotations

import json
import random
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from io import SEEK_END, BytesIO
from typing import Any, BinaryIO
from urllib.parse import quote, urlencode

import httpx

from ._operation import UNSET, Operation, Options
from ._problem import GpuaasError, GpuaasUnreachable

_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 10.0
_LONGEST_RETRY_AFTER = 60.0
_SILENCE = 20.0
"""A stream says every few seconds that it is still there; one that was silent for so long is not."""
_UPLOAD_TIMEOUT = 600.0
"""A file takes as long as its line needs."""
_CHUNK = 64 * 1024
_PASSING = frozenset({408, 429, 500, 502, 503, 504})
"""Answers after which the same call may be sent again: nothing happened, or it happens once by its key."""


class File:
    """A file that is sent as it is read, and read again from where it stood when a call is tried again."""

    def __init__(self, source: bytes | BinaryIO) -> None:
        self._source: BinaryIO = BytesIO(source) if isinstance(source, bytes) else source
        self._start = self._source.tell()
        self.size = self._source.seek(0, SEEK_END) - self._start

    def chunks(self) -> Iterator[bytes]:
        self._source.seek(self._start)
        while chunk := self._source.read(_CHUNK):
            yield chunk


class Core:
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
        content: bytes | File | None = json.dumps(rest).encode() if has_body and operation.upload is None else None
        if has_body:
            headers["content-type"] = "application/json"
        if operation.upload is not None:
            content = File(rest.pop(operation.upload))
            headers.update({"content-type": "application/octet-stream", "content-length": str(content.size)})
        usual = self.timeout if operation.upload is None else _UPLOAD_TIMEOUT
        return {
            "method": operation.method,
            "url": f"{self.base_url}{path}{'?' + urlencode(query) if query else ''}",
            "headers": headers,
            "content": content,
            "timeout": httpx.Timeout(self.timeout, read=_SILENCE) if operation.stream else options.timeout or usual,
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


def read_answer(operation: Operation, response: httpx.Response) -> Any:
    return response.text if operation.text or response.text == "" else response.json()
