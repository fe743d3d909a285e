import type { TaskAnswer } from '../../nodes/index.ts';

/** Why an allocation did not come to be, in words that its owner may read: nothing of the host is in them. */
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
  lease_conflict: 'The node still held another lease.',
  host_not_ready: 'The node was not ready for work.',
};

/** What went wrong says nothing against the hardware: it may be handed out again once it is clean. */
const innocent: ReadonlySet<string> = new Set(['cancelled', 'image_unavailable', 'lease_conflict', 'no_answer']);

/** What went wrong would have gone wrong on any host, or was wanted. Everything else is a reason to try other hosts first. */
const wouldFailAnywhere: ReadonlySet<string> = new Set(['cancelled', 'image_unavailable']);

export interface Failure {
  readonly code: string;
  readonly sentence: string;
  /** For operators, as the node said it. */
  readonly detail: string | undefined;
  /** What becomes of the slots after cleaning. Unless it is surely not their fault, somebody looks at them first. */
  readonly afterwards: 'available' | 'quarantined';
  /** Placement tries other hosts first for a while. */
  readonly avoidHost: boolean;
}

/** What became of it, and whether an operator did not want it any more. */
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
    afterwards: innocent.has(code) ? 'available' : 'quarantined',
    avoidHost: !wouldFailAnywhere.has(code),
  };
}

function codeOf(answer: TaskAnswer | undefined): string {
  if (!answer || answer.outcome === 'expired') return 'no_answer';
  if (answer.outcome === 'failed') return answer.failure?.code ?? 'machine_failed';
  return 'attestation_failed';
}
