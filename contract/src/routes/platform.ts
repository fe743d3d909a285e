import { type Static, Type } from 'typebox';
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

/** What a program needs to sign somebody in: whom to ask, and by what name. */
export const SignIn = Type.Object(
  {
    issuer: Type.String({ description: 'The OpenID provider whose tokens count here.' }),
    client_id: Type.String({ description: 'The public client that command lines sign in as.' }),
    scope: Type.String({ description: 'What to ask for.' }),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    device_authorization_endpoint: Type.Union([Type.String(), Type.Null()], {
      description: 'Null when the provider has no device flow.',
    }),
    revocation_endpoint: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'SignIn', additionalProperties: false },
);
export type SignIn = Static<typeof SignIn>;

export const signInGet = defineRoute({
  id: 'sign_in_get',
  method: 'GET',
  path: '/api/v1/sign-in',
  tag: 'Health',
  summary: 'Where and how to sign in',
  auth: { kind: 'public', why: 'Nobody has a token before they have signed in.' },
  tenancy: { kind: 'none', why: 'The same for everybody.' },
  lane: 'default',
  errors: ['service_unavailable'],
  response: SignIn,
});
