import { type Static, Type } from 'typebox';
import { AppManifest, AppVersionNumber, imageDigestPattern } from '../../apps/manifest.ts';
import { appChannels, appVisibilities, revocationEffects } from '../../apps/standing.ts';
import { Name, Slug, Timestamp, Uuid } from '../../ids.ts';

const strict = { additionalProperties: false } as const;
const When = Type.Union([Timestamp, Type.Null()]);
export const AppSummary = Type.String({ maxLength: 300, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' });
export const AppLifecycle = Type.Enum(['published', 'promoted', 'deprecated', 'retired']);
export const AppTrust = Type.Enum(['unverified', 'verified', 'failed_verification', 'revoked']);
export const AppChannelName = Type.Enum([...appChannels]);
export const AppVisibilityName = Type.Enum([...appVisibilities], {
  description:
    'Who finds the app: its project, its organization, or every organization. Entitlements add others to the first two.',
});
export const RevocationEffectName = Type.Enum([...revocationEffects], {
  description:
    'What becomes of instances that run: stop ends them, let_run leaves them. New ones are refused in any case.',
});

export const App = Type.Object(
  {
    id: Uuid,
    resource_name: Type.String(),
    organization_id: Uuid,
    project_id: Uuid,
    publisher: Type.String({ description: 'The slug of the organization that publishes it.' }),
    slug: Slug,
    reference: Type.String({ description: 'publisher/slug, which names it everywhere.' }),
    name: Name,
    summary: Type.String(),
    visibility: AppVisibilityName,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'App', ...strict },
);
export type App = Static<typeof App>;

/** One thing that verification looked at. */
export const AppEvidence = Type.Object(
  {
    subject: Type.Enum(['source', 'digest', 'signature', 'sbom'], { description: 'What was looked at.' }),
    result: Type.Enum(['passed', 'failed', 'missing'], {
      description: 'failed: it contradicts the version. missing: it is not there yet, so there is no answer.',
    }),
    detail: Type.String({ description: 'What was found, in a sentence.' }),
  },
  strict,
);
export type AppEvidence = Static<typeof AppEvidence>;

/** How verification goes; it tries again by itself where it could not answer. */
export const AppVerification = Type.Object(
  {
    asked_at: Timestamp,
    tried_at: When,
    due_at: Type.Union([Timestamp, Type.Null()], {
      description: 'When it is tried next; null: not until it is asked for.',
    }),
    tries: Type.Integer({ description: 'Tries without an answer since it was asked for.' }),
    trouble: Type.Union([Type.String(), Type.Null()], {
      description: 'Why the last try gave no answer, such as a registry that cannot be reached.',
    }),
  },
  { $id: 'AppVerification', ...strict },
);
export type AppVerification = Static<typeof AppVerification>;

export const AppVersion = Type.Object(
  {
    id: Uuid,
    resource_name: Type.String(),
    app_id: Uuid,
    app_reference: Type.String(),
    version: AppVersionNumber,
    image_repository: Type.String(),
    image_digest: Type.String({ pattern: imageDigestPattern }),
    manifest: AppManifest,
    manifest_digest: Type.String({ pattern: imageDigestPattern, description: 'Of the manifest as canonical JSON.' }),
    lifecycle_state: AppLifecycle,
    trust_state: AppTrust,
    channel: AppChannelName,
    evidence: Type.Array(AppEvidence),
    verification: AppVerification,
    verified_at: Type.Union([Timestamp, Type.Null()], { description: 'When verification last gave an answer.' }),
    revocation_reason: Type.Union([Type.String(), Type.Null()]),
    revocation_effect: Type.Union([RevocationEffectName, Type.Null()]),
    revision: Type.Integer({
      description: 'How often its lifecycle has changed; name it to refuse a change of another revision.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
    deprecated_at: When,
    retired_at: When,
  },
  { $id: 'AppVersion', ...strict },
);
export type AppVersion = Static<typeof AppVersion>;
