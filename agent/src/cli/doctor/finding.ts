/** What a check looked at, and what it found. */
export interface Finding {
  /** A name that programs can rely on. */
  readonly check: string;
  readonly title: string;
  /** `degraded` works now and will not for long, or works worse than it should. */
  readonly state: 'ok' | 'missing' | 'degraded';
  /** What does not work without it. */
  readonly needed_for: Need;
  readonly detail: string;
  /** The command that mends it; left out when all is well. */
  readonly mend?: string;
}
/** `tenants`: renting the host out whole. `containers`: running apps of its tenant, which no host has to do. */
export type Need = 'agent' | 'tenants' | 'slices' | 'containers';

/** A check as it is written: the rest of its finding is the same whatever it finds. */
export interface Check {
  readonly check: string;
  readonly title: string;
  readonly needed_for: Need;
  run(): Promise<Pick<Finding, 'state' | 'detail' | 'mend'>>;
}
export const ok = (detail: string) => ({ state: 'ok', detail }) as const;
export const missing = (detail: string, mend: string) => ({ state: 'missing', detail, mend }) as const;
export const degraded = (detail: string, mend: string) => ({ state: 'degraded', detail, mend }) as const;

/** One check after the other: some read what an earlier one has found. One that breaks is a finding too. */
export async function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { run, ...fixed } of checks) {
    const found = await run().catch((error: unknown) =>
      missing(error instanceof Error ? error.message : String(error), 'mend what the message says, and run this again'),
    );
    findings.push({ ...fixed, ...found });
  }
  return findings;
}

/** Whether the host can do what it is meant for. A host that is rented out whole needs nothing of slices. */
export const isWell = (findings: readonly Finding[], makesSlices: boolean): boolean =>
  findings.every(({ state, needed_for: need }) => {
    const counts = need === 'agent' || need === 'tenants' || (need === 'slices' && makesSlices);
    return state !== 'missing' || !counts;
  });

const widest = (findings: readonly Finding[]) => Math.max(...findings.map(({ title }) => title.length));
export function printFindings(findings: readonly Finding[], makesSlices: boolean): string {
  const width = widest(findings);
  const lines = findings.flatMap(({ state, title, detail, mend, needed_for: need }) => {
    const purpose = state !== 'ok' && (need === 'containers' || need === 'slices') ? ` (for ${need})` : '';
    return [
      `${state.padEnd(8)}  ${title.padEnd(width)}  ${detail}${purpose}`,
      ...(mend === undefined ? [] : [`${' '.repeat(8)}  ${' '.repeat(width)}  mend: ${mend}`]),
    ];
  });
  const verdict = isWell(findings, makesSlices)
    ? 'Nothing that this host needs is missing.'
    : 'This host lacks something that it needs; see above.';
  return `${lines.join('\n')}\n${verdict}\n`;
}
