import type { BeginAct, Database } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import type { Policies } from '../../policy/index.ts';
import type { LifeParts } from '../life/parts.ts';
import type { LateRow } from './store.ts';

export interface QueueParts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Policies;
  readonly tasks: LifeParts['tasks'];
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The queue acts in the organization and project of the request. */
export const originOf = ({ ids }: Pick<QueueParts, 'ids'>, row: LateRow) => ({
  correlationId: ids.next(),
  organizationId: row.organization_id,
  projectId: row.project_id,
});
