import { signerMachine } from '@gpuaas/contract';
import { makeAdvance } from '../../../kernel/machine.ts';
import { lockSigner, moveSigner } from './signers-store.ts';

/** What an operator does to a task-signing key. Its own ageing is set-based, in the store. */
export const advanceSigner = makeAdvance(signerMachine, { lock: lockSigner, move: moveSigner });
