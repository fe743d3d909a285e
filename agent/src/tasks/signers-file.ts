import { SignerVersion } from '@gpuaas/contract/node';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

/** What a node knows about task-signing keys, as it lies on its disk. */
const Kept = Type.Object({
  format: Type.Literal(2),
  /** Of the list that was believed last. */
  sequence: Type.Integer({ minimum: 0 }),
  signers: Type.Array(SignerVersion),
  /** Public keys that were revoked, for ever. */
  revoked: Type.Array(Type.String()),
});
type Kept = Static<typeof Kept>;
export type Trust = Readonly<Omit<Kept, 'signers' | 'revoked'>> & {
  readonly signers: readonly SignerVersion[];
  readonly revoked: readonly string[];
};

const kept = Compile(Kept);
/** Agents before format 2 wrote down the last list and nothing else. */
const formerly = Compile(Type.Array(SignerVersion));

/** A node that knows no key obeys none, until an operator enrols it again. It never takes the next list for the first. */
const nobody: Trust = { format: 2, sequence: 0, signers: [], revoked: [] };

/**
 * The list of an older agent is taken over as it stands: these are the keys that the node obeyed, and the next list has
 * to lead back to them. An empty or damaged one leads nowhere.
 */
export function parseTrust(text: string | undefined): Trust {
  let value: unknown;
  try {
    value = JSON.parse(text ?? 'null');
  } catch {
    return nobody;
  }
  if (kept.Check(value)) return value;
  if (!formerly.Check(value)) return nobody;
  const revoked = value.filter(({ state }) => state === 'revoked').map(({ public_key }) => public_key);
  return { ...nobody, signers: value, revoked };
}
