import { linkTo, textOf, type Words } from './words.ts';

export const operationsWords = {
  node_lost: (facts) => ({
    tone: 'bad',
    title: `The node ${textOf(facts, 'name')} is silent`,
    text: ['Nothing new is placed there. Its allocations go on when it returns.'],
    link: linkTo('/ops/nodes', facts.payload['node_id'], 'Open the node'),
  }),
  node_quarantined: (facts) => ({
    tone: 'bad',
    title: `The node ${textOf(facts, 'name')} was quarantined`,
    text: [textOf(facts, 'reason')],
    link: linkTo('/ops/nodes', facts.payload['node_id'], 'Open the node'),
  }),
  slots_quarantined: (facts) => ({
    tone: 'bad',
    title: 'Slots were quarantined after a release',
    text: [
      facts.payload['failure_code'] === 'guest_hung'
        ? 'The machine neither shut down nor could it be destroyed.'
        : 'Devices of the machine could not be taken back.',
      'Restart the host, release the allocation again, and clear the slots when the wipe is proven.',
    ],
    link: linkTo('/ops/nodes', facts.payload['node_id'], 'Open the node'),
  }),
  breaker_tripped: (facts) => ({
    tone: 'bad',
    title: `The breaker of ${textOf(facts, 'sku')} in ${textOf(facts, 'region')} tripped`,
    text: ['Automation takes nothing more of this pool until a person has looked and resets the breaker.'],
    link: { path: '/ops/health', label: 'Open health' },
  }),
  dead_letter: (facts) => ({
    tone: 'bad',
    title: `An event ${textOf(facts, 'event_type')} became a dead letter`,
    text: ['It could not be delivered after the last try. Look at its reason, then deliver it again or discard it.'],
    link: { path: '/ops/events', label: 'Open events' },
  }),
} as const satisfies Partial<Words>;
