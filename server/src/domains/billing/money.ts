import type { Money } from '@gpuaas/contract';

export const money = (amount: bigint, currency: string): Money => ({ amount_minor: amount.toString(), currency });
