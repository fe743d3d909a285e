"""The API of GPUaaS for Python. The emitted layer is below ``_generated``; this is what people import."""

from . import errors
from ._aio.client import AsyncGPUaaS
from ._aio.launched import AsyncLaunched
from ._aio.paging import AsyncPages
from ._generated import models
from ._launch import AllocationEnded
from ._operation import UNSET, Options, StreamedEvent, Unset
from ._page import Page
from ._problem import GpuaasError, GpuaasUnreachable
from ._sync.client import GPUaaS
from ._sync.launched import Launched
from ._sync.paging import Pages

__all__ = [
    "UNSET",
    "AllocationEnded",
    "AsyncGPUaaS",
    "AsyncLaunched",
    "AsyncPages",
    "GPUaaS",
    "GpuaasError",
    "GpuaasUnreachable",
    "Launched",
    "Options",
    "Page",
    "Pages",
    "StreamedEvent",
    "Unset",
    "errors",
    "models",
]
