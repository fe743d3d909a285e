import type { Adjustment } from '@gpuaas/sdk';

/** The state of a correction in one or two words, and how it is to be seen. */
export const adjustmentStates: Readonly<
  Record<Adjustment['state'], { readonly text: string; readonly tone: 'ok' | 'warn' | 'calm' | 'busy' }>
> = {
  waiting: { text: 'Waits for a second person', tone: 'busy' },
  entered: { text: 'Entered', tone: 'ok' },
  rejected: { text: 'Rejected', tone: 'calm' },
  expired: { text: 'Expired', tone: 'warn' },
};

const lineId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const isLineId = (text: string): boolean => lineId.test(text.trim().toLowerCase());
