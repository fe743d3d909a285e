import type { ReactNode } from 'react';
import { plainWord } from '../words/sizes.ts';

export type Tone = 'ok' | 'warn' | 'bad' | 'calm' | 'busy';
const tones: Readonly<Record<Tone, string>> = {
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  calm: 'bg-sunk text-dim',
  busy: 'bg-accent-soft text-accent',
};
const marks: Readonly<Record<Tone, string>> = { ok: '●', warn: '▲', bad: '✕', calm: '○', busy: '◐' };

/** A state has an icon, a word and a colour, so it can be read without any one of them. */
export function Chip({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-[13px] font-medium whitespace-nowrap ${tones[tone]}`}
    >
      <span aria-hidden="true" className="text-[9px]">
        {marks[tone]}
      </span>
      {children}
    </span>
  );
}

/** Shown beside the state of a simulated allocation or node. */
export const SimulatedChip = ({ of }: { of: { readonly simulated: boolean | null } | null }) =>
  of?.simulated ? <Chip tone="warn">simulated</Chip> : null;

const stateTones: Readonly<Record<string, Tone>> = {
  active: 'ok',
  available: 'ok',
  running: 'ok',
  accepted: 'ok',
  succeeded: 'ok',
  current: 'ok',
  success: 'ok',
  done: 'ok',
  placed: 'ok',
  queued: 'busy',
  degraded: 'warn',
  requested: 'busy',
  provisioning: 'busy',
  launching: 'busy',
  stopping: 'busy',
  promoted: 'ok',
  verified: 'ok',
  deprecated: 'warn',
  failed_verification: 'bad',
  revoked: 'bad',
  releasing: 'busy',
  in_use: 'busy',
  reserved: 'busy',
  enrolling: 'busy',
  pending: 'busy',
  dispatched: 'busy',
  bootstrap_issued: 'busy',
  future: 'busy',
  cleaning: 'warn',
  draining: 'warn',
  offline: 'bad',
  failed: 'bad',
  failure: 'bad',
  open: 'bad',
  release_failed: 'bad',
  quarantined: 'bad',
  cleanup_blocked: 'bad',
  stopped: 'bad',
  stuck: 'bad',
  undone: 'warn',
  cancelled: 'warn',
  refused: 'bad',
  expired: 'warn',
};
export const StateChip = ({ state }: { state: string }) => (
  <Chip tone={stateTones[state] ?? 'calm'}>{plainWord(state)}</Chip>
);
