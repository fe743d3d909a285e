"""How an operation travels, and what one call may choose for itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal


class Unset(Enum):
    """Nothing was said, which is something else than saying None."""

    token = 0


UNSET: Final[Literal[Unset.token]] = Unset.token


@dataclass(frozen=True)
class Operation:
    method: str
    path: str
    query: tuple[str, ...] = ()
    keyed: bool = False
    """It takes an Idempotency-Key: a repeated call has one effect."""
    in_project: bool = False
    body: bool = False
    """It is a removal that takes a body."""
    upload: str | None = None
    """Its body is a file: the input of this name, sent as it is read."""
    paged: bool = False
    stream: bool = False
    text: bool = False


@dataclass(frozen=True)
class Options:
    project: str | None = None
    """Instead of the client's project."""
    idempotency_key: str | None = None
    """Makes this very call the same as an earlier one."""
    timeout: float | None = None
    """The most seconds that one try may take."""
    request_id: str | None = None
    """Seen in logs and traces on the other side."""


@dataclass(frozen=True)
class StreamedEvent:
    id: str
    """Where to go on from."""
    type: str
    data: Mapping[str, Any]
