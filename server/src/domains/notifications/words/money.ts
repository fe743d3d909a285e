import { showMoney } from '@gpuaas/contract';
import { dayMs, hourMs, minuteMs, secondMs } from '../../../kernel/units.ts';
import { type Facts, type Message, momentOf, textOf, type Words } from './words.ts';

export const billing: Message['link'] = { path: '/billing', label: 'Open billing' };
export const ofOrganization = ({ organization }: Facts): string =>
  organization === undefined ? 'the organization' : `"${organization}"`;

/** An amount of the payload in its currency. */
export const amountOf = (facts: Facts, field: string): string => {
  const [amount, currency] = [textOf(facts, field), textOf(facts, 'currency')];
  return /^-?[0-9]+$/.test(amount) && /^[A-Z]{3}$/.test(currency) ? showMoney(BigInt(amount), currency) : 'an amount';
};

const lengths = [
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
] as const;
/** `6 hours`; the largest unit that fits. */
function lastsFor(facts: Facts): string | undefined {
  const seconds = facts.payload['runway_seconds'];
  if (typeof seconds !== 'number') return undefined;
  const [unit, length] = lengths.find(([, each]) => seconds * secondMs >= each) ?? ['minute', minuteMs];
  const count = Math.floor((seconds * secondMs) / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
const topUp = 'Add to the balance to go on; a top-up undoes each step.';

/** Where machines are stopped before they are released. */
const stopsFirst = (facts: Facts): string | undefined =>
  typeof facts.payload['stops_at'] === 'string'
    ? `Machines are stopped at ${momentOf(facts, 'stops_at')}. They keep their disks until ${momentOf(facts, 'releases_at')}, and are released then.`
    : undefined;

/** What happens to files, where the organization has any. */
const storedWords = ({ payload }: Facts): readonly string[] =>
  typeof payload['stored_bytes'] === 'number' && payload['stored_bytes'] > 0
    ? [
        'Uploads are refused. Files stay where they are: they can be downloaded and deleted, and nothing is deleted for you.',
      ]
    : [];

export const moneyWords = {
  balance_low: (facts) => {
    const left = lastsFor(facts);
    return {
      tone: 'notice',
      title: `The balance of ${ofOrganization(facts)} is low: ${amountOf(facts, 'balance_minor')}`,
      text: [left ? `At the present rate it lasts for ${left}.` : 'Nothing is active at the moment.', topUp],
      link: billing,
    };
  },
  release_announced: (facts) => ({
    tone: 'bad',
    title: `Everything of ${ofOrganization(facts)} is released at ${momentOf(facts, 'releases_at')} without a top-up`,
    text: [
      `The balance is ${amountOf(facts, 'balance_minor')}. Launches are refused.`,
      stopsFirst(facts) ?? 'What runs is released at that time.',
      topUp,
    ],
    link: billing,
  }),
  balance_depleted: (facts) => ({
    tone: 'bad',
    title: `The balance of ${ofOrganization(facts)} is used up`,
    text: [
      typeof facts.payload['releases_at'] === 'string'
        ? (stopsFirst(facts) ?? `What still runs is released at ${momentOf(facts, 'releases_at')}.`)
        : 'Launches are refused.',
      ...storedWords(facts),
      topUp,
    ],
    link: billing,
  }),
  machines_stopped: (facts) => ({
    tone: 'bad',
    title: `The machines of ${ofOrganization(facts)} are stopped: the balance is used up`,
    text: [
      `They cost nothing while they are stopped, and keep their disks until ${momentOf(facts, 'releases_at')}. Then everything is released.`,
      'Add to the balance, and they start again.',
    ],
    link: billing,
  }),
  balance_recovered: (facts) => ({
    tone: 'good',
    title: `The balance of ${ofOrganization(facts)} lasts again: ${amountOf(facts, 'balance_minor')}`,
    text: ['What was announced is called off, and stopped machines start again. Launches and uploads are accepted.'],
    link: billing,
  }),
  payment_received: (facts) => ({
    tone: 'good',
    title: `${amountOf(facts, 'amount_minor')} was added to the balance of ${ofOrganization(facts)}`,
    text: [`The balance is now ${amountOf(facts, 'balance_minor')}.`],
    link: billing,
  }),
  payment_unclear: (facts) => ({
    tone: 'bad',
    title: `A payment of ${ofOrganization(facts)} does not fit what its provider says`,
    text: [`${textOf(facts, 'provider')}: ${textOf(facts, 'problem')}`],
    link: { path: '/ops/payments', label: 'Open payments' },
  }),
} as const satisfies Partial<Words>;
