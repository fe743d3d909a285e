# Emitted from what is written to be awaited, in _aio, by `npm run gen`; changes are lost.
"""The layer that is written by hand, to be awaited; what is to be called follows from it."""
