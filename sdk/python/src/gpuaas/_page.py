"""One page of a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from typing_extensions import TypedDict

T = TypeVar("T")


class Page(TypedDict, Generic[T]):
    data: list[T]
    next_cursor: str | None
    has_more: bool


def next_page(given: Mapping[str, Any], page: Page[T]) -> dict[str, Any] | None:
    if not page["has_more"] or page["next_cursor"] is None:
        return None
    return {**given, "cursor": page["next_cursor"]}
