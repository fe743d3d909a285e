import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { TenantRoleName, Uuid } from '../ids.ts';
import { ThingName, Word } from '../words.ts';

const offered = { none: 'Offered to webhooks and streams; nothing of ours depends on it.' };
const payload = <const P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

export const organizationDeleted = defineEvent({
  type: 'tenancy.organization.deleted',
  version: '1.0',
  summary: 'An organization was deleted by an owner.',
  producer: 'api',
  consumers: offered,
  payload: payload({ organization_id: Uuid }),
});

export const departmentChanged = defineEvent({
  type: 'tenancy.department.changed',
  version: '1.0',
  summary: 'A department was created, renamed, disabled or enabled.',
  producer: 'api',
  consumers: offered,
  payload: payload({ department_id: Uuid, name: ThingName, state: Word, version: Type.Integer() }),
});

export const memberChanged = defineEvent({
  type: 'tenancy.member.changed',
  version: '1.0',
  summary: 'A person joined an organization, changed role or left it.',
  producer: 'api',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: payload({
    user_id: Uuid,
    role: Type.Union([TenantRoleName, Type.Null()], { description: 'Null for a former member.' }),
  }),
});

export const projectMemberChanged = defineEvent({
  type: 'tenancy.project_member.changed',
  version: '1.0',
  summary: 'A person was given a role in a project, or lost it.',
  producer: 'api',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: payload({ project_id: Uuid, user_id: Uuid, role: Type.Union([TenantRoleName, Type.Null()]) }),
});

export const invitationCreated = defineEvent({
  type: 'tenancy.invitation.created',
  version: '1.0',
  summary: 'A person was invited to an organization.',
  producer: 'api',
  consumers: ['email-worker'],
  payload: payload({ invitation_id: Uuid, role: TenantRoleName }),
});

export const invitationRevoked = defineEvent({
  type: 'tenancy.invitation.revoked',
  version: '1.0',
  summary: 'An invitation was revoked.',
  producer: 'api',
  consumers: offered,
  payload: payload({ invitation_id: Uuid }),
});

export const invitationAccepted = defineEvent({
  type: 'tenancy.invitation.accepted',
  version: '1.0',
  summary: 'A person accepted an invitation and is now a member.',
  producer: 'api',
  consumers: ['webhook-worker'],
  payload: payload({ invitation_id: Uuid, user_id: Uuid, role: TenantRoleName }),
});

export const passwordLinkRequested = defineEvent({
  type: 'tenancy.password_link.requested',
  version: '1.0',
  summary: 'A person asked for a link to set a password at our own identity provider.',
  producer: 'api',
  consumers: ['email-worker'],
  payload: payload({ letter_id: Uuid }),
});

export const factorsChanged = defineEvent({
  type: 'tenancy.factors.changed',
  version: '1.0',
  summary: 'The second factors of an account of our own identity provider changed, or a recovery code was used.',
  producer: 'api',
  consumers: ['email-worker', 'notification-relay'],
  payload: payload({
    letter_id: Uuid,
    user_id: Type.Optional({ ...Uuid, description: 'Left out while the account has never called the API.' }),
    change: Type.Enum([
      'factor_added',
      'factor_removed',
      'recovery_codes_renewed',
      'recovery_code_used',
      'factors_reset',
    ]),
  }),
});

export const sshKeyAdded = defineEvent({
  type: 'tenancy.ssh_key.added',
  version: '1.0',
  summary: 'A person or a project has a new SSH key.',
  producer: 'api',
  consumers: ['notification-relay'],
  payload: payload({
    ssh_key_id: Uuid,
    fingerprint: Word,
    user_id: Type.Union([Uuid, Type.Null()]),
    project_id: Type.Union([Uuid, Type.Null()]),
  }),
});

export const sshKeyRemoved = defineEvent({
  type: 'tenancy.ssh_key.removed',
  version: '1.0',
  summary: 'An SSH key of a person or of a project was removed.',
  producer: 'api',
  consumers: offered,
  payload: payload({
    ssh_key_id: Uuid,
    fingerprint: Word,
    user_id: Type.Union([Uuid, Type.Null()]),
    project_id: Type.Union([Uuid, Type.Null()]),
  }),
});
