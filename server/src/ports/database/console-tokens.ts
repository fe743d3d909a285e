import type { Pool } from 'pg';
import { sql } from '../../kernel/act.ts';
import type { ConsoleTokens } from './port.ts';

const claim = sql('console-tokens-claim', 'select console_tokens_claim($1, $2, $3, $4) as done');
const renew = sql('console-tokens-renew', 'select console_tokens_renew($1, $2, $3) as done');

export const makeConsoleTokens = (pool: Pool): ConsoleTokens => ({
  async claim(id, generation, now, until) {
    const { rows } = await pool.query<{ done: boolean }>({ ...claim, values: [id, generation, now, until] });
    return rows[0]?.done === true;
  },
  async renew(id, generation, sealed) {
    const { rows } = await pool.query<{ done: boolean }>({ ...renew, values: [id, generation, sealed] });
    return rows[0]?.done === true;
  },
});
