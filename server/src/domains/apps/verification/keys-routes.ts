import { appSigningKeyCreate, appSigningKeyDelete, appSigningKeyList } from '@gpuaas/contract';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import type { AppParts } from '../parts.ts';
import { hasProject } from '../store.ts';
import { deleteKey, findKey, holdAndCountKeys, insertKey, listKeys, showKey } from './keys-store.ts';
import { readPublicKey } from './public-key.ts';

const on = handlers<AppParts>();
const target = (id: string) => ({ type: 'app_signing_key', id });

const create = on(appSigningKeyCreate, ({ db, ids, policy }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const of = { organizationId: act.organizationId, projectId: params.project_id };
    if (!(await hasProject(tx, of))) return tx.abandon(new Fault('project_not_found', 'There is no such object.'));
    const key = readPublicKey(body.public_key);
    if (!key) {
      const why = 'Give the public half as PEM (BEGIN PUBLIC KEY): ECDSA on P-256, as cosign makes, or Ed25519.';
      return tx.abandon(new Fault('app_signing_key_invalid', why));
    }
    const most = policy('apps.max_signing_keys_per_project', of);
    if ((await holdAndCountKeys(tx, of.projectId)) >= most) {
      return tx.abandon(new Fault('app_limit_reached', `A project may pin ${most} keys.`));
    }
    const id = ids.next();
    if (!(await insertKey(tx, { ...of, id, name: body.name }, key))) {
      return tx.abandon(new Fault('app_signing_key_exists', 'The project has pinned this key already.'));
    }
    const row = await findKey(tx, of.projectId, id);
    if (!row) throw new Error('a key was not stored');
    const change = { name: row.name, kind: row.kind, fingerprint: row.fingerprint };
    return tx.commit(showKey(row), { target: target(id), change, events: 'none' });
  }),
);

const list = on(appSigningKeyList, ({ db }, who, { params, query }) =>
  readPage({
    name: 'app-signing-keys',
    query,
    read: (after, limit) =>
      db.read(who, (tx) =>
        listKeys(tx, { organizationId: who.organizationId, projectId: params.project_id }, after, limit),
      ),
    keyOf: ({ id }) => id,
    show: showKey,
  }),
);

const remove = on(appSigningKeyDelete, ({ db }, act, { params }) =>
  db.write(act, async (tx) => {
    const row = await findKey(tx, params.project_id, params.app_signing_key_id);
    if (!row) return tx.abandon(new Fault('app_signing_key_not_found', 'There is no such object.'));
    await deleteKey(tx, row.project_id, row.id);
    const change = { name: row.name, fingerprint: row.fingerprint };
    return tx.commit(showKey(row), { target: target(row.id), change, events: 'none' });
  }),
);

export const keyRoutes = (parts: AppParts): Mounted[] => [create, list, remove].map((bind) => bind(parts));
