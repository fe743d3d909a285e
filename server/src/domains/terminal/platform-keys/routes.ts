import { hash } from 'node:crypto';
import {
  type SshPlatformKey,
  type SshPlatformKeyKind,
  sshPlatformKeyAnnounce,
  sshPlatformKeyList,
  sshPlatformKeySwitch,
} from '@gpuaas/contract';
import { readKeyLine } from '@gpuaas/contract/ssh';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { mostLivingKeys, retiredSeconds } from '../facts.ts';
import type { TerminalParts } from '../parts.ts';
import { holdKind, listLivingKeys, listPlatformKeys, type PlatformKeyRow, switchKeys } from './store.ts';

const on = handlers<Pick<TerminalParts, 'db' | 'platformKeys'>>();
const unsupported = () =>
  new Fault('terminal_unsupported', 'This installation has no SSH keys of its own: it needs GPUAAS_SECRETS_KEY.');
const targetOf = (row: PlatformKeyRow) => ({ type: 'ssh_platform_key', id: `${row.kind} ${row.number}` });
const changeOf = (row: PlatformKeyRow, reason: string) => ({ kind: row.kind, fingerprint: fingerprintOf(row), reason });

const list = on(sshPlatformKeyList, async ({ db }, who) => ({
  data: (await db.read(who, listPlatformKeys)).map(show),
}));

const announce = on(sshPlatformKeyAnnounce, async ({ db, platformKeys }, act, { params: { kind }, body }) => {
  if (!platformKeys) return unsupported();
  return db.write(act, async (tx) => {
    await holdKind(tx, kind);
    const rows = (await listPlatformKeys(tx)).filter((row) => row.kind === kind);
    const waiting = rows.find(({ used_from }) => used_from === null);
    if (waiting) {
      return tx.abandon(
        new Fault('illegal_transition', `Key ${waiting.number} is announced already. Switch to it first.`),
      );
    }
    if ((await listLivingKeys(tx, kind, retiredSeconds)).length >= mostLivingKeys) {
      const why =
        'The keys before this one are still known to machines for up to an hour. Announce the next one after that.';
      return tx.abandon(new Fault('illegal_transition', why));
    }
    const number = Math.max(0, ...rows.map((row) => row.number)) + 1;
    const row = await platformKeys.add(tx, kind, number);
    if (!row) throw new Error(`the next key of kind ${kind} was not written`);
    return tx.commit(show(row), { target: targetOf(row), change: changeOf(row, body.reason), events: 'none' });
  });
});

const change = on(sshPlatformKeySwitch, async ({ db, platformKeys }, act, { params: { kind }, body }) => {
  if (!platformKeys) return unsupported();
  return db.write(act, async (tx) => {
    await holdKind(tx, kind);
    const row = await switchKeys(tx, kind);
    if (!row) return tx.abandon(new Fault('illegal_transition', 'No key is announced. Announce the next one first.'));
    return tx.commit(show(row), { target: targetOf(row), change: changeOf(row, body.reason), events: 'none' });
  });
});

const fingerprintOf = ({ public_key }: PlatformKeyRow): string =>
  `SHA256:${hash('sha256', readKeyLine(public_key)?.blob ?? new Uint8Array(), 'base64').replace(/=+$/, '')}`;
const stateOf = ({ used_from, retired_at }: PlatformKeyRow): SshPlatformKey['state'] => {
  if (retired_at) return 'retired';
  return used_from ? 'current' : 'announced';
};
const show = (row: PlatformKeyRow): SshPlatformKey => ({
  ...{ kind: row.kind as SshPlatformKeyKind, number: row.number, state: stateOf(row), public_key: row.public_key },
  ...{ fingerprint: fingerprintOf(row), created_at: row.created_at.toISOString() },
  used_from: row.used_from?.toISOString() ?? null,
  retired_at: row.retired_at?.toISOString() ?? null,
});

export const platformKeyRoutes = (parts: Pick<TerminalParts, 'db' | 'platformKeys'>): Mounted[] =>
  [list, announce, change].map((bind) => bind(parts));
