import { type Static, Type } from 'typebox';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;

export const SealedCount = Type.Object(
  {
    purpose: Type.String({ description: 'The purpose of the values: `issuer`, `task-signers`.' }),
    table: Type.String({ description: 'The table that holds them.' }),
    key_id: Type.String({ description: 'The key that sealed them.' }),
    values: Type.Integer({ minimum: 0 }),
    state: Type.Enum(['current', 'former', 'missing'], {
      description: 'Whether that key seals now, only opens, or is missing from the keyring of this process.',
    }),
  },
  { $id: 'SealedCount', ...strict },
);
export type SealedCount = Static<typeof SealedCount>;

export const secretsGet = defineRoute({
  id: 'secrets_get',
  method: 'GET',
  path: '/api/v1/admin/secrets',
  tag: 'AdminOps',
  summary: 'How many stored values each key has sealed: a key with none can be removed',
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy: { kind: 'none', why: 'Keys of the whole platform, for operators only.' },
  lane: 'admin',
  errors: [],
  response: Type.Object({ data: Type.Array(SealedCount) }, strict),
});
