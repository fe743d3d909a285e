import { type Facts, linkTo, type Message, momentOf, textOf, type Words } from './words.ts';

const nameOf = ({ allocation }: Facts): string => (allocation === undefined ? 'An allocation' : `"${allocation}"`);
const about = (facts: Facts, message: Omit<Message, 'link'>): Message => ({
  ...message,
  link: linkTo('/allocations', facts.payload['allocation_id'], 'Open the allocation'),
});

/** The allocations of the reader on a host that has a problem. */
const concerned = ({ payload }: Facts): readonly unknown[] => {
  const ids = payload['allocation_ids'];
  return Array.isArray(ids) ? (ids as unknown[]) : [];
};

/** Why the platform ended an allocation, by the reason of the release. */
const endings: Readonly<Record<string, string>> = {
  max_duration: 'its time was up',
  idle: 'it was idle for as long as its auto-stop allows',
  drain: 'its host was drained',
  operator: 'an operator ended it',
  balance_depleted: 'the balance of the organization is used up',
  max_spend: 'it reached the most that it may cost',
  budget: 'a budget was used up',
};

export const computeWords = {
  allocation_active: (facts) =>
    about(facts, {
      tone: 'good',
      title: `${nameOf(facts)} is active`,
      text: ['Its host has proven what was ordered. It is charged from now on.'],
    }),
  allocation_queued: (facts) =>
    about(facts, {
      tone: 'notice',
      title: `${nameOf(facts)} waits for capacity`,
      text: [`It is launched when capacity is free, at the latest at ${momentOf(facts, 'queue_deadline_at')}.`],
    }),
  allocation_failed: (facts) =>
    about(facts, {
      tone: 'bad',
      title: `${nameOf(facts)} failed`,
      text: [`Reason: ${textOf(facts, 'failure_reason')}`, 'Time in which it was not active is not charged.'],
    }),
  allocation_unreachable: (facts) => {
    const [first, ...others] = concerned(facts);
    return {
      tone: 'bad',
      title:
        others.length === 0
          ? `The host of ${facts.allocation === undefined ? 'an allocation' : nameOf(facts)} cannot be reached`
          : `The host of ${others.length + 1} allocations cannot be reached`,
      text: [
        'What runs there goes on, and is reachable again when the host returns. Time without evidence is not charged.',
      ],
      link:
        others.length === 0
          ? linkTo('/allocations', first, 'Open the allocation')
          : { path: '/allocations', label: 'Open the list' },
    };
  },
  gpu_failed: (facts) => ({
    tone: 'bad',
    title: `A GPU of ${facts.allocation === undefined ? 'an allocation' : nameOf(facts)} has a fault`,
    text: [
      'The allocation goes on and is charged. Its page says what the host reports.',
      'Save your work and release it if it does not do what you need; a new launch gets other GPUs.',
    ],
    link: linkTo('/allocations', concerned(facts)[0], 'Open the allocation'),
  }),
  allocation_released: (facts) =>
    about(facts, {
      tone: 'good',
      title: `${nameOf(facts)} was released`,
      text: ['Its host has proven that the machine is gone and its disk is wiped. It is not charged any more.'],
    }),
  allocation_ended: (facts) => {
    const reason = textOf(facts, 'reason');
    return about(facts, {
      tone: 'notice',
      title: `${nameOf(facts)} was released by the platform`,
      text: [
        `It ended at ${momentOf(facts, 'ended_at')} because ${endings[reason] ?? `of the reason "${reason}"`}.`,
        'It is not charged any more. The page of the allocation shows what happened and what it cost.',
      ],
    });
  },
  allocation_release_failed: (facts) =>
    about(facts, {
      tone: 'bad',
      title: `The cleanup of ${facts.allocation === undefined ? 'an allocation' : nameOf(facts)} failed`,
      text: ['It is not charged any more. Operators see to the host; you can try the release again.'],
    }),
  allocation_idle: (facts) =>
    about(facts, {
      tone: 'notice',
      title: `${nameOf(facts)} is idle`,
      text: [
        `Its GPUs have been idle since ${momentOf(facts, 'idle_since')}.`,
        facts.payload['releases_at'] === null
          ? 'It goes on and is charged. Release it when you do not need it any more.'
          : `It is released at ${momentOf(facts, 'releases_at')} unless it is used, or its auto-stop is changed.`,
      ],
    }),
  allocation_attestation_failed: (facts) => {
    const problems = facts.payload['problems'];
    return about(facts, {
      tone: 'bad',
      title: `The host of ${facts.allocation === undefined ? 'an allocation' : nameOf(facts)} failed a check`,
      text: [
        `It found: ${Array.isArray(problems) && problems.length > 0 ? problems.join('; ') : 'no details'}.`,
        'The allocation goes on. Save your work, and release it if it does not do what you need.',
      ],
    });
  },
  drain_notice: (facts) =>
    about(facts, {
      tone: 'notice',
      title: `${nameOf(facts)} has to leave its host by ${momentOf(facts, 'deadline_at')}`,
      text: [
        'Its host is being drained. Save your work and release it before then; what is still there is released at that time.',
      ],
    }),
  drain_called_off: (facts) =>
    about(facts, {
      tone: 'good',
      title: `${nameOf(facts)} may stay on its host`,
      text: ['The drain of its host was cancelled. The earlier notice is void.'],
    }),
} as const satisfies Partial<Words>;
