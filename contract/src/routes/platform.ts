import { type Static, Type } from 'typebox';
import { defineRoute } from '../route.ts';

export const versionGet = defineRoute({
  id: 'version_get',
  method: 'GET',
  path: '/api/v1/version',
  tag: 'Health',
  summary: 'The version of this installation',
  auth: { kind: 'public', why: 'A client needs the version before it signs in.' },
  tenancy: { kind: 'none', why: 'The same for everybody.' },
  lane: 'default',
  errors: [],
  response: Type.Object(
    {
      product: Type.String(),
      version: Type.String(),
      commit: Type.Union([Type.String(), Type.Null()], {
        description: 'The commit that the package was made from; null where it runs from a clone.',
      }),
      contract: Type.String({
        description: 'A digest of the description of the API, with the kind of digest before it.',
      }),
    },
    { additionalProperties: false },
  ),
});

/** What a program needs for a sign-in: the provider and the client id. */
export const SignIn = Type.Object(
  {
    issuer: Type.String({ description: 'The OpenID provider whose tokens count here.' }),
    client_id: Type.String({ description: 'The public client that command lines sign in as.' }),
    scope: Type.String({ description: 'The scopes to request.' }),
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
  auth: { kind: 'public', why: 'A caller has no token before sign-in.' },
  tenancy: { kind: 'none', why: 'The same for everybody.' },
  lane: 'default',
  errors: ['service_unavailable'],
  response: SignIn,
});

/** The branding of an installation. Its operator sets it in the configuration of the api. */
export const Branding = Type.Object(
  {
    name: Type.String({ description: 'The product name of this installation.' }),
    logo_url: Type.Union([Type.String(), Type.Null()], { description: 'A path of this server.' }),
    accent: Type.Union(
      [
        Type.Object(
          {
            light: Type.String({ description: 'For light backgrounds, as #rrggbb.' }),
            dark: Type.String({ description: 'For dark backgrounds, as #rrggbb.' }),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: 'The accent color; null for the default.' },
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
  summary: 'The name and branding of this installation',
  auth: { kind: 'public', why: 'Pages show name and branding before sign-in.' },
  tenancy: { kind: 'none', why: 'The same for everybody.' },
  lane: 'default',
  errors: [],
  response: Branding,
});
