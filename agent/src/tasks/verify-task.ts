import { NodeTask, type NodeTaskType, nodeTaskKinds } from '@gpuaas/contract/node';
import { type Static, type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { Signers } from './signers.ts';

/**
 * Whether a task may be obeyed. Nothing in here has an effect, and nothing is done before all of it is passed: shape,
 * signature, address, time, type, params, in this order, so that whatever is said about a task after its signature is
 * said about words of the control plane. What only the disk can tell, whether the task was seen, comes after.
 */
export type Verdict =
  | { readonly task: NodeTask }
  /**
   * `answerable` tasks were really ours: the control plane gets a result that says that nothing was done. Others are
   * only counted.
   */
  | { readonly refusal: Refusal; readonly answerable?: NodeTask };

export const refusals = [
  'malformed',
  'unknown_signer',
  'bad_signature',
  'foreign_node',
  'not_yet_valid',
  'task_expired',
  'lives_too_long',
  'unknown_type',
  'bad_params',
] as const;
export type Refusal = (typeof refusals)[number];

/** The same envelope with any type, so that an unknown type differs from an invalid task. */
const Envelope = Type.Object({ ...NodeTask.properties, task_type: Type.String({ minLength: 1, maxLength: 100 }) });
const envelope = Compile(Envelope);

const paramsOf = new Map<string, Validator>();
function checksOf(type: NodeTaskType): Validator {
  const known = paramsOf.get(type);
  if (known) return known;
  const made = Compile(nodeTaskKinds[type].params as TSchema) as unknown as Validator;
  paramsOf.set(type, made);
  return made;
}
export const isKnownType = (type: string): type is NodeTaskType => Object.hasOwn(nodeTaskKinds, type);
export const hasGoodParams = (type: NodeTaskType, params: unknown): boolean => checksOf(type).Check(params);

/** How far the control plane's clock, as we count it, may be behind the one that stamped the task. */
const earlyMs = 2 * 60_000;
/** Seen ids are kept until they expire, so a life has a bound. */
const longestLifeMs = 24 * 60 * 60_000;

export function verifyTask(
  parts: { readonly nodeId: string; readonly signers: Signers; readonly nowMs: number },
  value: unknown,
): Verdict {
  if (!envelope.Check(value)) return { refusal: 'malformed' };
  const said: Static<typeof Envelope> = value;
  const signature = verifySignature(parts, said);
  if (signature !== 'holds') return { refusal: signature };
  if (said.node_id !== parts.nodeId) return { refusal: 'foreign_node' };
  const task = said as NodeTask;
  const late = verifyTime(said, parts.nowMs);
  // The control plane knows by itself what has expired.
  if (late) return { refusal: late };
  if (!isKnownType(said.task_type)) return { refusal: 'unknown_type', answerable: task };
  if (!hasGoodParams(said.task_type, said.params)) return { refusal: 'bad_params', answerable: task };
  return { task };
}

function verifySignature(parts: { readonly signers: Signers; readonly nowMs: number }, said: Static<typeof Envelope>) {
  try {
    return parts.signers.judge(said, parts.nowMs);
  } catch {
    // Words without a canonical form cannot have been signed.
    return 'malformed';
  }
}

function verifyTime(said: Static<typeof Envelope>, nowMs: number): Refusal | undefined {
  const issuedMs = Date.parse(said.issued_at);
  const expiresMs = Date.parse(said.expires_at);
  if (Number.isNaN(issuedMs) || Number.isNaN(expiresMs)) return 'malformed';
  if (issuedMs > nowMs + earlyMs) return 'not_yet_valid';
  if (expiresMs <= nowMs) return 'task_expired';
  if (expiresMs - nowMs > longestLifeMs) return 'lives_too_long';
  return undefined;
}
