import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Uuid } from '../ids.ts';
import { namespaceKinds } from '../storage/path.ts';

const strict = { additionalProperties: false } as const;
const namespace = {
  namespace_id: Uuid,
  organization_id: Uuid,
  project_id: Uuid,
  kind: Type.Enum([...namespaceKinds]),
};
const grant = {
  grant_id: Uuid,
  namespace_id: Uuid,
  organization_id: Uuid,
  project_id: Uuid,
  grantee_kind: Type.Enum(['user', 'service_account', 'project']),
  grantee_id: Uuid,
  level: Type.Enum(['read', 'write', 'manage']),
};

export const storageNamespaceCreated = defineEvent({
  type: 'storage.namespace.created',
  version: '1.0',
  summary: 'A project has a new namespace for its files.',
  producer: 'api',
  consumers: ['webhook-worker'],
  payload: Type.Object(namespace, strict),
});

export const storageObjectDeleted = defineEvent({
  type: 'storage.object.deleted',
  version: '1.0',
  summary: 'Files were moved to the trash: one, or a folder with all that was in it.',
  producer: 'api',
  consumers: ['webhook-worker'],
  payload: Type.Object(
    {
      object_id: Uuid,
      namespace_id: Uuid,
      organization_id: Uuid,
      project_id: Uuid,
      entries: Type.Integer({ minimum: 1, description: 'Files and folders that were moved to the trash.' }),
      size_bytes: Type.Integer({ minimum: 0 }),
    },
    strict,
  ),
});

export const storageGrantCreated = defineEvent({
  type: 'storage.grant.created',
  version: '1.0',
  summary: 'A person, a service account or another project may use a namespace.',
  producer: 'api',
  consumers: ['webhook-worker'],
  payload: Type.Object(grant, strict),
});

export const storageGrantRevoked = defineEvent({
  type: 'storage.grant.revoked',
  version: '1.0',
  summary: 'A grant on a namespace was revoked.',
  producer: 'api',
  consumers: ['webhook-worker'],
  payload: Type.Object(grant, strict),
});
