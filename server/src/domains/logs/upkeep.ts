import type { Clock } from '../../kernel/clock.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import { hourMs } from '../../kernel/units.ts';
import type { Policies } from '../policy/index.ts';
import { prunedAtOnce } from './facts.ts';
import type { LogLines } from './lines-store.ts';

/** Removes lines that are older than their time, a bounded number in each round. */
export const makeLogUpkeep = (parts: {
  readonly lines: Pick<LogLines, 'prune'>;
  readonly policies: Pick<Policies, 'number'>;
  readonly clock: Clock;
}): Reconciler => ({
  name: 'log-upkeep',
  async round() {
    const before = (hours: number) => new Date(parts.clock.now().getTime() - hours * hourMs);
    const old = {
      agentBefore: before(parts.policies.number('logs.node_retention_hours')),
      consoleBefore: before(parts.policies.number('logs.console_retention_hours')),
    };
    return (await parts.lines.prune(old, prunedAtOnce)) >= prunedAtOnce ? 'more' : 'idle';
  },
});
