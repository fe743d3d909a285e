#!/usr/bin/env node
/** Where it was before; `gpuaas.cjs` starts sooner. */
import './gpuaas.cjs';
