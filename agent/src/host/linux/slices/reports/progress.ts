import { type Static, Type } from 'typebox';
import type { Clock } from '../../../../clock.ts';
import { HostFailure } from '../../../port.ts';
import { rest } from '../../phases.ts';
import type { SliceRecords } from '../records.ts';

/** How far the first boot of a machine is, by its own word. */
export const Setup = Type.Object({
  phase: Type.String({ pattern: '^[a-z_]{1,20}$' }),
  state: Type.Enum(['began', 'done', 'failed']),
  reason: Type.String({ maxLength: 200 }),
});
export type Setup = Static<typeof Setup>;

const longestReason = 200;
const betweenLooksMs = 2_000;

/** `driver failed The mirror of packages cannot be reached`. Reasons are words for people: nothing that is not printed is kept. */
export function readProgress(text: string): Setup | undefined {
  const [, phase, state, reason = ''] = /^([a-z_]{1,20}) (began|done|failed)(?: ([^\n]{1,2000}))?\n?$/.exec(text) ?? [];
  if (phase === undefined || (state !== 'began' && state !== 'done' && state !== 'failed')) return undefined;
  return { phase, state, reason: reason.replace(/[^ -~]/g, '').slice(0, longestReason) };
}

interface Parts {
  readonly records: Pick<SliceRecords, 'get'>;
  readonly clock: Clock;
}

/** Throws what the machine gave as the reason, when it says that its first boot failed. */
export async function failIfSetupFailed({ records }: Pick<Parts, 'records'>, allocationId: string): Promise<void> {
  const setup = (await records.get(allocationId))?.setup;
  if (setup?.state !== 'failed') return;
  throw new HostFailure(
    'guest_setup_failed',
    `The first boot of the machine failed at ${setup.phase}: ${setup.reason || 'no reason was given'}`,
  );
}

/** Waits until a machine that installs its driver at the first boot says that it is done with it. */
export async function waitForSetup(
  parts: Parts,
  allocationId: string,
  limitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const untilMs = parts.clock.now().getTime() + limitMs;
  for (;;) {
    await failIfSetupFailed(parts, allocationId);
    const setup = (await parts.records.get(allocationId))?.setup;
    if (setup?.phase === 'setup' && setup.state === 'done') return;
    if (parts.clock.now().getTime() >= untilMs) {
      const last = setup ? `the last that it said was ${setup.phase} ${setup.state}` : 'it said nothing';
      throw new HostFailure('guest_setup_failed', `The first boot of the machine did not end in its time: ${last}.`);
    }
    await rest(parts.clock, betweenLooksMs, signal);
  }
}
