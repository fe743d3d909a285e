import { platformHealthGet } from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { secondMs } from '../../kernel/units.ts';
import type { BusDepths } from '../../ports/bus/port.ts';
import { findRunbook } from '../runbooks/index.ts';
import { type Behind, findAll, type UnlistedProxy, worstOf } from './findings.ts';
import { readPlatform } from './store.ts';

/** A bus that is away is a finding, not a failure of ours. */
async function readBehind({ depths, clock, log }: Parts): Promise<readonly Behind[] | undefined> {
  if (!depths) return [];
  try {
    const found = await depths.read();
    const nowMs = clock.now().getTime();
    return found.map(({ consumer, waiting, oldestAt }) => ({
      ...{ consumer, waiting },
      oldestSeconds: oldestAt ? Math.max(0, (nowMs - oldestAt.getTime()) / secondMs) : 0,
    }));
  } catch (error) {
    log.warn({ err: error }, 'the bus could not be asked how far its consumers are');
    return undefined;
  }
}

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Undefined where this process does not know the bus. */
  readonly depths: BusDepths | undefined;
  /** The last proxy that sent forwarded headers without being listed. */
  readonly unlistedProxy: () => Promise<UnlistedProxy | undefined>;
}
const on = handlers<Parts>();
const health = on(platformHealthGet, async (parts, who) => {
  const { db, clock, version } = parts;
  const [reading, behind, unlistedProxy] = await Promise.all([
    db.read(who, (tx) => readPlatform(tx, clock)),
    readBehind(parts),
    // An unavailable cache is reported by its own check.
    parts.unlistedProxy().catch(() => undefined),
  ]);
  const findings = findAll({ ...reading, behind, unlistedProxy }).map((finding) => ({
    ...finding,
    runbook: finding.status === 'ok' ? null : (findRunbook(finding.name)?.id ?? null),
  }));
  return { status: worstOf(findings), version, checked_at: clock.now().toISOString(), findings };
});

export const healthRoutes = (parts: Parts): Mounted[] => [health(parts)];
