"""Lists. Iterated, a list is every row, fetched page by page as they are needed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Generic

# to await only:
from collections.abc import Generator
# end

from .._page import Page, T, next_page

if TYPE_CHECKING:
    from .._operation import Options
    from .transport import AsyncTransport


class AsyncPages(Generic[T]):
    def __init__(self, transport: AsyncTransport, name: str, given: Mapping[str, Any], options: Options | None) -> None:
        self._transport, self._name, self._given, self._options = transport, name, given, options

    async def first(self) -> Page[T]:
        page: Page[T] = await self._transport.call(self._name, self._given, self._options)
        return page

    # to await only:
    def __await__(self) -> Generator[Any, None, Page[T]]:
        """Awaited, it is its first page."""
        return self.first().__await__()
    # end

    async def pages(self) -> AsyncIterator[Page[T]]:
        given: Mapping[str, Any] | None = self._given
        while given is not None:
            page: Page[T] = await self._transport.call(self._name, given, self._options)
            yield page
            given = next_page(given, page)

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for row in page["data"]:
                yield row
