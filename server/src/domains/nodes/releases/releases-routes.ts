import { Readable } from 'node:stream';
import { agentReleaseAdd, agentReleaseList, agentReleaseWithdraw, nodeAgentUpdate } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { checkDeclared, NotAsDeclared } from '../../../kernel/files/declared-bytes.ts';
import type { Ids } from '../../../kernel/id.ts';
import { readPage } from '../../../kernel/page.ts';
import type { Objects } from '../../../ports/objects/port.ts';
import type { Policies } from '../../policy/index.ts';
import { nodeGeneration } from '../facts.ts';
import { mayBeAsked } from '../operator/tasks-routes.ts';
import type { Tasks } from '../tasks/tasks.ts';
import {
  findOffered,
  insertRelease,
  listReleases,
  offeredKind,
  type ReleaseKind,
  showRelease,
  withdrawRelease,
} from './releases-store.ts';

/**
 * Agent releases. An operator uploads a file once; it is streamed into the object store, under its digest. Packages install an
 * agent on a new host (`packages.ts`); a bundle replaces one that runs. A signed task
 * names version and digest, the node fetches the bundle over its own connection and computes the digest itself: neither
 * the store nor the network can give it another program.
 */
interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly objects: Pick<Objects, 'put'>;
  readonly policies: Policies;
  readonly tasks: Pick<Tasks, 'queueTask'>;
}
const on = handlers<Parts>();
const absent = () => new Fault('agent_release_not_found', 'There is no such release.');
const offeredAlready = () =>
  new Fault(
    'agent_release_already_exists',
    'It is offered already: the same file, or another package of this version and architecture. Withdraw that one first.',
  );
const hexOf = (digest: string): string => digest.slice('sha256:'.length);
const endings: Readonly<Record<ReleaseKind, string>> = { bundle: 'mjs', tarball: 'tar.gz', deb: 'deb' };
const contentTypes: Readonly<Record<ReleaseKind, string>> = {
  bundle: 'text/javascript',
  tarball: 'application/gzip',
  deb: 'application/vnd.debian.binary-package',
};
const keyOf = (hex: string, kind: ReleaseKind): string => `agent-releases/${hex}.${endings[kind]}`;

const list = on(agentReleaseList, ({ db }, who, { query }) =>
  readPage({
    name: 'agent-releases',
    query,
    read: (before, limit) => db.read(who, (tx) => listReleases(tx, before, limit)),
    keyOf: (row) => row.id,
    show: showRelease,
  }),
);

const add = on(agentReleaseAdd, async (parts, act, { query, body }) => {
  const { version, digest, size_bytes: sizeBytes, kind = 'bundle', arch = null } = query;
  if ((kind === 'bundle') !== (arch === null)) {
    return new Fault(
      'agent_release_invalid',
      'A package says for which architecture it is (arch=x64 or arch=arm64); a bundle runs on all and says none.',
    );
  }
  // Asked before the first byte is read. The insert below decides between two uploads at the same time.
  if ((await parts.db.read(act, (tx) => offeredKind(tx, digest))) !== undefined) return offeredAlready();
  const sha256 = hexOf(digest);
  try {
    // First the bytes, then the row that offers them: a node gets nothing that has no row.
    const bytes = Readable.from(checkDeclared(body, { sizeBytes, sha256 }));
    await parts.objects.put(keyOf(sha256, kind), bytes, { contentType: contentTypes[kind] });
  } catch (error) {
    if (error instanceof NotAsDeclared) return new Fault('agent_release_invalid', error.message);
    throw error;
  }
  return parts.db.write(act, async (tx) => {
    const row = await insertRelease(tx, { id: parts.ids.next(), version, kind, arch, digest, sizeBytes });
    if (!row) return tx.abandon(offeredAlready());
    return tx.commit(showRelease(row), {
      target: { type: 'agent_release', id: row.id },
      change: { version, kind, arch, digest, size_bytes: sizeBytes },
      events: 'none',
    });
  });
});

const withdraw = on(agentReleaseWithdraw, (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const row = await withdrawRelease(tx, params.release_id);
    if (!row) return tx.abandon(absent());
    return tx.commit(showRelease(row), {
      target: { type: 'agent_release', id: row.id },
      change: { reason: body.reason },
      events: 'none',
    });
  }),
);

const update = on(nodeAgentUpdate, ({ db, policies, tasks }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const release = await findOffered(tx, body.release_id);
    if (!release) return tx.abandon(absent());
    const refused = await mayBeAsked(tx, params.node_id);
    if (refused) return tx.abandon(refused);
    const { version, digest } = release;
    const taskId = await tasks.queueTask(tx, {
      nodeId: params.node_id,
      type: 'node.self_update',
      params: { version, digest },
      generation: nodeGeneration,
      ttlSeconds: policies.number('node.task_ttl_seconds'),
      correlationId: act.correlationId,
    });
    return tx.commit(
      { task_id: taskId },
      { target: { type: 'node', id: params.node_id }, change: { task_id: taskId, version, digest }, events: 'none' },
    );
  }),
);

export const releaseRoutes = (parts: Parts): Mounted[] => [list, add, withdraw, update].map((bind) => bind(parts));

/** A release by its digest in hex; undefined when none is offered. */
export type OpenRelease = (hex: string) => Promise<OpenedRelease | undefined>;
export interface OpenedRelease {
  readonly size: number;
  readonly contentType: string;
  readonly body: Readable;
}

/** Opens releases of these kinds: bundles for nodes over their own connections, packages for hosts that are none yet. */
export const makeOpenRelease =
  (
    parts: { readonly db: Database; readonly ids: Ids; readonly objects: Pick<Objects, 'get'> },
    kinds: readonly ReleaseKind[] = ['bundle'],
  ): OpenRelease =>
  async (hex) => {
    const who = systemViewer('nodes', { correlationId: parts.ids.next() });
    const kind = await parts.db.read(who, (tx) => offeredKind(tx, `sha256:${hex}`));
    if (kind === undefined || !kinds.includes(kind)) return undefined;
    const found = await parts.objects.get(keyOf(hex, kind));
    return found && { size: found.facts.size, contentType: contentTypes[kind], body: found.body };
  };
