import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Uuid } from '../ids.ts';
import { Sentence, ThingName, Word } from '../words.ts';

const offered = { none: 'Offered to operators and streams; what must follow is found by reconcilers.' };
const strict = { additionalProperties: false } as const;
const whom = { node_id: Uuid, name: ThingName, region: Word };
const about = Type.Object(whom, strict);

export const nodeEnrolled = defineEvent({
  type: 'provisioning.node.enrolled',
  version: '1.0',
  summary: 'A host has enrolled with its token and holds a certificate of its node.',
  producer: 'api',
  consumers: offered,
  payload: about,
});

export const nodeAdmitted = defineEvent({
  type: 'provisioning.node.admitted',
  version: '1.0',
  summary: 'A node has reported, was discovered and passed its health probe: it is active.',
  producer: 'provisioning-worker',
  consumers: offered,
  payload: about,
});

export const nodeLost = defineEvent({
  type: 'provisioning.node.lost',
  version: '1.0',
  summary: 'A node has been silent for too long while the control plane was listening.',
  producer: 'provisioning-worker',
  consumers: ['notification-relay'],
  payload: about,
});

export const nodeReturned = defineEvent({
  type: 'provisioning.node.returned',
  version: '1.0',
  summary: 'A node that was lost reports again.',
  producer: 'provisioning-worker',
  consumers: offered,
  payload: about,
});

export const nodeQuarantined = defineEvent({
  type: 'provisioning.node.quarantined',
  version: '1.0',
  summary: 'A node failed its checks: it gets no new work until an operator clears it.',
  producer: 'provisioning-worker',
  consumers: ['notification-relay'],
  payload: Type.Object({ ...whom, reason: Sentence }, strict),
});

export const nodeDrained = defineEvent({
  type: 'provisioning.node.drained',
  version: '1.0',
  summary: 'A drained node is empty: it is retired.',
  producer: 'provisioning-worker',
  consumers: offered,
  payload: about,
});

export const nodeRemoved = defineEvent({
  type: 'provisioning.node.removed',
  version: '1.0',
  summary: 'A node was removed: it held nothing, and its credentials are revoked.',
  producer: 'provisioning-worker',
  consumers: offered,
  payload: about,
});

export const nodeReimaged = defineEvent({
  type: 'provisioning.node.reimaged',
  version: '1.0',
  summary: 'A node has proven that it was reimaged.',
  producer: 'provisioning-worker',
  consumers: offered,
  payload: Type.Object({ ...whom, image: Word, digest: Word }, strict),
});
