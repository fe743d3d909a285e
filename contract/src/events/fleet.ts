import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Timestamp, Uuid } from '../ids.ts';
import { ThingName, Word } from '../words.ts';

const offered = { none: 'Offered to operators and streams; what must follow is found by reconcilers.' };
const strict = { additionalProperties: false } as const;
const facts = {
  node_id: Uuid,
  name: ThingName,
  region: Word,
  state: Word,
  schedulable: Type.Boolean(),
  version: Type.Integer(),
};

export const nodeCreated = defineEvent({
  type: 'provisioning.node.created',
  version: '1.0',
  summary: 'An operator announced a host.',
  producer: 'api',
  consumers: offered,
  payload: Type.Object(facts, strict),
});

export const nodeChanged = defineEvent({
  type: 'provisioning.node.changed',
  version: '1.0',
  summary: 'An operator published, cordoned, quarantined, cleared, retired or readmitted a host.',
  producer: 'api',
  consumers: offered,
  payload: Type.Object(facts, strict),
});

export const nodeDrainRequested = defineEvent({
  type: 'provisioning.node.drain_requested',
  version: '1.0',
  summary: 'A host is being drained until a deadline; its tenants are notified.',
  producer: 'api',
  consumers: ['provisioning-worker'],
  payload: Type.Object({ ...facts, deadline_at: Timestamp, reason: Word }, strict),
});

export const nodeDrainCalledOff = defineEvent({
  type: 'provisioning.node.drain_called_off',
  version: '1.0',
  summary: 'The drain of a host was cancelled; its tenants are notified.',
  producer: 'api',
  consumers: ['provisioning-worker'],
  payload: Type.Object(facts, strict),
});

export const nodeRemovalRequested = defineEvent({
  type: 'provisioning.node.removal_requested',
  version: '1.0',
  summary: 'An empty host is to be removed for good; its credentials are to end.',
  producer: 'api',
  consumers: ['provisioning-worker'],
  payload: Type.Object(facts, strict),
});

export const nodeReimageRequested = defineEvent({
  type: 'provisioning.node.reimage_requested',
  version: '1.0',
  summary: 'An empty host that takes no work is to be reimaged.',
  producer: 'api',
  consumers: ['provisioning-worker'],
  payload: Type.Object(
    {
      ...facts,
      image: Type.Object(
        {
          slug: Word,
          digest: Word,
          driver_strategy: Type.Enum(['preinstalled', 'cloud_init']),
        },
        strict,
      ),
      reason: Word,
    },
    strict,
  ),
});

export const slotsChanged = defineEvent({
  type: 'provisioning.node.slots_changed',
  version: '1.0',
  summary: 'An operator approved, disabled, enabled, quarantined or cleared slots of a host.',
  producer: 'api',
  consumers: offered,
  payload: Type.Object({ node_id: Uuid, slots: Type.Record(Type.String(), Type.Integer()) }, strict),
});
