import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { canonicalJson } from './canonical.ts';

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
    endorsed_by: Type.Optional(SignerVersionId),
    endorsement: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{86}$',
        description:
          'By the key before it: Ed25519 in base64url, over the canonical JSON of the three fields it vouches for.',
      }),
    ),
  },
  {
    $id: 'SignerVersion',
    description: 'A key that signs tasks. It is separate from every certificate; Ed25519 is the only algorithm.',
  },
);
export type SignerVersion = Static<typeof SignerVersion>;

/**
 * What a key signs when it hands over to its successor. A node pins the keys that it gets when it enrols, and from then
 * on follows these endorsements from the active key that it knows to the one that is active now. An attacker between a
 * node and the control plane can withhold a list, but cannot add a key to it.
 */
export const endorsementText = (of: {
  readonly signer_version_id: string;
  readonly public_key: string;
  readonly endorsed_by: string;
}): string =>
  canonicalJson({
    endorses: 'task-signer',
    signer_version_id: of.signer_version_id,
    public_key: of.public_key,
    endorsed_by: of.endorsed_by,
  });

/**
 * The active key signs the whole list: which keys there are and the state of each. Otherwise anyone could change a
 * state, and a retired key could become active again. The sequence only grows, so an old list cannot be replayed.
 */
export const SignersStatement = Type.Object(
  {
    stated_by: SignerVersionId,
    sequence: Type.Integer({ minimum: 1, description: 'Grows with every change of any key.' }),
    signature: Type.String({
      pattern: '^[A-Za-z0-9_-]{86}$',
      description:
        'By the active key: Ed25519 in base64url, over the canonical JSON of the list, the sequence and stated_by.',
    }),
  },
  { $id: 'SignersStatement' },
);
export type SignersStatement = Static<typeof SignersStatement>;

export const statementText = (of: {
  readonly signers: readonly SignerVersion[];
  readonly stated_by: string;
  readonly sequence: number;
}): string =>
  canonicalJson({ states: 'task-signers', stated_by: of.stated_by, sequence: of.sequence, signers: of.signers });
