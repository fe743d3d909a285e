import { overviewGet } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx, type Viewer } from '../../kernel/act.ts';
import { readCurrent, readGpuQuota, readTotals } from '../allocations/index.ts';
import { readActivity } from '../audit/index.ts';
import { countUnread } from '../notifications/index.ts';
import type { Policies } from '../policy/index.ts';
import { countedNotices, lookedAt, shownActivity, shownCurrent, shownShapes } from './facts.ts';
import { myself, teammates } from './store.ts';

interface Myself {
  readonly has_ssh_key: boolean;
  readonly has_token: boolean;
  readonly read_until: Date | null;
}
const noPerson: Myself = { has_ssh_key: false, has_token: false, read_until: null };

/** A program has no keys, tokens or marks of its own. */
const isPerson = (who: Viewer): boolean => who.actorKind === 'user';

/** The route asks for the right to see allocations; what people did takes another one, which a token may lack. */
const maySeeActivity = (who: Viewer): boolean =>
  isPerson(who) && (who.credential?.scopes === undefined || who.credential.scopes.has('activity:read'));

async function hasTeammates(tx: ReadTx, who: Viewer): Promise<boolean> {
  const [row] = await tx.rows<{ has_teammates: boolean }>(teammates, [who.organizationId, who.actorId]);
  return row?.has_teammates ?? false;
}

interface OverviewParts {
  readonly db: Database;
  readonly policies: Policies;
  /** Whether this installation runs a terminal gateway. */
  readonly hasTerminals: boolean;
}
const on = handlers<OverviewParts>();

const overview = on(overviewGet, async ({ db, policies, hasTerminals }, who) => {
  const of = { projectId: who.projectId, organizationId: who.organizationId };
  // Personal data is behind its own row-level policy, so it is read with the person's own reach.
  const self = { ...who, reach: 'self', organizationId: undefined, projectId: undefined } as const;
  const [mine = noPerson] = isPerson(who) ? await db.read(self, (tx) => tx.rows<Myself>(myself, [who.actorId])) : [];
  return db.read(who, async (tx) => {
    const { hasLaunched, ...totals } = await readTotals(
      tx,
      { ...of, actorId: who.actorId },
      { lookedAt, shapes: shownShapes },
    );
    const maxReleaseAttempts = policies.number('allocation.force_release_max_attempts', who);
    const limits = { maxReleaseAttempts, hasTerminals };
    const mayLook = maySeeActivity(who);
    return {
      ...totals,
      gpu_quota: await readGpuQuota(tx, policies, of.organizationId),
      current: await readCurrent(tx, of, shownCurrent, limits),
      activity: mayLook ? await readActivity(tx, of, { actors: 'people', limit: shownActivity }) : null,
      unread_notices: mayLook ? await countUnread(tx, of.projectId, mine.read_until, countedNotices) : null,
      getting_started: {
        has_ssh_key: mine.has_ssh_key,
        has_launched: hasLaunched,
        has_teammates: await hasTeammates(tx, who),
        has_token: mine.has_token,
      },
    };
  });
});

export const overviewRoutes = (parts: OverviewParts): Mounted[] => [overview(parts)];
