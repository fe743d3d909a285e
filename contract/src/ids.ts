import { Type } from 'typebox';

/** UUIDv7: sorted by time, so indexes stay compact and a list by id is a list by age. */
export const Uuid = Type.String({
  format: 'uuid',
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
});
export const Timestamp = Type.String({ format: 'date-time' });
export const Slug = Type.String({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$', minLength: 1, maxLength: 63 });
/** A display name: no control characters, no blanks at the ends. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f\\s](?:[^\\x00-\\x1f\\x7f-\\x9f]*[^\\x00-\\x1f\\x7f-\\x9f\\s])?$',
});
export const TenantRoleName = Type.Enum(['owner', 'admin', 'member', 'viewer', 'finance']);
/** Money belongs to the organization, so `finance` is no role in a project. */
export const ProjectRoleName = Type.Enum(['owner', 'admin', 'member', 'viewer']);
