"""Lists. Iterated, a list is every row, fetched page by page as they are needed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from typing_extensions import TypedDict

if TYPE_CHECKING:
    from ._operation import Options
    from ._transport import AsyncTransport, Transport

T = TypeVar("T")


class Page(TypedDict, Generic[T]):
    data: list[T]
    next_cursor: str | None
    has_more: bool


def _next(given: Mapping[str, Any], page: Page[T]) -> dict[str, Any] | None:
    if not page["has_more"] or page["next_cursor"] is None:
        return None
    return {**given, "cursor": page["next_cursor"]}


class Pages(Generic[T]):
    def __init__(self, transport: Transport, name: str, given: Mapping[str, Any], options: Options | None) -> None:
        self._transport, self._name, self._given, self._options = transport, name, given, options

    def first(self) -> Page[T]:
        page: Page[T] = self._transport.call(self._name, self._given, self._options)
        return page

    def pages(self) -> Iterator[Page[T]]:
        given: Mapping[str, Any] | None = self._given
        while given is not None:
            page: Page[T] = self._transport.call(self._name, given, self._options)
            yield page
            given = _next(given, page)

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page["data"]


class AsyncPages(Generic[T]):
    """Awaited, it is its first page."""

    def __init__(self, transport: AsyncTransport, name: str, given: Mapping[str, Any], options: Options | None) -> None:
        self._transport, self._name, self._given, self._options = transport, name, given, options

    async def first(self) -> Page[T]:
        page: Page[T] = await self._transport.call(self._name, self._given, self._options)
        return page

    def __await__(self) -> Generator[Any, None, Page[T]]:
        return self.first().__await__()

    async def pages(self) -> AsyncIterator[Page[T]]:
        given: Mapping[str, Any] | None = self._given
        while given is not None:
            page: Page[T] = await self._transport.call(self._name, given, self._options)
            yield page
            given = _next(given, page)

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for row in page["data"]:
                yield row
