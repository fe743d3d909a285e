import {
  type AppEvidence,
  appArtifactFailedVerification,
  appArtifactVerified,
  type NumberPolicyKey,
} from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { secondMs } from '../../../kernel/units.ts';
import { type Registry, RegistryAway } from '../../../ports/registry/port.ts';
import { longestLookMs, longestTrouble, verifiedAtOnce, waitGrowth } from '../facts.ts';
import { findApp } from '../store.ts';
import { answerTrust } from '../versions/machine.ts';
import { artifactOf } from '../versions/routes.ts';
import { findVersion } from '../versions/store.ts';
import { answerOf, gatherEvidence } from './evidence.ts';
import { placeOf } from './image.ts';
import { listSourcesOf } from './sources-store.ts';
import {
  countVerifications,
  holdVerification,
  listDueVerifications,
  listPinnedKeys,
  noteEvidence,
  settleVerification,
} from './store.ts';

export interface VerifierParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly policy: (key: NumberPolicyKey) => number;
  readonly begin: BeginAct;
  readonly log: Log;
  readonly metrics: Metrics;
}
/** What one look at a registry gave: evidence, or the reason why there is none. */
type Looked = { readonly evidence: readonly AppEvidence[] } | { readonly trouble: string };

/**
 * Verifies versions that are due. It looks at the registry outside of any transaction, and stores its answer only if nobody has asked again
 * in the meantime. Where a registry gives no usable answer, the version stays as it is, with the reason, and is looked at again.
 */
export function makeAppVerifier(parts: VerifierParts): Reconciler {
  const { db, ids, clock, registry } = parts;
  const apart = makeApart('app-verifier', parts);
  const { verified, open, troubled, overdue } = metersOf(parts.metrics);
  const viewer = () => systemViewer('app-verifier', { correlationId: ids.next() });

  async function look(id: string): Promise<(Looked & { readonly askedAt: Date }) | undefined> {
    const seen = await db.read(viewer(), async (tx) => {
      const row = await findVersion(tx, id);
      if (!row) return undefined;
      const place = placeOf(row.image_repository);
      const sources = place ? await listSourcesOf(tx, place.registry) : [];
      return { row, sources, keys: await listPinnedKeys(tx, row.project_id) };
    });
    if (!seen) return undefined;
    const { row, sources, keys } = seen;
    const until = clock.now().getTime() + longestLookMs;
    const isOver = () => clock.now().getTime() > until;
    const examined = { imageRepository: row.image_repository, imageDigest: row.image_digest, sources, keys, isOver };
    try {
      return { askedAt: row.asked_at, evidence: await gatherEvidence(registry, examined) };
    } catch (error) {
      if (!(error instanceof RegistryAway)) throw error;
      return { askedAt: row.asked_at, trouble: error.message.slice(0, longestTrouble) };
    }
  }
  /** Each wait is twice as long as the last one, up to a limit. */
  function nextLook(tries: number): Date {
    const seconds = parts.policy('apps.verification_retry_seconds') * waitGrowth ** Math.max(0, tries - 1);
    return new Date(
      clock.now().getTime() + Math.min(seconds, parts.policy('apps.verification_retry_most_seconds')) * secondMs,
    );
  }

  async function verifyOne(id: string): Promise<void> {
    const looked = await look(id);
    if (!looked) return;
    await db.write(parts.begin('app.version.verification', { correlationId: ids.next() }), async (tx) => {
      const now = await holdVerification(tx, id);
      const row = await findVersion(tx, id);
      const isStale = !now || now.asked_at.getTime() !== looked.askedAt.getTime();
      if (isStale || !row || (now.state !== 'unverified' && now.state !== 'failed_verification')) {
        return tx.abandon(new Fault('version_conflict', 'It has changed.', { version: 0 }));
      }
      const about = {
        target: { type: 'app_version', id },
        ...{ organizationId: row.organization_id, projectId: row.project_id },
      };
      const tries = now.tries + 1;
      if ('trouble' in looked) {
        const dueAt = nextLook(tries);
        await settleVerification(tx, id, { dueAt, tries, trouble: looked.trouble });
        verified.inc({ answer: 'trouble' });
        return tx.commit(undefined, { ...about, change: { trouble: looked.trouble, tries }, events: 'none' });
      }
      const { evidence } = looked;
      const answer = answerOf(evidence);
      verified.inc({ answer });
      const results = Object.fromEntries(evidence.map(({ subject, result }) => [subject, result]));
      if (answer === 'open') {
        await noteEvidence(tx, id, evidence);
        await settleVerification(tx, id, { dueAt: nextLook(tries), tries, trouble: undefined });
        return tx.commit(undefined, { ...about, change: { ...results, tries }, events: 'none' });
      }
      await settleVerification(tx, id, { dueAt: undefined, tries: 0, trouble: undefined });
      if (answer === 'failed' && now.state === 'failed_verification') {
        await noteEvidence(tx, id, evidence);
        return tx.commit(undefined, { ...about, change: { ...results }, events: 'none' });
      }
      const moved = await answerTrust(tx, id, answer === 'verified' ? 'verify' : 'fail', evidence, clock.now());
      if (moved instanceof Fault) return tx.abandon(moved);
      const app = await findApp(tx, row.app_id);
      if (!moved || !app) throw new Error('a version that was verified is not there');
      const kind = answer === 'verified' ? appArtifactVerified : appArtifactFailedVerification;
      return tx.commit(undefined, {
        ...about,
        change: { image_digest: row.image_digest, trust_state: [moved.from, moved.to], ...results },
        events: [kind.of(row.app_id, artifactOf(row, app))],
      });
    });
  }

  return {
    name: 'app-verifier',
    async round() {
      const due = await db.read(viewer(), (tx) => listDueVerifications(tx, clock.now(), verifiedAtOnce));
      await Promise.all(due.map((id) => apart({ app_version: id }, () => verifyOne(id))));
      const counted = await db.read(viewer(), (tx) => countVerifications(tx, clock.now()));
      open.set(counted.open);
      troubled.set(counted.troubled);
      overdue.set(counted.overdue);
      return due.length < verifiedAtOnce ? 'idle' : 'more';
    },
  };
}

function metersOf(metrics: Metrics) {
  return {
    verified: metrics.counter(
      'gpuaas_app_verifications_total',
      'Looks at versions of apps, by what they gave: verified, failed, open (something is missing) or trouble (no usable answer).',
      ['answer'],
    ),
    open: metrics.gauge('gpuaas_app_verifications_open', 'Versions of apps that verification looks at again.', []),
    troubled: metrics.gauge(
      'gpuaas_app_verifications_troubled',
      'Versions of apps whose registry gave no usable answer at the last look.',
      [],
    ),
    overdue: metrics.gauge(
      'gpuaas_app_verification_overdue_seconds',
      'For how long the verification that has waited the longest has been due.',
      [],
    ),
  };
}
