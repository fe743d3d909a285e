import type { CommandGroup, FlagSpec } from '../command.ts';
import { allocation, limit, node } from './words.ts';

const range: Readonly<Record<string, FlagSpec>> = {
  from: { type: 'string', value: 'TIME', meaning: 'from when (default: an hour before the end)' },
  to: { type: 'string', value: 'TIME', meaning: 'until when (default: now)' },
  resolution: {
    type: 'string',
    value: 'SECONDS',
    as: 'number',
    meaning: '10: every sample. 300: averages of five minutes (default: the finest that fits)',
  },
};
const gpu = ['utilization', 'memory_used_mib', 'power_watts', 'temperature_celsius', 'sm_clock_mhz', 'throttle', 'xid'];
const seriesColumns = ['at', ...gpu.map((name) => `gpu.${name}`), 'host.cpu_percent', 'unavailable'];
const nowColumns = [...gpu.map((name) => `latest.gpu.${name}`), 'latest.host.cpu_percent', 'unavailable'];

/** What hosts and machines measure. */
export const metrics: CommandGroup = {
  title: 'Metrics',
  commands: [
    {
      name: 'top',
      summary: 'The GPUs of your running allocations, live in a terminal',
      description:
        'One value for each GPU, from the last minute. In a terminal it repeats until interrupted; in a pipe and with -o it is shown once.',
      flags: { limit },
      examples: ['gpuaas top', 'gpuaas top -o json'],
      operation: 'metrics_now',
      columns: ['name', 'gpu_count', ...nowColumns],
      none: 'Nothing is running. gpuaas launch starts it.',
      reads: true,
      live: true,
    },
    {
      name: 'metrics',
      summary: 'What was measured in an allocation, over a range of time',
      args: [allocation],
      flags: range,
      examples: ['gpuaas metrics trainer', 'gpuaas metrics trainer --resolution 300 -o csv'],
      operation: 'allocation_metrics',
      rows: 'data',
      columns: seriesColumns,
      none: 'Nothing was measured in this time. gpuaas top says why.',
      reads: true,
    },
    {
      name: 'metrics-export',
      summary: 'The last values of the project, in the Prometheus format',
      examples: ['gpuaas metrics-export'],
      operation: 'metrics_export',
      reads: true,
    },
    {
      name: 'ops node-metrics',
      summary: 'What a node has measured, over a range of time',
      args: [node],
      flags: range,
      examples: ['gpuaas ops node-metrics gpu-01', 'gpuaas ops node-metrics gpu-01 -o json'],
      operation: 'node_metrics',
      rows: 'data',
      columns: seriesColumns,
      none: 'The node has measured nothing in this time.',
      reads: true,
    },
    {
      name: 'ops top',
      summary: 'The last values of every node, live in a terminal',
      flags: { limit },
      examples: ['gpuaas ops top', 'gpuaas ops top -o json'],
      operation: 'fleet_metrics',
      columns: ['name', 'state', ...nowColumns],
      none: 'There are no nodes.',
      reads: true,
      live: true,
    },
    {
      name: 'ops metrics-export',
      summary: 'The last values of every node, in the Prometheus format',
      examples: ['gpuaas ops metrics-export'],
      operation: 'fleet_metrics_export',
      reads: true,
    },
  ],
};
