import type { LastRelease } from '@gpuaas/sdk';
import { spellMoney } from '../money.ts';
import { counted } from '../sizes.ts';
import { spellMoment } from '../time.ts';

/** What happened, in plain sentences: what was released, when, and what it had cost. */
export function tellRelease({ from, to, count, cost }: NonNullable<LastRelease['release']>): readonly string[] {
  const when = spellMoment(from) === spellMoment(to) ? `at ${spellMoment(to)}` : `by ${spellMoment(to)}`;
  const [were, they] = count === 1 ? ['was', 'It'] : ['were', 'They'];
  return [
    `The balance was used up, so ${counted(count, 'allocation')} ${were} released ${when}.`,
    `${they} had cost ${spellMoney(cost)} from beginning to end. Nothing is charged after a release.`,
  ];
}
