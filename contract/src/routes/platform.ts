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
    second_factor_acr: Type.Union([Type.String(), Type.Null()], {
      description: 'What to send as acr_values for a sign-in with a second factor; null where it is not known.',
    }),
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

/** How an installation presents itself. Whoever runs it says so in the configuration of the api. */
export const Branding = Type.Object(
  {
    name: Type.String({ description: 'What the product is called here.' }),
    logo_url: Type.Union([Type.String(), Type.Null()], { description: 'A path of this server.' }),
    accent: Type.Union(
      [
        Type.Object(
          {
            light: Type.String({ description: 'On light ground, as #rrggbb.' }),
            dark: Type.String({ description: 'On dark ground, as #rrggbb.' }),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: 'The colour of what can be done; null for the usual one.' },
    ),
    support_url: Type.Union([Type.String(), Type.Null()], { description: 'Where people find help.' }),
  },
  { $id: 'Branding', additionalProperties: false },
);
export type Branding = Static<typeof Branding>;

export const brandingGet = defineRoute({
  id: 'branding_get',
  method: 'GET',
  path: '/api/v1/branding',
  tag: 'Health',
  summary: 'What this installation is called and how it looks',
  auth: { kind: 'public', why: 'A page has a name and a face before anybody signs in.' },
  tenancy: { kind: 'none', why: 'The same for everybody.' },
  lane: 'default',
  errors: [],
  response: Branding,
});
