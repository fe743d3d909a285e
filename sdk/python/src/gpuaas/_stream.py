"""Server-Sent Events, put together from whatever pieces arrive."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ._operation import UNSET, StreamedEvent


class Frames:
    """Knows what was read last, so that a new connection goes on from there."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        after = given.get("after", UNSET)
        self.after: str | None = after if isinstance(after, str) else None
        self._rest = ""

    def given(self) -> dict[str, Any]:
        return {**self._given, **({} if self.after is None else {"after": self.after})}

    def broken(self) -> None:
        """Half of a frame is none: it comes again, whole."""
        self._rest = ""

    def read(self, chunk: str) -> Iterator[StreamedEvent]:
        *frames, self._rest = (self._rest + chunk).split("\n\n")
        for frame in frames:
            fields = {}
            for line in frame.split("\n"):
                name, _, value = line.partition(":")
                fields[name] = value.lstrip()
            if not {"id", "event", "data"} <= fields.keys():
                continue
            self.after = fields["id"]
            if fields["event"] != "ready":
                yield StreamedEvent(fields["id"], fields["event"], json.loads(fields["data"]))
