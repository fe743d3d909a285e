import type { MaasMachine, MaasStatus } from '../../../ports/maas/port.ts';
import type { WaitingJob } from './store.ts';

/** Whether a machine has reached what its job waits for, or why it never will. */
export type Comparison = 'done' | 'waiting' | { readonly problem: string };

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
const readable = (status: string): string => status.replaceAll('_', ' ');

/** Compares a machine with what its job waits for. The machine must have been read after the job began to wait. */
export function compareWithJob(
  job: Pick<WaitingJob, 'phase' | 'is_enrolled'>,
  machine: MaasMachine | undefined,
): Comparison {
  if (!machine) return { problem: 'MAAS no longer lists the machine.' };
  const { status, detail, power } = machine;
  if (failures.has(status)) {
    return { problem: `Its status in MAAS is ${readable(status)}${detail === '' ? '' : ` (${detail})`}.` };
  }
  switch (job.phase) {
    case 'awaiting_ready':
      return status === 'ready' ? 'done' : 'waiting';
    case 'awaiting_deployed':
      if (status === 'deployed') return 'done';
      return status === 'deploying'
        ? 'waiting'
        : { problem: `Its deployment was ended: its status in MAAS is ${readable(status)}.` };
    case 'awaiting_enrolled':
      if (status !== 'deployed')
        return { problem: `It is no longer deployed: its status in MAAS is ${readable(status)}.` };
      return job.is_enrolled ? 'done' : 'waiting';
    case 'awaiting_on':
      return power === 'on' ? 'done' : 'waiting';
    case 'awaiting_off':
      return power === 'off' ? 'done' : 'waiting';
    default:
      return 'waiting';
  }
}
