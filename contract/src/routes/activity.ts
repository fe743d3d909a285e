import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';

/** One entry of the audit log, as a member of the project may see it. */
export const Activity = Type.Object(
  {
    id: Uuid,
    actor_id: Type.String(),
    actor_name: Type.Union([Type.String(), Type.Null()], {
      description: 'The name of the person or service account; null for the platform and for nodes.',
    }),
    actor_role: Type.String(),
    action: Type.String(),
    target_type: Type.String(),
    target_id: Type.String(),
    target_name: Type.Union([Type.String(), Type.Null()], {
      description: 'The current name of the object, if it has one and still exists.',
    }),
    simulated: Type.Boolean({
      description: 'It was done to an allocation whose host is simulated: there is no such machine.',
    }),
    result: Type.Enum(['success', 'failure']),
    correlation_id: Type.String(),
    change: Type.Unknown(),
    created_at: Timestamp,
  },
  { $id: 'Activity', additionalProperties: false },
);
export type Activity = Static<typeof Activity>;

export const activityList = defineRoute({
  id: 'activity_list',
  method: 'GET',
  path: '/api/v1/activity',
  tag: 'Activity',
  summary: 'Who did what in the project, newest first',
  auth: { kind: 'user', scope: 'activity:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      actors: Type.Optional(
        Type.Enum(['people', 'all'], {
          default: 'all',
          description: 'people: changes by people and their programs, without the steps of the platform.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: page(Activity),
});
