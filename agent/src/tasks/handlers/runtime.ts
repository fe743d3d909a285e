import type { Host } from '../../host/port.ts';
import { type Handlers, leaseLane, toUse } from './handler.ts';

/** Works within a lease: keys, proof of its GPUs, restart. */
export const runtimeHandlers = ({ host }: { readonly host: Host }) =>
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
  }) satisfies Handlers;
