"""The layer that is written by hand, to be awaited; what is to be called follows from it."""
