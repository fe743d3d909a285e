import type { MaasMachine, MaasStatus } from '../../../ports/maas/port.ts';
import type { WaitingJob } from './store.ts';

/** What a phase waits for: `done`, a problem in words, or nothing yet. */
export type Seen = 'done' | 'waiting' | { readonly problem: string };

const failures: ReadonlySet<MaasStatus> = new Set([
  'failed_commissioning',
  'failed_testing',
  'failed_deployment',
  'failed_releasing',
  'failed_disk_erasing',
  'broken',
  'missing',
  'retired',
]);
const words = (status: string): string => status.replaceAll('_', ' ');

/** Compares a machine, seen after the question was asked, with what its job waits for. */
export function judge(job: Pick<WaitingJob, 'phase' | 'is_enrolled'>, machine: MaasMachine | undefined): Seen {
  if (!machine) return { problem: 'MAAS does not list the machine any more.' };
  const { status, detail, power } = machine;
  if (failures.has(status)) {
    return { problem: `MAAS says ${words(status)}${detail === '' ? '' : ` (${detail})`}.` };
  }
  switch (job.phase) {
    case 'awaiting_ready':
      return status === 'ready' ? 'done' : 'waiting';
    case 'awaiting_deployed':
      if (status === 'deployed') return 'done';
      return status === 'deploying' ? 'waiting' : { problem: `Its deployment was ended: MAAS says ${words(status)}.` };
    case 'awaiting_enrolled':
      if (status !== 'deployed') return { problem: `It is not deployed any more: MAAS says ${words(status)}.` };
      return job.is_enrolled ? 'done' : 'waiting';
    case 'awaiting_on':
      return power === 'on' ? 'done' : 'waiting';
    case 'awaiting_off':
      return power === 'off' ? 'done' : 'waiting';
    default:
      return 'waiting';
  }
}
