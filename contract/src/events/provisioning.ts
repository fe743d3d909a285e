import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Timestamp, Uuid } from '../ids.ts';
import { Sentence, Word } from '../words.ts';

/** The events of one allocation have its id as their key, so each consumer gets them in order. */
const of = {
  allocation_id: Uuid,
  organization_id: Uuid,
  project_id: Uuid,
  version: Type.Integer({ description: 'The version of the allocation after this event.' }),
  simulated: Type.Optional(
    Type.Boolean({
      description:
        'Whether the host is simulated: there is no such machine. Left out while the allocation has no host.',
    }),
  ),
};
const offered = { none: 'Offered to webhooks and streams; nothing of ours depends on it.' };
const payload = <const P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object({ ...of, ...properties }, { additionalProperties: false });
const generation = Type.Integer({
  minimum: 1,
  description: 'The generation of the lease; a later lease has a greater one.',
});

export const provisioningRequested = defineEvent({
  type: 'provisioning.requested',
  version: '1.0',
  summary: 'Slots are reserved for an allocation; it is to be provisioned.',
  producer: 'api',
  alsoFrom: ['provisioning-worker'],
  consumers: ['provisioning-worker'],
  payload: payload({
    sku: Word,
    gpu_count: Type.Integer({ minimum: 1 }),
    region: Word,
    node_id: Uuid,
    generation,
  }),
});

export const provisioningQueued = defineEvent({
  type: 'provisioning.queued',
  version: '1.0',
  summary: 'No capacity is free for an allocation; it is queued.',
  producer: 'api',
  alsoFrom: ['provisioning-worker'],
  consumers: ['notification-relay', 'webhook-worker'],
  payload: payload({
    sku: Word,
    gpu_count: Type.Integer({ minimum: 1 }),
    region: Word,
    queue_deadline_at: Timestamp,
  }),
});

export const provisioningPhase = defineEvent({
  type: 'provisioning.phase',
  version: '1.0',
  summary: 'A node began the next phase of its work for an allocation.',
  producer: 'api',
  consumers: offered,
  payload: payload({
    generation,
    phase: Sentence,
    percent: Type.Union([Type.Integer({ minimum: 0, maximum: 100 }), Type.Null()]),
  }),
});

export const provisioningActive = defineEvent({
  type: 'provisioning.active',
  version: '1.0',
  summary: 'A node has proven that an allocation is what was ordered. Its price counts from here on.',
  producer: 'provisioning-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: payload({ generation, attestation_id: Uuid, active_at: Timestamp }),
});

export const provisioningRetried = defineEvent({
  type: 'provisioning.retried',
  version: '1.0',
  summary: 'A launch failed because of its host; it is tried on another one, or waits for one.',
  producer: 'provisioning-worker',
  consumers: offered,
  payload: payload({
    generation: Type.Integer({ minimum: 1, description: 'The lease that failed.' }),
    attempt: Type.Integer({ minimum: 2, description: 'The attempt that begins.' }),
    max_attempts: Type.Integer({ minimum: 2 }),
    failure_code: Sentence,
    failure_reason: Sentence,
  }),
});

export const provisioningFailed = defineEvent({
  type: 'provisioning.failed',
  version: '1.0',
  summary: 'A launch failed, expired in the queue, or an active allocation was lost.',
  producer: 'provisioning-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: payload({ failure_code: Sentence, failure_reason: Sentence }),
});

export const provisioningReleasingRequested = defineEvent({
  type: 'provisioning.releasing.requested',
  version: '1.0',
  summary: 'An allocation is to be ended and its slots cleaned.',
  producer: 'api',
  alsoFrom: ['provisioning-worker'],
  consumers: ['provisioning-worker'],
  payload: payload({
    generation,
    node_id: Uuid,
    reason: Word,
    forced: Type.Boolean({ description: 'Forced by an operator: the release does not wait for the guest.' }),
    attempt: Type.Integer({ minimum: 1 }),
  }),
});

export const provisioningReleasingEscalated = defineEvent({
  type: 'provisioning.releasing.escalated',
  version: '1.0',
  summary:
    'The release of a slice escalates: its machine did not shut down in time and is destroyed, or its slots are quarantined.',
  producer: 'api',
  consumers: ['notification-relay'],
  payload: payload({
    generation,
    node_id: Uuid,
    step: Type.Enum(['destroy', 'quarantine'], {
      description:
        'destroy: the machine is destroyed. quarantine: it could not be destroyed, or its devices could not be taken back.',
    }),
    failure_code: Type.Union([Sentence, Type.Null()], { description: 'What the node reported, for a quarantine.' }),
  }),
});

export const provisioningReleasingCompleted = defineEvent({
  type: 'provisioning.releasing.completed',
  version: '1.0',
  summary:
    'Nothing of an allocation is left on its node, with proof. A request that was never provisioned ends here too.',
  producer: 'provisioning-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: payload({ reason: Word, ended_at: Timestamp }),
});

export const provisioningReleaseFailed = defineEvent({
  type: 'provisioning.release_failed',
  version: '1.0',
  summary: 'The cleanup of an allocation failed. It waits for a retry or an operator.',
  producer: 'provisioning-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: payload({ generation, reason: Sentence, attempts: Type.Integer({ minimum: 1 }) }),
});

export const provisioningForceReleaseRequested = defineEvent({
  type: 'provisioning.force_release_requested',
  version: '1.0',
  summary: 'An allocation has to end: the balance of its organization is spent, or its own cap is.',
  producer: 'billing-worker',
  consumers: ['provisioning-worker'],
  payload: payload({ reason: Word }),
});

export const provisioningCleanupRequested = defineEvent({
  type: 'provisioning.cleanup.requested',
  version: '1.0',
  summary: 'An allocation ended without a release; its node is to remove what is left.',
  producer: 'provisioning-worker',
  consumers: ['provisioning-worker'],
  payload: payload({
    generation,
    node_id: Uuid,
    afterwards: Type.Enum(['available', 'quarantined'], {
      description: 'What happens to its slots after cleaning.',
    }),
  }),
});

export const provisioningRestartRequested = defineEvent({
  type: 'provisioning.restart.requested',
  version: '1.0',
  summary: 'The machine of an active allocation is to be restarted; it stays the same allocation.',
  producer: 'api',
  consumers: ['provisioning-worker'],
  payload: payload({ generation }),
});

export const provisioningAttested = defineEvent({
  type: 'provisioning.attested',
  version: '1.0',
  summary: 'The node of an active allocation attested again.',
  producer: 'provisioning-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: payload({
    generation,
    occasion: Type.Enum(['interval', 'restart']),
    passed: Type.Boolean(),
    problems: Type.Array(Sentence, { maxItems: 50 }),
  }),
});

export const provisioningStopped = defineEvent({
  type: 'provisioning.stopped',
  version: '1.0',
  summary: 'The machine of an allocation is stopped. It keeps its place and its disk, and costs nothing.',
  producer: 'provisioning-worker',
  consumers: offered,
  payload: payload({ generation, stopped_at: Timestamp }),
});

export const provisioningStarted = defineEvent({
  type: 'provisioning.started',
  version: '1.0',
  summary: 'The machine of an allocation runs again, with the disk that it had.',
  producer: 'provisioning-worker',
  consumers: offered,
  payload: payload({ generation, started_at: Timestamp }),
});

export const provisioningIdle = defineEvent({
  type: 'provisioning.idle',
  version: '1.0',
  summary: 'An allocation has been idle for as long as its owner allowed.',
  producer: 'provisioning-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: payload({
    idle_since: Timestamp,
    releases_at: Type.Union([Timestamp, Type.Null()], {
      description: 'When it will be released; null for a warning only.',
    }),
  }),
});

export const provisioningDrainNotice = defineEvent({
  type: 'provisioning.drain_notice',
  version: '1.0',
  summary: 'The host of an allocation is drained: allocations that are still there at the deadline are released.',
  producer: 'provisioning-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: payload({ deadline_at: Timestamp }),
});

export const provisioningDrainCalledOff = defineEvent({
  type: 'provisioning.drain_called_off',
  version: '1.0',
  summary: 'The drain of the host was cancelled: the earlier notice is void.',
  producer: 'provisioning-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: payload({}),
});
