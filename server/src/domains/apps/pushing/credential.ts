import { createHmac, timingSafeEqual } from 'node:crypto';
import { secondMs } from '../../../kernel/units.ts';

/** What the api and the registry of an installation share: its name, and the key that proves logins. */
export interface OwnRegistry {
  readonly name: string;
  readonly key: string;
}
export interface Login {
  readonly user: string;
  readonly password: string;
}

const prove = (key: string, user: string) =>
  createHmac('sha256', key).update(`gpuaas push ${user}`).digest('base64url');

/** A login that says itself which repository it opens and until when, so that the registry has nothing to look up. */
export function makePushLogin(key: string, repository: string, expiresAt: Date): Login {
  const seconds = Math.floor(expiresAt.getTime() / secondMs);
  const user = `push.${Buffer.from(repository).toString('base64url')}.${seconds}`;
  return { user, password: prove(key, user) };
}

/** Whether this login opens this repository now. */
export function mayPush(key: string, { user, password }: Login, repository: string, now: Date): boolean {
  const [, encoded = '', until = ''] = /^push\.([A-Za-z0-9_-]+)\.([0-9]{1,12})$/.exec(user) ?? [];
  const [given, right] = [Buffer.from(password), Buffer.from(prove(key, user))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return false;
  return Buffer.from(encoded, 'base64url').toString('utf8') === repository && now.getTime() < Number(until) * secondMs;
}
