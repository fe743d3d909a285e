import { type Static, Type } from 'typebox';
import { Name, Timestamp, Uuid } from '../ids.ts';
import { defineRoute } from '../route.ts';
import { recentSignIn } from '../step-up.ts';

const strict = { additionalProperties: false } as const;

/** The second factors of a person. */
export const SecondFactor = Type.Object(
  {
    id: Uuid,
    kind: Type.Enum(['totp', 'passkey'], {
      description: 'totp: an authenticator app that shows codes. passkey: a key on a device (WebAuthn).',
    }),
    name: Name,
    created_at: Timestamp,
    last_used_at: Type.Union([Timestamp, Type.Null()]),
  },
  { $id: 'SecondFactor', ...strict },
);
export type SecondFactor = Static<typeof SecondFactor>;

const codes = Type.String({ description: 'Ten codes, separated by spaces. They are shown here and never again.' });

export const SecondFactors = Type.Object(
  {
    managed: Type.Boolean({
      description: 'False if another identity provider keeps the factors: manage them there.',
    }),
    required: Type.Boolean({ description: 'Whether a policy requires a second factor for sensitive operations.' }),
    passkeys: Type.Boolean({
      description: 'Whether passkeys can be added: browsers make them for a domain with TLS, not for an IP address.',
    }),
    factors: Type.Array(SecondFactor, { description: 'Oldest first; at most 10.' }),
    recovery_codes_left: Type.Integer({ description: 'Recovery codes that are left.' }),
  },
  { $id: 'SecondFactors', ...strict },
);
export type SecondFactors = Static<typeof SecondFactors>;

export const NewAuthenticator = Type.Object(
  {
    id: Uuid,
    secret: Type.String({ description: 'The key for an app without a camera. It is shown here and never again.' }),
    uri: Type.String({ description: 'The same for a QR code (otpauth://). It is shown here and never again.' }),
    expires_at: Timestamp,
  },
  { $id: 'NewAuthenticator', ...strict },
);
export type NewAuthenticator = Static<typeof NewAuthenticator>;

export const ConfirmedFactor = Type.Object(
  {
    factor: SecondFactor,
    recovery_codes: Type.Union([codes, Type.Null()], { description: 'With the first factor alone.' }),
  },
  { $id: 'ConfirmedFactor', ...strict },
);
export type ConfirmedFactor = Static<typeof ConfirmedFactor>;

export const NewPasskey = Type.Object(
  {
    id: Uuid,
    options: Type.Unknown({
      description: 'What navigator.credentials.create wants, as PublicKeyCredentialCreationOptionsJSON of the W3C.',
    }),
    expires_at: Timestamp,
  },
  { $id: 'NewPasskey', ...strict },
);
export type NewPasskey = Static<typeof NewPasskey>;

const own = { tag: 'Factors', tenancy: { kind: 'self' }, lane: 'default' } as const;
const changing = {
  ...own,
  auth: { kind: 'user', scope: 'factors:write', serviceAccounts: 'refused', personalTokens: 'refused' },
  stepUp: recentSignIn,
  idempotency: 'key',
} as const;
const ofFactor = Type.Object({ factor_id: Uuid }, strict);

export const factorList = defineRoute({
  ...own,
  id: 'factor_list',
  method: 'GET',
  path: '/api/v1/me/factors',
  summary: "The caller's second factors",
  auth: { kind: 'user', scope: 'factors:read', serviceAccounts: 'refused' },
  errors: [],
  response: SecondFactors,
});

export const factorBegin = defineRoute({
  ...changing,
  id: 'factor_begin',
  method: 'POST',
  path: '/api/v1/me/factors',
  summary: 'Begin to add an authenticator app; it counts once a code of it confirmed it, within ten minutes',
  audit: 'factor.begin',
  errors: ['factors_elsewhere', 'factor_not_found', 'factor_limit', 'step_up_required'],
  status: 201,
  body: Type.Object({ name: Name }, strict),
  response: NewAuthenticator,
  shownOnce: ['secret', 'uri'],
});

export const factorConfirm = defineRoute({
  ...changing,
  id: 'factor_confirm',
  method: 'POST',
  path: '/api/v1/me/factors/{factor_id}/confirm',
  summary: 'Confirm a new factor by a first code; sign-in asks for it from then on',
  audit: 'factor.add',
  errors: [
    'factors_elsewhere',
    'factor_not_found',
    'factor_code_wrong',
    'factor_attempts_exceeded',
    'step_up_required',
  ],
  params: ofFactor,
  body: Type.Object({ code: Type.String({ minLength: 6, maxLength: 32 }) }, strict),
  response: ConfirmedFactor,
  shownOnce: ['recovery_codes'],
});

export const passkeyBegin = defineRoute({
  ...changing,
  id: 'passkey_begin',
  method: 'POST',
  path: '/api/v1/me/passkeys',
  summary: 'Begin to add a passkey; it counts once the browser has made it, within five minutes',
  audit: 'passkey.begin',
  errors: ['factors_elsewhere', 'factor_not_found', 'factor_limit', 'passkeys_unavailable', 'step_up_required'],
  status: 201,
  body: Type.Object({ name: Name }, strict),
  response: NewPasskey,
});

export const passkeyConfirm = defineRoute({
  ...changing,
  id: 'passkey_confirm',
  method: 'POST',
  path: '/api/v1/me/passkeys/{factor_id}/confirm',
  summary: 'Add the passkey that the browser made; sign-in asks for it from then on',
  audit: 'passkey.add',
  errors: [
    'factors_elsewhere',
    'factor_not_found',
    'passkey_wrong',
    'passkeys_unavailable',
    'factor_attempts_exceeded',
    'step_up_required',
  ],
  params: ofFactor,
  body: Type.Object(
    {
      credential: Type.Unknown({ description: 'What the browser answered, as RegistrationResponseJSON of the W3C.' }),
    },
    strict,
  ),
  response: ConfirmedFactor,
  shownOnce: ['recovery_codes'],
});

export const factorRemove = defineRoute({
  ...changing,
  id: 'factor_remove',
  method: 'DELETE',
  path: '/api/v1/me/factors/{factor_id}',
  summary: 'Remove a factor; with the last one the recovery codes go as well',
  audit: 'factor.remove',
  errors: ['factors_elsewhere', 'factor_not_found', 'last_factor', 'step_up_required'],
  params: ofFactor,
  response: SecondFactor,
});

export const recoveryCodesRenew = defineRoute({
  ...changing,
  id: 'recovery_codes_renew',
  method: 'POST',
  path: '/api/v1/me/recovery-codes',
  summary: 'Make ten new recovery codes; the old ones stop working',
  audit: 'factor.renew_codes',
  errors: ['factors_elsewhere', 'factor_not_found', 'step_up_required'],
  body: Type.Object(
    {
      reason: Type.Optional(Type.String({ minLength: 3, maxLength: 500, description: 'Why; kept in the audit log.' })),
    },
    strict,
  ),
  response: Type.Object({ recovery_codes: codes }, { $id: 'RecoveryCodes', ...strict }),
  shownOnce: ['recovery_codes'],
});

export const userFactorsReset = defineRoute({
  id: 'user_factors_reset',
  method: 'POST',
  path: '/api/v1/admin/users/{user_id}/factors/reset',
  tag: 'AdminUsers',
  summary: 'Remove the second factors of a person who lost them, and end all their sessions',
  auth: { kind: 'admin', scope: 'roles:admin' },
  tenancy: { kind: 'none', why: 'Operators manage all people, in any organization.' },
  lane: 'admin',
  idempotency: 'key',
  stepUp: recentSignIn,
  audit: 'user.factors_reset',
  errors: ['user_not_found', 'user_erased', 'factors_elsewhere'],
  params: Type.Object({ user_id: Uuid }, strict),
  body: Type.Object(
    { reason: Type.String({ minLength: 3, maxLength: 500, description: 'Why; kept in the audit log.' }) },
    strict,
  ),
  response: Type.Object(
    { removed: Type.Integer({ description: 'How many factors were removed.' }) },
    { $id: 'FactorsReset', ...strict },
  ),
});
