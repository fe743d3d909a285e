import { type Static, Type } from 'typebox';
import { Uuid } from '../ids.ts';
import { pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';
import { Meter } from './billing.ts';

const strict = { additionalProperties: false } as const;
const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);
const Whole = (description: string) => Type.String({ pattern: '^-?[0-9]+$', description });
const Hash = (description: string) => Type.String({ pattern: '^[0-9a-f]{64}$', description });
const Micros = (description: string) => Whole(`${description}, in microseconds since 1970.`);

/** Everything that a program without access to the server needs to recompute the charges of a usage line. */
export const UsageProof = Type.Object(
  {
    format: Type.Literal('gpuaas-usage-proof-1'),
    organization_id: Uuid,
    line_id: Uuid,
    allocation_id: {
      ...Uuid,
      description: 'The allocation; for a line of storage the project, for units of an app the instance.',
    },
    meter: Type.Optional(
      Type.Enum(Meter.enum, {
        description: 'What the line is counted by; gpu_time where an older proof does not say it.',
      }),
    ),
    day: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'The day of the line, in UTC.' }),
    ordered_gpus: Type.Integer({ minimum: 1, description: 'No more GPUs than this are charged.' }),
    stop_at: orNull(Micros('When the release was accepted or the cap was reached; evidence after it does not count')),
    before: Type.Object(
      {
        exact: Whole('The exact price of everything before the first window, times 3,600,000,000,000.'),
        charged_minor: Whole('What was charged before the first window.'),
      },
      strict,
    ),
    attestations: Type.Array(
      Type.Object(
        {
          node_id: Uuid,
          generation: Type.Integer({ minimum: 1 }),
          taken_at: Micros('When the node proved the machine ready; evidence before it does not count'),
          gpus: Type.Array(Type.String(), { description: 'UUIDs of the GPUs of the machine.' }),
        },
        strict,
      ),
    ),
    windows: Type.Array(
      Type.Object(
        {
          id: Uuid,
          text: Type.String({ description: 'The window as it was hashed: its fields, separated by U+001F.' }),
        },
        strict,
      ),
      { description: 'Oldest first.' },
    ),
    evidence: Type.Array(
      Type.Object(
        {
          record: Type.String({ description: 'The usage record as the node signed it, in canonical JSON (RFC 8785).' }),
          result_key: Type.String({ description: 'The Ed25519 public key of the node, in base64url.' }),
        },
        strict,
      ),
      { description: 'Every record that the windows rest on, oldest first; none for storage and apps.' },
    ),
    readings: Type.Optional(
      Type.Array(
        Type.String({
          description:
            'A reading as it was hashed: project, organization, time in microseconds, stored bytes, and bytes times microseconds so far, separated by U+001F. For units of an app: instance, meter, time in microseconds, organization, version, endpoint, operating mode, correlation id, and what was counted so far.',
        }),
        {
          description:
            'For storage: what the server noted whenever the stored bytes of the project changed; for units of an app: what it noted whenever more was counted. Oldest first. No host signs them.',
        },
      ),
    ),
    links: Type.Array(
      Type.Object(
        {
          number: Whole('The number of the link in the chain of the organization.'),
          hash_before: Type.String({ pattern: '^([0-9a-f]{64})?$', description: 'The hash of the link before.' }),
          balance_minor: Whole('The balance after the link.'),
          held_minor: Whole('The amount held after the link.'),
          entries: Type.Array(Type.String(), {
            description:
              'The entries as they were hashed, each with its fields separated by U+001F. For units of an app: instance, meter, time in microseconds, organization, version, endpoint, operating mode, correlation id, and what was counted so far.',
          }),
          hash: Hash('SHA-256 over all of it.'),
        },
        strict,
      ),
      { description: 'The links of the chain that hold the entries of these windows, in order.' },
    ),
    next_cursor: orNull(Type.String({ description: 'Further windows of the line.' })),
  },
  { $id: 'UsageProof', ...strict },
);
export type UsageProof = Static<typeof UsageProof>;

export const billingProofGet = defineRoute({
  id: 'billing_proof_get',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/ledger/{line_id}/proof',
  tag: 'Billing',
  summary: 'The proof of a usage line: windows, signed evidence, and links of the chain',
  auth: { kind: 'user', scope: 'billing:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'financial',
  errors: ['organization_not_found', 'ledger_line_not_found', 'cursor_invalid'],
  params: Type.Object({ organization_id: Uuid, line_id: Uuid }, strict),
  query: Type.Object(pageQuery, strict),
  response: UsageProof,
});
