import type { HealthFinding } from '@gpuaas/sdk';
import { spellBytes } from '../sizes.ts';
import { spellDuration } from '../time.ts';
import { stuckWorkflows } from './runbooks.ts';

/** A finding as the page shows it. `atLeast`: there are more than `value`. */
export interface ShownFinding extends HealthFinding {
  readonly atLeast?: boolean;
}

/** No engine counts its runs, so one more is asked for than the page shows: with it, the number is a lower bound. */
export const stuckShown = 100;
export const stuckAsked = stuckShown + 1;
export interface StuckRuns {
  readonly data: { readonly data: readonly unknown[] } | undefined;
  readonly error: Error | null;
}

/** Workflows whose rollback failed wait for a person. The engine is queried separately. */
export function findStuck({ data: page, error }: StuckRuns): ShownFinding[] {
  const shared = { section: 'processes', name: 'stuck_workflows', unit: 'count', runbook: null } as const;
  const bad = { ...shared, status: 'bad', runbook: stuckWorkflows } as const;
  if (error) return [{ ...bad, value: null, message: 'The workflow engine does not answer.' }];
  if (!page) return [];
  const value = Math.min(page.data.length, stuckShown);
  const message =
    value > 0 ? 'Workflows that could not be rolled back; an operator has to act.' : 'No workflow waits for a person.';
  return [
    { ...(value > 0 ? bad : { ...shared, status: 'ok' }), value, message, atLeast: page.data.length > stuckShown },
  ];
}

export function spellValue({ value, unit, atLeast }: ShownFinding): string {
  if (value === null) return '';
  switch (unit) {
    case 'bytes':
      return spellBytes(value);
    case 'seconds':
      return spellDuration(value * 1_000);
    case 'milliseconds':
      return `${Math.round(value)} ms`;
    default:
      return `${value.toLocaleString('en')}${atLeast ? '+' : ''}`;
  }
}
