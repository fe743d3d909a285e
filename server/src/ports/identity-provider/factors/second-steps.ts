import type { Clock } from '../../../kernel/clock.ts';
import type { Records } from '../records.ts';
import type { SecondStep, SecondSteps } from './port.ts';

const kind = 'SecondStep';
const withinSeconds = 10 * 60;
type Extra = Omit<SecondStep, 'accountId' | 'checkedAt'> & { readonly checkedAtMs: number };

/**
 * Where a sign-in stands between its password and its second factor. It is a record like the others: sealed, found by the
 * id of the question that the browser holds, swept when it is old, and gone when the password is changed or the account
 * disabled.
 */
export function makeSecondSteps(parts: { readonly records: Records; readonly clock: Clock }): SecondSteps {
  const records = parts.records.of(kind);
  const nowSeconds = () => parts.clock.now().getTime() / 1_000;
  return {
    async keep(questionId, { accountId, checkedAt, ...rest }) {
      const extra: Extra = { ...rest, checkedAtMs: checkedAt.getTime() };
      const payload = { jti: questionId, accountId, exp: nowSeconds() + withinSeconds, extra };
      await records.upsert(questionId, payload, withinSeconds);
    },
    async find(questionId) {
      const found = (await records.find(questionId)) ?? undefined;
      if (!found?.accountId || (found.exp ?? 0) <= nowSeconds()) return undefined;
      const { checkedAtMs, ...rest } = (found.extra ?? {}) as Partial<Extra>;
      // The release before this one kept no moment: such a sign-in begins anew.
      if (checkedAtMs === undefined) return undefined;
      return { ...rest, accountId: found.accountId, checkedAt: new Date(checkedAtMs) };
    },
    async end(questionId) {
      await records.destroy(questionId);
    },
  };
}
