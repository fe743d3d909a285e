import type { ConsoleLine, LogLine } from '@gpuaas/contract';
import type { LineRow, MachineRow } from './store.ts';

export const showLine = (row: LineRow): LogLine => ({
  ...showConsoleLine(row),
  stream: row.stream,
  level: row.level,
  node_id: row.node_id,
  node_name: row.node_name,
  allocation_id: row.allocation_id,
  task_id: row.task_id,
  correlation_id: row.correlation_id,
});

export const showConsoleLine = ({ id, at, line }: LineRow): ConsoleLine => ({
  id: String(id),
  at: at.toISOString(),
  line,
});

/** Why the console of a machine has no lines. */
export function whyNoConsole({ state, capacity_shape }: MachineRow): string {
  if (capacity_shape === 'baremetal') {
    return 'This is a whole host: its console is the host’s own and is not recorded. Read its log inside, with journalctl.';
  }
  if (state === 'requested') return 'It has no machine yet. Its console begins when the machine boots.';
  if (state === 'provisioning' || state === 'active') {
    return 'Its machine has written nothing in this time, or its host could not send it yet.';
  }
  return `It is ${state}, and nothing that its machine wrote in this time is kept.`;
}
