import {
  type AppLifecycleState,
  type AppManifest,
  type AppTrustState,
  appStandings,
  isFor,
  type RevocationEffect,
  standingFault,
} from '@gpuaas/contract';
import type { ReadTx } from '../../../kernel/act.ts';
import { referenceOf } from '../store.ts';
import {
  type CandidateRow,
  findLaunchableRow,
  type LaunchableRow,
  type Launcher,
  listCandidates,
} from './launchable-store.ts';
import { compareVersions } from './order.ts';

/** Whether something may be done with a version, with a sentence for the one who asked. */
export type May = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/** A version of an app as one project finds it. */
export interface Launchable {
  readonly versionId: string;
  readonly appId: string;
  /** publisher/slug */
  readonly reference: string;
  readonly version: string;
  readonly publisher: Launcher;
  /** Whether the project that asks belongs to the publisher. */
  readonly isPublisher: boolean;
  readonly manifest: AppManifest;
  /** registry/repository@sha256:…, as nodes take it. */
  readonly image: string;
  readonly imageDigest: string;
  readonly lifecycle: AppLifecycleState;
  readonly trust: AppTrustState;
  readonly launch: May;
  /** Whether an instance of another version may be moved to this one. */
  readonly upgrade: May;
  /** Whether instances of it go on running. */
  readonly keepsRunning: boolean;
  readonly revocationEffect: RevocationEffect | undefined;
}
/** Which version is meant: this one, or one of an app by its reference, the newest that may be launched when none is named. */
export type Wanted =
  | { readonly versionId: string }
  | { readonly reference: string; readonly version?: string | undefined };

/**
 * The one answer to "may this project use this version". Undefined when the version does not exist for the project: an app of others
 * that it may not see, and a version of theirs that is not for others yet.
 */
export async function findLaunchable(tx: ReadTx, who: Launcher, wanted: Wanted): Promise<Launchable | undefined> {
  const id = 'versionId' in wanted ? wanted.versionId : await chooseVersion(tx, who, wanted);
  const row = id === undefined ? undefined : await findLaunchableRow(tx, who, id);
  return row && isSeen(row, who) ? launchableOf(row, who) : undefined;
}

const isOwn = (row: Pick<CandidateRow, 'organization_id'>, who: Launcher) => row.organization_id === who.organizationId;
const isSeen = (row: CandidateRow, who: Launcher) =>
  isFor(appStandings[row.lifecycle][row.trust].seen, isOwn(row, who));

async function chooseVersion(
  tx: ReadTx,
  who: Launcher,
  { reference, version }: { readonly reference: string; readonly version?: string | undefined },
): Promise<string | undefined> {
  const [publisher = '', slug = ''] = reference.split('/');
  const found = (await listCandidates(tx, who, { publisher, slug, version })).filter((row) => isSeen(row, who));
  const mayLaunch = (row: CandidateRow) => isFor(appStandings[row.lifecycle][row.trust].launch, isOwn(row, who));
  const isPromoted = (row: CandidateRow) => row.lifecycle === 'promoted';
  // What everybody uses comes before what its publisher is still trying out.
  return found.toSorted(
    (a, b) =>
      Number(mayLaunch(b)) - Number(mayLaunch(a)) ||
      Number(isPromoted(b)) - Number(isPromoted(a)) ||
      compareVersions(b.number, a.number),
  )[0]?.id;
}

function launchableOf(row: LaunchableRow, who: Launcher): Launchable {
  const isPublisher = isOwn(row, who);
  const may = (what: 'launch' | 'upgrade'): May => {
    const reason = standingFault(what, row, isPublisher);
    return reason === undefined ? { allowed: true } : { allowed: false, reason };
  };
  return {
    versionId: row.id,
    appId: row.app_id,
    reference: referenceOf(row),
    version: row.number,
    publisher: { organizationId: row.organization_id, projectId: row.project_id },
    isPublisher,
    manifest: row.manifest,
    image: `${row.image_repository}@${row.image_digest}`,
    imageDigest: row.image_digest,
    lifecycle: row.lifecycle,
    trust: row.trust,
    launch: may('launch'),
    upgrade: may('upgrade'),
    keepsRunning: appStandings[row.lifecycle][row.trust].run === 'yes' || row.revocation_effect === 'let_run',
    revocationEffect: row.revocation_effect ?? undefined,
  };
}
