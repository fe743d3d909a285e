import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Uuid } from '../ids.ts';
import { Sentence, Word } from '../words.ts';

const strict = { additionalProperties: false } as const;
const instance = {
  app_instance_id: Uuid,
  allocation_id: Uuid,
  organization_id: Uuid,
  project_id: Uuid,
  version: Type.Integer({ minimum: 1 }),
  app_reference: Word,
  app_version: Word,
  simulated: Type.Optional(Type.Boolean({ description: 'Whether the host is simulated: no container runs there.' })),
};
const common = { version: '1.0', producer: 'api', alsoFrom: ['app-runtime-worker'] } as const;

export const appInstanceLaunching = defineEvent({
  ...common,
  type: 'apps.instance.launching',
  summary: 'The container of an instance of an app was ordered from its host.',
  consumers: ['webhook-worker'],
  payload: Type.Object({ ...instance, attempt: Type.Integer({ minimum: 1 }) }, strict),
});
export const appInstanceRunning = defineEvent({
  ...common,
  type: 'apps.instance.running',
  summary: 'An instance of an app answers, and its routes lead to it.',
  consumers: ['webhook-worker'],
  payload: Type.Object({ ...instance }, strict),
});
export const appInstanceStopped = defineEvent({
  ...common,
  type: 'apps.instance.stopped',
  summary: 'An instance of an app was stopped. Its volumes are kept until it is released.',
  consumers: ['webhook-worker'],
  payload: Type.Object({ ...instance }, strict),
});
export const appInstanceFailed = defineEvent({
  ...common,
  type: 'apps.instance.failed',
  summary: 'An instance of an app does not run: its launch failed, or it ended by itself.',
  consumers: ['webhook-worker'],
  payload: Type.Object({ ...instance, failure_code: Word, failure_reason: Sentence }, strict),
});
export const appInstanceUpgraded = defineEvent({
  ...common,
  type: 'apps.instance.upgraded',
  summary: 'An instance of an app answers with the version that it was upgraded to.',
  consumers: ['webhook-worker'],
  payload: Type.Object({ ...instance, from_version: Word }, strict),
});
export const appInstanceRolledBack = defineEvent({
  ...common,
  type: 'apps.instance.rolled_back',
  summary:
    'An instance of an app goes back to its version of before: a person asked for it, or the new version did not become ready.',
  consumers: ['webhook-worker'],
  payload: Type.Object({ ...instance, from_version: Word, reason: Type.Enum(['user', 'not_ready']) }, strict),
});
export const appInstanceUpgrading = defineEvent({
  ...common,
  type: 'apps.instance.upgrading',
  summary: 'An instance of an app is being moved to another version.',
  consumers: ['webhook-worker'],
  payload: Type.Object({ ...instance, from_version: Word }, strict),
});
export const appInstanceReleased = defineEvent({
  ...common,
  type: 'apps.instance.released',
  summary: 'An instance of an app is over, by order or with its allocation.',
  consumers: ['webhook-worker'],
  payload: Type.Object({ ...instance, reason: Type.Enum(['user', 'allocation_ended']) }, strict),
});
