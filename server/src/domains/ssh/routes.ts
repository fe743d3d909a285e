import {
  projectSshKeyAdd,
  projectSshKeyList,
  projectSshKeyRemove,
  sshKeyAdd,
  sshKeyAdded,
  sshKeyList,
  sshKeyProve,
  sshKeyRemove,
  sshKeyRemoved,
} from '@gpuaas/contract';
import {
  type Act,
  type Database,
  handlers,
  type InProject,
  type Mounted,
  type Viewer,
  type WriteTx,
} from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import type { Policies } from '../policy/index.ts';
import { whyNoProof } from './proof.ts';
import { readPublicKey } from './public-key.ts';
import {
  countKeys,
  findKey,
  insertKey,
  type KeyOwner,
  listKeys,
  markProven,
  projectExists,
  removeKey,
  showKey,
} from './store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly region: string;
  readonly policies: Policies;
}
const on = handlers<Parts>();

const self = (who: Viewer): KeyOwner => ({ kind: 'user', id: who.actorId });
const project = (who: InProject): KeyOwner => ({ kind: 'project', id: who.projectId });

/** `refused` says why a key could not be kept: it is there already, or its owner is gone. */
async function addKey<F extends Fault>(
  parts: Parts,
  act: Act,
  owner: KeyOwner,
  body: { readonly name?: string; readonly public_key: string },
  refused: (tx: WriteTx, fingerprint: string) => Promise<F>,
) {
  const { db, ids, region, policies } = parts;
  // A policy may differ for a person, a project or an organization.
  const key = readPublicKey(body.public_key, { rsaMinBits: policies.number('ssh.rsa_min_bits', act) });
  if ('why' in key) return new Fault('ssh_key_invalid', key.why);
  const limit = policies.number(owner.kind === 'user' ? 'ssh.max_keys_per_user' : 'ssh.max_keys_per_project', act);
  return db.write(act, async (tx) => {
    const kept = await countKeys(tx, owner);
    if (kept >= limit) {
      return tx.abandon(new Fault('ssh_key_limit', `There are ${limit} keys already: remove one first.`, { limit }));
    }
    const name = body.name ?? (key.comment || key.fingerprint);
    const row = await insertKey(tx, owner, { id: ids.next(), name, ...key }, act.actorId);
    if (!row) return tx.abandon(await refused(tx, key.fingerprint));
    const { id, fingerprint, user_id, project_id } = row;
    return tx.commit(showKey(region, row), {
      target: { type: 'ssh_key', id },
      change: { type: row.type, bits: row.bits, fingerprint },
      events: [sshKeyAdded.of(owner.id, { ssh_key_id: id, fingerprint, user_id, project_id })],
    });
  });
}

function pageOfKeys(
  { db, region }: Parts,
  who: Viewer,
  owner: KeyOwner,
  query: { readonly limit?: number; readonly cursor?: string },
) {
  return readPage({
    name: `ssh-keys-of-${owner.kind}`,
    query,
    read: (after, limit) => db.read(who, (tx) => listKeys(tx, owner, after, limit)),
    keyOf: (row) => row.id,
    show: (row) => showKey(region, row),
  });
}

const dropKey = ({ db, region }: Parts, act: Act, owner: KeyOwner, id: string) =>
  db.write(act, async (tx) => {
    const row = await removeKey(tx, owner, id);
    if (!row) return tx.abandon(new Fault('ssh_key_not_found', 'There is no such object.'));
    const { fingerprint, user_id, project_id } = row;
    return tx.commit(showKey(region, row), {
      target: { type: 'ssh_key', id },
      change: { type: row.type, fingerprint },
      events: [sshKeyRemoved.of(owner.id, { ssh_key_id: id, fingerprint, user_id, project_id })],
    });
  });

const exists = (fingerprint: string) => new Fault('ssh_key_exists', `The key ${fingerprint} is there already.`);

const add = on(sshKeyAdd, (parts, act, { body }) =>
  addKey(parts, act, self(act), body, async (_, fingerprint) => exists(fingerprint)),
);
const list = on(sshKeyList, (parts, who, { query }) => pageOfKeys(parts, who, self(who), query));
const remove = on(sshKeyRemove, (parts, act, { params }) => dropKey(parts, act, self(act), params.ssh_key_id));
const prove = on(sshKeyProve, ({ db, region }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const line = await findKey(tx, act.actorId, params.ssh_key_id);
    if (line === undefined) return tx.abandon(new Fault('ssh_key_not_found', 'There is no such object.'));
    const why = whyNoProof(body.signature, { line, userId: act.actorId });
    if (why !== undefined) return tx.abandon(new Fault('ssh_key_proof_invalid', why));
    const row = await markProven(tx, act.actorId, params.ssh_key_id);
    if (!row) throw new Error('a key that was there is gone');
    return tx.commit(showKey(region, row), {
      target: { type: 'ssh_key', id: row.id },
      change: { fingerprint: row.fingerprint },
      events: 'none',
    });
  }),
);
const addToProject = on(projectSshKeyAdd, (parts, act, { body }) =>
  addKey(parts, act, project(act), body, async (tx, fingerprint) =>
    (await projectExists(tx, project(act).id))
      ? exists(fingerprint)
      : new Fault('project_not_found', 'There is no such object.'),
  ),
);
const listOfProject = on(projectSshKeyList, (parts, who, { query }) => pageOfKeys(parts, who, project(who), query));
const removeFromProject = on(projectSshKeyRemove, (parts, act, { params }) =>
  dropKey(parts, act, project(act), params.ssh_key_id),
);

export const sshRoutes = (parts: Parts): Mounted[] =>
  [add, list, remove, prove, addToProject, listOfProject, removeFromProject].map((bind) => bind(parts));
