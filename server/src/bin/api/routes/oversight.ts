import { makeAudit } from '../../../domains/audit/index.ts';
import { healthRoutes } from '../../../domains/health/index.ts';
import { historyRoutes } from '../../../domains/history/index.ts';
import { deadLetterRoutes } from '../../../domains/outbox/index.ts';
import { overviewRoutes } from '../../../domains/overview/index.ts';
import { runbookRoutes } from '../../../domains/runbooks/index.ts';
import { secretRoutes } from '../../../domains/secrets/index.ts';
import { telemetryRoutes } from '../../../domains/telemetry/index.ts';
import { workflowRoutes } from '../../../domains/workflows/index.ts';
import type { Mounted } from '../../../kernel/act.ts';
import { release } from '../../release.ts';
import type { RouteParts } from './parts.ts';

/** What people and operators look at to see how things are: overview, audit, health, policies, workflows. */
export const oversightRoutes = (parts: RouteParts): readonly Mounted[] => {
  const { db, clock, log, objects, policies, settings } = parts;
  return [
    ...overviewRoutes({ db, policies, hasTerminals: settings.terminalGateway !== undefined }),
    ...telemetryRoutes({ db, clock, policies }),
    ...makeAudit({ db }).routes,
    ...policies.routes,
    ...deadLetterRoutes({ db }),
    ...historyRoutes({ db, objects, policies }),
    ...secretRoutes({ stores: [...parts.sealed, ...(settings.sealed ?? [])] }),
    ...healthRoutes({
      ...{ db, clock, log, version: release, depths: settings.depths },
      unlistedProxy: parts.admission.unlisted.last,
    }),
    ...runbookRoutes(),
    ...workflowRoutes({ db, runs: settings.runs, log }),
  ];
};
