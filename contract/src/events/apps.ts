import { Type } from 'typebox';
import { imageDigestPattern } from '../apps/manifest.ts';
import { appChannels, appVisibilities, revocationEffects } from '../apps/standing.ts';
import { defineEvent } from '../event.ts';
import { Uuid } from '../ids.ts';
import { Word } from '../words.ts';

const strict = { additionalProperties: false } as const;
const artifact = {
  app_id: Uuid,
  app_version_id: Uuid,
  organization_id: Uuid,
  project_id: Uuid,
  app_reference: Word,
  app_version: Word,
  image_digest: Type.String({ pattern: imageDigestPattern }),
  visibility: Type.Enum([...appVisibilities]),
  channel: Type.Enum([...appChannels]),
};

export const appArtifactPublished = defineEvent({
  type: 'apps.artifact.published',
  version: '1.0',
  summary: 'A version of an app was published. Nobody has verified it yet.',
  producer: 'api',
  consumers: ['webhook-worker'],
  payload: Type.Object(artifact, strict),
});

export const appArtifactPromoted = defineEvent({
  type: 'apps.artifact.promoted',
  version: '1.0',
  summary: 'A version of an app moved to the next channel. In prod it is for everybody who finds the app.',
  producer: 'api',
  consumers: ['webhook-worker'],
  payload: Type.Object(artifact, strict),
});

export const appArtifactDeprecated = defineEvent({
  type: 'apps.artifact.deprecated',
  version: '1.0',
  summary: 'A version of an app has a successor: nobody is upgraded to it any more.',
  producer: 'api',
  consumers: ['webhook-worker'],
  payload: Type.Object(artifact, strict),
});

export const appArtifactRetired = defineEvent({
  type: 'apps.artifact.retired',
  version: '1.0',
  summary: 'A version of an app is retired: nobody launches it any more.',
  producer: 'api',
  consumers: ['webhook-worker'],
  payload: Type.Object(artifact, strict),
});

export const appArtifactRevoked = defineEvent({
  type: 'apps.artifact.revoked',
  version: '1.0',
  summary: 'The trust in a version of an app was revoked by an operator.',
  producer: 'api',
  consumers: ['webhook-worker'],
  payload: Type.Object({ ...artifact, effect: Type.Enum([...revocationEffects]) }, strict),
});

export const appArtifactVerified = defineEvent({
  type: 'apps.artifact.verified',
  version: '1.0',
  summary: 'A version of an app was verified: its source, digest, signature and SBOM are in order.',
  producer: 'app-runtime-worker',
  consumers: ['webhook-worker'],
  payload: Type.Object(artifact, strict),
});

export const appArtifactFailedVerification = defineEvent({
  type: 'apps.artifact.failed_verification',
  version: '1.0',
  summary: 'A version of an app failed verification: what its registry has contradicts it. Its evidence says why.',
  producer: 'app-runtime-worker',
  consumers: ['webhook-worker'],
  payload: Type.Object(artifact, strict),
});
