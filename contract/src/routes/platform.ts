import { Type } from 'typebox';
import { defineRoute } from '../route.ts';

export const versionGet = defineRoute({
  id: 'version_get',
  method: 'GET',
  path: '/api/v1/version',
  tag: 'Health',
  summary: 'Which release answers',
  auth: { kind: 'public', why: 'A client must be able to tell what it talks to before it can sign in.' },
  tenancy: { kind: 'none', why: 'The same for everybody.' },
  lane: 'default',
  errors: [],
  response: Type.Object({ product: Type.String(), version: Type.String() }, { additionalProperties: false }),
});
