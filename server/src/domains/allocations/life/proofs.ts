import type { Proof, TaskOutput } from '@gpuaas/contract/node';
import type { TaskAnswer } from '../../nodes/index.ts';

export interface Proofs {
  readonly problems: readonly string[];
}
type ProvingTask = 'slice.vm_release' | 'allocation.revoke_user' | 'node.reimage_prepare';

/** The proofs that each task owes. A proof that is missing counts as one that failed. */
const owed: { readonly [T in ProvingTask]: readonly (keyof TaskOutput<T>)[] } = {
  'slice.vm_release': ['machine_absent', 'disk_wiped', 'devices_unbound'],
  'allocation.revoke_user': ['user_absent', 'processes_ended'],
  'node.reimage_prepare': ['reimaged'],
};

/** A task that did not succeed proves nothing. A task that succeeded must give every proof that it owes, and all must pass. */
export function proofsOf(type: ProvingTask, answer: TaskAnswer): Proofs {
  if (answer.outcome !== 'succeeded') {
    return { problems: [answer.failure?.message ?? 'The node did not answer in time.'] };
  }
  // Proofs are objects. Plain values beside them, such as machine_ended, prove nothing.
  const proofs = Object.entries(answer.output ?? {}).filter(([, value]) => typeof value === 'object');
  const output = Object.fromEntries(proofs) as Readonly<Record<string, Proof | null>>;
  const names = new Set<string>([...owed[type], ...Object.keys(output)]);
  const failed = [...names].filter((name) => {
    const proof = output[name];
    return proof ? !proof.passed : (owed[type] as readonly string[]).includes(name);
  });
  return { problems: failed.map((name) => `${name}: ${output[name]?.detail ?? 'The node did not say.'}`) };
}
