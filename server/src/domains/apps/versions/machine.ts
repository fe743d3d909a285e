import {
  type AppChannel,
  type AppEvidence,
  appArtifactMachine,
  appTrustMachine,
  type RevocationEffect,
} from '@gpuaas/contract';
import type { WriteTx } from '../../../kernel/act.ts';
import { makeAdvance } from '../../../kernel/machine.ts';
import { answerTrustMove, lockTrust, lockVersion, moveTrust, moveVersion } from './machine-store.ts';

const advance = makeAdvance(appArtifactMachine, { lock: lockVersion, move: moveVersion });
/** The only code that changes how far a version has come. */
export const advanceVersion = (
  tx: WriteTx,
  id: string,
  transition: 'promote' | 'deprecate' | 'retire',
  also: { readonly revision?: number | undefined; readonly channel?: AppChannel } = {},
) => advance(tx, id, transition, also.revision, [also.channel ?? null]);

const move = makeAdvance(appTrustMachine, { lock: lockTrust, move: moveTrust });
/** The only code that changes whether a version is trusted. */
export const revokeTrust = (tx: WriteTx, id: string, reason: string, effect: RevocationEffect) =>
  move(tx, id, 'revoke', undefined, [reason, effect]);

const answer = makeAdvance(appTrustMachine, { lock: lockTrust, move: answerTrustMove });
/** The answer of a verification, with what it rests on. */
export const answerTrust = (
  tx: WriteTx,
  id: string,
  transition: 'verify' | 'fail',
  evidence: readonly AppEvidence[],
  at: Date,
) => answer(tx, id, transition, undefined, [JSON.stringify(evidence), at]);
