import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Slug, Uuid } from '../ids.ts';
import { Sentence, ThingName, Word } from '../words.ts';

export const organizationCreated = defineEvent({
  type: 'tenancy.organization.created',
  version: '1.0',
  summary: 'An organization was created.',
  producer: 'api',
  consumers: { none: 'Offered to webhooks and streams; nothing of ours depends on it.' },
  payload: Type.Object({ organization_id: Uuid, name: ThingName, slug: Slug }, { additionalProperties: false }),
});

export const projectCreated = defineEvent({
  type: 'tenancy.project.created',
  version: '1.0',
  summary: 'A project was created.',
  producer: 'api',
  consumers: { none: 'Offered to webhooks and streams; nothing of ours depends on it.' },
  payload: Type.Object({ project_id: Uuid, name: ThingName, slug: Slug }, { additionalProperties: false }),
});

export const projectChanged = defineEvent({
  type: 'tenancy.project.changed',
  version: '1.0',
  summary: 'A project was renamed, archived or restored.',
  producer: 'api',
  consumers: { none: 'Offered to webhooks and streams; nothing of ours depends on it.' },
  payload: Type.Object(
    { project_id: Uuid, name: ThingName, state: Word, version: Type.Integer() },
    { additionalProperties: false },
  ),
});

export const projectRemovalRequested = defineEvent({
  type: 'tenancy.project.removal_requested',
  version: '1.0',
  summary: 'The removal of a project was requested; what it holds is wound down first.',
  producer: 'api',
  consumers: ['provisioning-worker'],
  payload: Type.Object({ project_id: Uuid, version: Type.Integer() }, { additionalProperties: false }),
});

export const projectRemoved = defineEvent({
  type: 'tenancy.project.removed',
  version: '1.0',
  summary: 'A project was deleted; nothing it held is left.',
  producer: 'provisioning-worker',
  consumers: { none: 'Offered to webhooks and streams; nothing of ours depends on it.' },
  payload: Type.Object({ project_id: Uuid }, { additionalProperties: false }),
});

export const projectRemovalFailed = defineEvent({
  type: 'tenancy.project.removal_failed',
  version: '1.0',
  summary: 'A project could not be removed and is active again.',
  producer: 'provisioning-worker',
  consumers: { none: 'Offered to webhooks and streams; nothing of ours depends on it.' },
  payload: Type.Object({ project_id: Uuid, reason: Sentence }, { additionalProperties: false }),
});
