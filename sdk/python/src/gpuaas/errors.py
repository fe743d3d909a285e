"""One exception for each code that an answer may carry."""

from ._generated.errors import *  # noqa: F403
from ._launch import AllocationEnded as AllocationEnded
from ._problem import GpuaasError as GpuaasError
from ._problem import GpuaasUnreachable as GpuaasUnreachable
