"""The API of GPUaaS for Python. The emitted layer is below ``_generated``; this is what people import."""

from . import errors
from ._async_client import AsyncGPUaaS
from ._client import GPUaaS
from ._generated import models
from ._launch import AllocationEnded, AsyncLaunched, Launched
from ._operation import UNSET, Options, StreamedEvent, Unset
from ._paging import AsyncPages, Page, Pages
from ._problem import GpuaasError, GpuaasUnreachable

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
