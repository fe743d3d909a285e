import type { TaskAnswer } from '../../nodes/index.ts';

/** Why a launch failed, in words that the owner may read: they say nothing about the host. */
const sentences: Readonly<Record<string, string>> = {
  no_answer: 'The node did not answer in time.',
  cancelled: 'It was called off before it was ready.',
  attestation_failed: 'The node could not prove that everything promised is there.',
  driver_unavailable: 'The GPU driver could not be installed.',
  image_unavailable: 'The image could not be fetched.',
  gpu_missing: 'A GPU was missing when it was checked.',
  gpu_unhealthy: 'A GPU was not healthy when it was checked.',
  gpu_mismatch: 'A GPU was not the one that was promised.',
  disk_dirty: 'A disk was not clean when it was checked.',
  disk_full: 'The node had no room for the image.',
  isolation_failed: 'It could not be proven that neighbours are kept out.',
  vfio_stuck: 'A device could not be handed to the machine.',
  machine_failed: 'The machine did not start.',
  guest_hung: 'The machine started and then hung.',
  ssh_unreachable: 'The machine could not be reached by SSH.',
  guest_setup_failed: 'The first boot of the machine failed: its driver or packages could not be installed.',
  lease_conflict: 'The node still held another lease.',
  host_not_ready: 'The node was not ready for work.',
};

/** Failures that say nothing against the hardware: its slots may be sold again once they are clean. */
const notHardwareFault: ReadonlySet<string> = new Set([
  'cancelled',
  // The word of the machine, where its tenant may be root already: it takes no slot out of sale.
  'guest_setup_failed',
  'image_unavailable',
  'lease_conflict',
  'no_answer',
]);

/** Failures that any host would have had, or that were wanted. Every other failure makes placement avoid the host. */
const wouldFailAnywhere: ReadonlySet<string> = new Set(['cancelled', 'guest_setup_failed', 'image_unavailable']);

export interface Failure {
  readonly code: string;
  readonly sentence: string;
  /** The node's own message, for operators. */
  readonly detail: string | undefined;
  /** What becomes of the slots after cleaning: an operator looks at them first, unless the hardware is surely not the reason. */
  readonly afterwards: 'available' | 'quarantined';
  /** Placement tries other hosts first for a while. */
  readonly avoidHost: boolean;
}

/** The node's answer, and whether an operator called the run off. */
export interface Cause {
  readonly answer: TaskAnswer | undefined;
  readonly calledOff: boolean;
}

export function failureOf({ answer, calledOff }: Cause, problems: readonly string[]): Failure {
  const code = calledOff && answer?.outcome !== 'failed' ? 'cancelled' : codeOf(answer);
  return {
    code,
    sentence: sentences[code] ?? 'The node could not make it.',
    detail: answer?.failure?.message ?? (problems.length > 0 ? problems.join(' ') : undefined),
    afterwards: notHardwareFault.has(code) ? 'available' : 'quarantined',
    avoidHost: !wouldFailAnywhere.has(code),
  };
}

function codeOf(answer: TaskAnswer | undefined): string {
  if (!answer || answer.outcome === 'expired') return 'no_answer';
  if (answer.outcome === 'failed') return answer.failure?.code ?? 'machine_failed';
  return 'attestation_failed';
}
