import { sql } from '../../../kernel/act.ts';
import type { Unaudited } from '../../../ports/database/port.ts';

/** Renewing the tokens of a browser session is not an act either: it happens every few minutes. */
export interface ConsoleTokens {
  /** Whether this caller may renew them until then; false when another process is doing it, or has done it. */
  claim(id: string, generation: bigint, now: Date, until: Date): Promise<boolean>;
  renew(id: string, generation: bigint, sealed: Uint8Array): Promise<boolean>;
}

const claim = sql('console-tokens-claim', 'select console_tokens_claim($1, $2, $3, $4) as done');
const renew = sql('console-tokens-renew', 'select console_tokens_renew($1, $2, $3) as done');

export const makeConsoleTokens = (unaudited: Unaudited): ConsoleTokens => ({
  async claim(id, generation, now, until) {
    const [claimed] = await unaudited.rows<{ done: boolean | null }>(claim, [id, generation, now, until]);
    return claimed?.done === true;
  },
  async renew(id, generation, sealed) {
    const [renewed] = await unaudited.rows<{ done: boolean | null }>(renew, [id, generation, sealed]);
    return renewed?.done === true;
  },
});
