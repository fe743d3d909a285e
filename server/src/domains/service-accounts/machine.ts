import { serviceAccountMachine } from '@gpuaas/contract';
import { makeAdvance } from '../../kernel/machine.ts';
import { lockAccount, moveAccount } from './store.ts';

/** The only code that changes the state of a service account. */
export const advanceAccount = makeAdvance(serviceAccountMachine, { lock: lockAccount, move: moveAccount });
