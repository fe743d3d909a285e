import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Uuid } from '../ids.ts';

const offered = { none: 'Offered to operators and streams; what must follow is found by reconcilers.' };
const about = Type.Object(
  { node_id: Uuid, name: Type.String(), region: Type.String() },
  { additionalProperties: false },
);

export const nodeEnrolled = defineEvent({
  type: 'provisioning.node.enrolled',
  version: '1.0',
  summary: 'A host has proved its token and holds a certificate of its node.',
  producer: 'api',
  consumers: offered,
  payload: about,
});

export const nodeAdmitted = defineEvent({
  type: 'provisioning.node.admitted',
  version: '1.0',
  summary: 'A node reported for the first time and is active; it is asked what it is made of.',
  producer: 'provisioning-worker',
  consumers: offered,
  payload: about,
});

export const nodeLost = defineEvent({
  type: 'provisioning.node.lost',
  version: '1.0',
  summary: 'A node has said nothing for too long, while we were listening.',
  producer: 'provisioning-worker',
  consumers: offered,
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
