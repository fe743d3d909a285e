import { type BeginAct, type Database, sql } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { sealedRows } from '../../../kernel/secrets/sealed-rows.ts';
import type { SealedValues } from '../../../kernel/secrets/sealed-values.ts';

/** Where the tokens of a browser lie, for their seal. */
export const consoleSessionPlace = (id: string): string => `console session ${id}`;

// Nobody opens the tokens of a session that is over.
const count = sql(
  'console-session-sealed-count',
  `select sealed_key_id(sealed_tokens) as key_id, count(*) as values from console_sessions where is_me(user_id) and ended_at is null and expires_at > clock_timestamp() group by 1 order by 1`,
);
const stale = sql(
  'console-session-sealed-stale',
  `select id::text as at, sealed_tokens as sealed from console_sessions
   where is_me(user_id) and ended_at is null and expires_at > clock_timestamp() and sealed_key_id(sealed_tokens) = any ($1::text[]) and id::text > $2 order by id::text limit $3`,
);
const replace = sql(
  'console-session-sealed-replace',
  `update console_sessions set sealed_tokens = $3 where id = $1 and sealed_tokens = $2 and is_me(user_id)`,
);

/** The tokens of browsers that are signed in to the console. */
export const sealedConsoleSessions = (parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly seal: Seal;
}): SealedValues =>
  sealedRows({
    ...parts,
    ...{ purpose: 'console', table: 'console_sessions', place: consoleSessionPlace, count, stale, replace },
  });
