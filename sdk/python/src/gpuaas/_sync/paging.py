# Emitted from what is written to be awaited, in _aio, by `npm run gen`; changes are lost.
"""Lists. Iterated, a list is every row, fetched page by page as they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic

from .._page import Page, T, next_page

if TYPE_CHECKING:
    from .._operation import Options
    from .transport import Transport


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
            given = next_page(given, page)

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            for row in page["data"]:
                yield row
