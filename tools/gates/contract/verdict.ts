/** What a gate has to say. No failures means that it looked and found nothing; a gate that could not look has failed. */
export interface Verdict {
  readonly gate: string;
  readonly failures: readonly string[];
  /** What to do about it, for someone who meets this gate for the first time. */
  readonly advice: string;
}

export const passed = ({ failures }: Verdict): boolean => failures.length === 0;

export function describeVerdict(verdict: Verdict): string {
  if (passed(verdict)) return `ok    ${verdict.gate}`;
  const lines = verdict.failures.map((failure) => `      - ${failure}`);
  return [`FAIL  ${verdict.gate}`, ...lines, `      ${verdict.advice}`].join('\n');
}

export const compatibleOrReleased =
  'Make the change additive, or put a new version beside the old one. If the promise is really to end, cut a release: "node tools/emit/contract/release-baseline.ts" moves api/baseline.';

/** Turns "could not even look" into a failure that says so, which is the whole difference between a gate and a hope. */
export async function closed(gate: string, advice: string, look: () => Promise<readonly string[]>): Promise<Verdict> {
  try {
    return { gate, failures: await look(), advice };
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    return { gate, failures: [reason], advice: 'The gate could not do its work, and counts as failed until it can.' };
  }
}
