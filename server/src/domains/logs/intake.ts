import type { InternalInput, InternalOutput, nodeLogsStore } from '@gpuaas/contract/internal';
import { type Database, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { hourMs } from '../../kernel/units.ts';
import { holdsCertificate } from '../nodes/index.ts';
import type { Policies } from '../policy/index.ts';
import { aheadMs, logsChannel } from './facts.ts';
import type { LogLines } from './lines-store.ts';

/** Takes the lines that a gateway got from a node. */
export type StoreLogs = (
  input: InternalInput<typeof nodeLogsStore>,
  call: { readonly correlationId: string },
) => Promise<InternalOutput<typeof nodeLogsStore> | Fault>;

/** The gateway knows that the certificate is the node's; that it was not revoked since, only rows say. */
export function makeStoreLogs(parts: {
  readonly db: Database;
  readonly lines: Pick<LogLines, 'record'>;
  readonly notify: (channel: string) => void;
  readonly policies: Pick<Policies, 'number'>;
  readonly clock: Clock;
  readonly metrics: Metrics;
}): StoreLogs {
  const counted = parts.metrics.counter('gpuaas_node_log_stored_total', 'Lines of nodes, by what became of them.', [
    'outcome',
  ]);
  return async ({ node_id, certificate_serial, lines }, { correlationId }) => {
    const viewer = systemViewer('logs', { correlationId });
    const isGood = await parts.db.read(viewer, (tx) => holdsCertificate(tx, node_id, certificate_serial.toLowerCase()));
    if (!isGood) {
      return new Fault('node_certificate_invalid', 'The certificate of the node is unknown, expired or revoked.');
    }
    const nowMs = parts.clock.now().getTime();
    const keptHours = Math.max(
      parts.policies.number('logs.node_retention_hours'),
      parts.policies.number('logs.console_retention_hours'),
    );
    const within = { oldest: new Date(nowMs - keptHours * hourMs), newest: new Date(nowMs + aheadMs) };
    const stored = await parts.lines.record(node_id, lines, within);
    if (stored > 0) parts.notify(logsChannel);
    const refused = Math.max(0, lines.length - stored);
    counted.inc({ outcome: 'stored' }, stored);
    counted.inc({ outcome: 'refused' }, refused);
    return { stored, refused };
  };
}
