import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';

export const SignerVersionId = Uuid;

/** The life of a task-signing key. */
export const signerStates = ['staged', 'active', 'grace', 'retired', 'revoked'] as const;
export type SignerState = (typeof signerStates)[number];

/** Staged keys are obeyed so that a rollout may overtake its announcement, keys in grace so that it may be undone. */
export const acceptedSignerStates: readonly SignerState[] = ['staged', 'active', 'grace'];

export const SignerVersion = Type.Object(
  {
    signer_version_id: SignerVersionId,
    public_key: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: 'The raw Ed25519 key in base64url.' }),
    state: Type.Enum([...signerStates]),
    published_at: Timestamp,
    effective_at: Timestamp,
    retires_at: Type.Optional(Timestamp),
  },
  {
    $id: 'SignerVersion',
    description: 'A key that signs tasks. It is separate from every certificate; Ed25519 is the only algorithm.',
  },
);
export type SignerVersion = Static<typeof SignerVersion>;
