import { Type } from 'typebox';
import { Timestamp } from '../ids.ts';
import { defineInternalRoute } from './route.ts';

/** A new certificate for the process that calls, under the names that its present one has. */
export const identityRenew = defineInternalRoute({
  path: '/internal/v1/identity/renew',
  callers: ['terminal-gateway', 'node-log-gateway', 'app-proxy'],
  carries: Type.Object(
    {
      csr: Type.String({
        minLength: 100,
        maxLength: 10_000,
        description: 'A PKCS#10 request in PEM, for a new P-256 or P-384 key. The names in it do not count.',
      }),
    },
    { additionalProperties: false },
  ),
  answers: Type.Object({
    chain: Type.String({ description: 'The certificate, then what leads to the root, in PEM.' }),
    roots: Type.String({ description: 'What this process trusts from now on, in PEM.' }),
    expires_at: Timestamp,
  }),
});
