import type { NodeHeartbeat } from '@gpuaas/contract/node';
import type { Clock } from '../clock.ts';
import type { Conditions } from '../conditions.ts';
import type { Host } from '../host/port.ts';
import { inTime } from '../in-time.ts';
import type { Leases } from '../leases/leases.ts';
import type { ServerTime } from '../server-time.ts';
import type { Executor } from '../tasks/executor.ts';

const mostListed = 64;

/** Puts a heartbeat together. What the host does not say in time is left out. */
export const makeComposeHeartbeat =
  (parts: {
    readonly host: Host;
    readonly leases: Leases;
    readonly conditions: Conditions;
    readonly executor: Pick<Executor, 'running'>;
    readonly time: ServerTime;
    readonly clock: Clock;
    readonly bootId: string;
    readonly agentVersion: string;
    /** One line per heartbeat for the telemetry file. */
    readonly record: ((line: object) => void) | undefined;
  }) =>
  async (): Promise<NodeHeartbeat> => {
    const { host } = parts;
    const utilization = await inTime(host.utilization()).catch(() => undefined);
    const images = await inTime(host.images()).catch(() => undefined);
    const held = parts.leases.held();
    parts.record?.({ at: parts.time.now().toISOString(), gpu_utilization: utilization, leases: held.length });
    return {
      boot_id: parts.bootId,
      agent_version: parts.agentVersion,
      sent_at: parts.clock.now().toISOString(),
      conditions: await parts.conditions.read(),
      leases: held,
      running_tasks: parts.executor.running.slice(0, mostListed),
      ...(utilization && { gpu_utilization: utilization.slice(0, mostListed).map(Math.round) }),
      ...(images && { images: images.slice(0, mostListed) }),
    };
  };
