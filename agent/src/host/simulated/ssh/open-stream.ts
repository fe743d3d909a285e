import { sshAlias } from '@gpuaas/contract/terminal';
import type { Clock } from '../../../clock.ts';
import { openForward } from '../../forward.ts';
import { HostFailure, type Shell, type ShellOrder, type StreamOrder } from '../../port.ts';
import type { Faults } from '../faults.ts';
import type { Guest } from '../guests/guest.ts';
import type { Guests } from '../guests/guests.ts';
import type { MachineState, UserState } from '../state.ts';
import { drawHostKey } from './host-key.ts';
import { openSimulatedSsh, type SshConnection } from './ssh-server.ts';

/** Connections to the SSH servers of simulated machines, and to ports of this computer, which stand for ports of a machine. */
export interface SimulatedStreams {
  open(order: StreamOrder): Shell;
  /** Ends the connections of an allocation whose keys are no longer installed. */
  recheck(allocationId: string): void;
}

export function makeSimulatedStreams(parts: {
  readonly guests: Guests;
  readonly faults: Faults;
  readonly clock: Clock;
  /** Throws when nothing runs for the allocation. */
  readonly living: (allocationId: string) => MachineState | UserState;
  /** Throws when the login is another one. */
  readonly guest: (order: ShellOrder) => Guest;
}): SimulatedStreams {
  const { guests } = parts;
  const connections = new Map<SshConnection, string>();
  return {
    open({ allocationId, username, to }) {
      const order = { allocationId, username, columns: 80, rows: 24 };
      const living = () => parts.living(allocationId);
      const guest = () => parts.guest(order);
      guest();
      if (to.kind === 'forward') return openForward(to.port);
      if (parts.faults.find('ssh_unreachable')) throw new HostFailure('ssh_unreachable', 'sshd does not answer.');
      const opened = openSimulatedSsh({
        username,
        hostKey: drawHostKey(living().host_key_fingerprint).privateKey,
        lines: () => living().authorized_keys,
        trust: () => ({
          ...{
            authorities: living().trusted_authorities ?? [],
            principal: sshAlias(allocationId),
            now: parts.clock.now(),
          },
        }),
        openShell: (size, command) => guests.open({ ...order, ...size }, guest(), command),
        run: (command) => guests.run(order, guest(), command),
        serveFiles: () => guests.serveFiles(order, guest()),
      });
      connections.set(opened, allocationId);
      const forget = () => connections.delete(opened);
      opened.exited.then(forget, forget);
      return opened;
    },
    recheck(allocationId) {
      for (const [connection, of] of connections) if (of === allocationId) connection.recheck();
    },
  };
}
