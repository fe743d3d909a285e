import { join } from 'node:path';
import { argv } from 'node:process';
import { openAgent, openSimulatedHost, type Work } from '@gpuaas/agent';
import { controlPlaneSpiffeId } from '@gpuaas/contract/node';
import { systemClock } from '../../src/kernel/clock.ts';

/**
 * An agent on a host that does not exist, in a process of its own that can be killed: at each checkpoint of a task, and
 * as each phase of the host's work begins. What it needs comes as one argument, where to die comes while it runs.
 */
export interface AgentOrder {
  readonly folder: string;
  readonly url: string;
  readonly speed: number;
  /** Hosts of one installation differ by it: names of GPUs follow from it. */
  readonly seed?: string;
  /** The boot of the machine that it runs on: the same one after the process was stopped and started. */
  readonly bootId?: string;
  readonly usageEveryMs?: number;
  readonly enrolment?: { readonly token: string; readonly caFingerprint?: string };
}
const order = JSON.parse(argv[2] ?? '{}') as AgentOrder;
const { speed, seed = 'chaos' } = order;
const host = await openSimulatedHost({ folder: join(order.folder, 'host'), clock: systemClock, pace: { speed }, seed });

let deadly: string | undefined;
const diesAt = (place: string): boolean => place === deadly && process.kill(process.pid, 'SIGKILL');
const never = new Promise<void>(() => undefined);
const watched = (work: Work, type: string): Work => ({
  ...work,
  phase(name, percent) {
    diesAt(`${name}@${type}`);
    work.phase(name, percent);
  },
});

const agent = await openAgent({
  host: {
    ...host,
    provisionSlice: (params, work) => host.provisionSlice(params, watched(work, 'slice.vm_provision')),
    releaseSlice: (params, work) => host.releaseSlice(params, watched(work, 'slice.vm_release')),
  },
  clock: systemClock,
  settings: {
    url: new URL(order.url),
    stateDir: join(order.folder, 'agent'),
    agentVersion: '1.0.0-chaos',
    peerId: controlPlaneSpiffeId,
    // A process is killed here, not the machine: what was written is there.
    forcesToDisk: false,
    ...(order.enrolment && { enrolment: order.enrolment }),
    ...(order.bootId && { bootId: order.bootId }),
    ...(order.usageEveryMs && { usageEveryMs: order.usageEveryMs }),
  },
  checkpoint: (name, task) =>
    diesAt(`${name}@${(task as { readonly task_type?: string }).task_type}`) ? never : undefined,
});
process.on('message', ({ failpoints }: { readonly failpoints: string }) => {
  const place = /^([^=,]+)=kill$/.exec(failpoints)?.[1];
  if (place === undefined && failpoints !== 'none') throw new Error(`an agent cannot be armed with ${failpoints}`);
  deadly = place;
  process.send?.({ armed: failpoints });
});
process.on('disconnect', () => process.exit());
process.send?.({ started: agent.nodeId });
