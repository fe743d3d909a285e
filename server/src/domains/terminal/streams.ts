import type { TaskParams } from '@gpuaas/contract/node';
import type { TerminalKind, TerminalRecording } from '@gpuaas/contract/terminal';
import { Fault } from '../../kernel/fault.ts';
import type { Policies } from '../policy/index.ts';
import type { SessionRow } from './store.ts';

/** Why a person gets no new session of this kind; undefined when the person does. */
export function whyNoStream(
  policies: Pick<Policies, 'number'>,
  who: Parameters<Policies['number']>[1],
  opening: { readonly kind?: TerminalKind | undefined; readonly port?: number | undefined },
  recording: TerminalRecording,
) {
  const { kind = 'shell', port } = opening;
  if ((kind === 'forward') !== (port !== undefined)) {
    return new Fault('validation_error', 'Kind forward needs port, and no other kind has one.', { field: 'port' });
  }
  if (kind !== 'shell' && recording === 'output') {
    return new Fault(
      'terminal_recording_required',
      'Sessions in this allocation are recorded, and SSH and forwarded ports are encrypted from end to end. Open a terminal instead.',
      { kind },
    );
  }
  if (port === undefined) return undefined;
  const lowest = policies.number('terminal.forward_lowest_port', who);
  const highest = policies.number('terminal.forward_highest_port', who);
  if (port >= lowest && port <= highest) return undefined;
  const allowed = highest < lowest ? 'none' : `${lowest} to ${highest}`;
  return new Fault('terminal_port_refused', `Port ${port} is not allowed; policy allows ${allowed}.`, {
    ...{ port, lowest, highest },
  });
}

/** What the node connects instead of a shell. */
export function streamOf(
  row: Pick<SessionRow, 'kind' | 'port'>,
): Pick<TaskParams<'terminal.open'>, 'stream'> | undefined {
  if (row.kind === 'ssh') return { stream: { kind: 'ssh' } };
  if (row.kind === 'forward' && row.port !== null) return { stream: { kind: 'forward', port: row.port } };
  return undefined;
}
