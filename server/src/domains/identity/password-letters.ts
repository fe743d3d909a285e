import { hash } from 'node:crypto';
import { passwordLinkRequested } from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer, type WriteTx } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import { drop, find, insert } from './password-letters-store.ts';

export interface PasswordLetter {
  readonly login: string;
  readonly email: string;
  readonly token: string;
  readonly expiresAt: Date;
}
export type FindPasswordLetter = (id: string, correlationId: string) => Promise<PasswordLetter | undefined>;

const tokensOf = (seal: { digests(purpose: string, value: string): Buffer[] }, id: string): string[] =>
  seal.digests('password letter', id).map((digest) => digest.toString('base64url'));

const hashed = (token: string): string => hash('sha256', token, 'hex');

export interface PasswordLetters {
  /** A new letter and the token that it will carry. Nothing is written yet. */
  make(): { readonly id: string; readonly token: string };
  /** Hands the letter to the process that sends letters. */
  post(letter: {
    readonly id: string;
    readonly accountId: string;
    readonly login: string;
    readonly email: string;
    readonly expiresAt: Date;
  }): Promise<void>;
}
export function makePasswordLetters(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly seal: { digests(purpose: string, value: string): Buffer[] };
}): PasswordLetters {
  const tokenOf = (id: string) => tokensOf(parts.seal, id)[0] as string;
  return {
    make() {
      const id = parts.ids.next();
      return { id, token: tokenOf(id) };
    },
    async post({ id, accountId, login, email, expiresAt }) {
      await parts.db.write(parts.begin('password_link.request', { correlationId: id }), async (tx) => {
        await tx.run(insert, [id, accountId, login, email, hashed(tokenOf(id)), expiresAt]);
        return tx.commit(undefined, {
          target: { type: 'account', id: accountId },
          events: [passwordLinkRequested.of(accountId, { letter_id: id })],
        });
      });
    },
  };
}

/** The letter as long as its link works, for the process that sends it. */
export const makeFindPasswordLetter =
  (parts: {
    readonly db: Database;
    readonly clock: Clock;
    readonly seal: { digests(purpose: string, value: string): Buffer[] };
  }): FindPasswordLetter =>
  async (id, correlationId) => {
    const [row] = await parts.db.read(systemViewer('identity', { correlationId }), (tx) =>
      tx.rows<{ login: string; email: string; token_hash: string; expires_at: Date }>(find, [id]),
    );
    if (!row || row.expires_at <= parts.clock.now()) return undefined;
    const token = tokensOf(parts.seal, id).find((each) => hashed(each) === row.token_hash);
    return token === undefined ? undefined : { login: row.login, email: row.email, token, expiresAt: row.expires_at };
  };

/** Forgets the address once the letter has left, or will never leave. */
export const dropPasswordLetter = (tx: WriteTx, id: string) => tx.run(drop, [id]);
