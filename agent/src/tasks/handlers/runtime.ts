import type { Host } from '../../host/port.ts';
import { inTime } from '../../in-time.ts';
import type { Leases } from '../../leases/leases.ts';
import type { Terminals } from '../../terminal/terminals.ts';
import { type Handlers, leaseLane, toUse } from './handler.ts';

/** Works within a lease: keys, proof of its GPUs, restart, and a stop that keeps the disk. */
export const runtimeHandlers = ({
  host,
  leases,
  terminals,
}: {
  readonly host: Host;
  readonly leases: Pick<Leases, 'mark' | 'held'>;
  readonly terminals: Pick<Terminals, 'endOf'>;
}) =>
  ({
    'allocation.install_authorized_keys': {
      lane: leaseLane,
      lease: toUse,
      run: async (params, work) => {
        const fingerprints = [...(await host.installKeys(params, work))];
        return { installed: fingerprints.length, fingerprints };
      },
    },
    'allocation.attest': {
      lane: leaseLane,
      lease: toUse,
      run: async (params, work) => ({ attestation: await host.attest(params, work) }),
    },
    'allocation.restart': {
      lane: leaseLane,
      lease: toUse,
      run: async (params, work) => ({ attestation: await host.restart(params, work) }),
    },
    'allocation.stop': {
      lane: leaseLane,
      lease: toUse,
      // It is measured until it is known to have stopped: what may still compute is charged.
      async run(params, work) {
        await terminals.endOf(params.allocation_id, 'released');
        const stopped = await host.stop(params, work);
        await leases.mark(params.allocation_id, 'stopped');
        return stopped;
      },
    },
    'allocation.start': {
      lane: leaseLane,
      lease: toUse,
      // It is measured from before it is on until it is known to be off, proven or not: what may compute is charged.
      async run(params, work) {
        const id = params.allocation_id;
        await leases.mark(id, 'running');
        try {
          return { attestation: await host.start(params, work) };
        } catch (error) {
          const isHeld = leases.held().some((lease) => lease.allocation_id === id && lease.state === 'running');
          if (isHeld && (await isOff(host, id))) await leases.mark(id, 'stopped');
          throw error;
        }
      },
    },
  }) satisfies Handlers;

/** A host that cannot say what runs on it has not said that this does not. */
const isOff = (host: Host, allocationId: string): Promise<boolean> =>
  inTime(host.runtimes()).then(
    (all) => !all.some((one) => one.allocationId === allocationId && one.running),
    () => false,
  );
