/**
 * A gate is a check that can fail a build. It answers with its findings; none means that it passed. There is no profile,
 * flag or variable that skips one, and a gate whose tool is missing has a finding, not a holiday.
 */
export interface Gate {
  readonly name: string;
  /** What to do when it fails. */
  readonly remedy: string;
  /** Quick enough for every save: part of `npm run check`. */
  readonly fast: boolean;
  check(): Promise<Verdict>;
}
export interface Verdict {
  readonly findings: readonly string[];
  /** One short fact about a pass: how many files, how many packages. */
  readonly note?: string;
}

export const passed = (note?: string): Verdict => (note === undefined ? { findings: [] } : { findings: [], note });

/** The verdict of a tool that says everything itself. */
export const verdictOf = (ran: { readonly code: number; readonly output: string }, note?: string): Verdict =>
  ran.code === 0 ? passed(note) : { findings: [ran.output.trim() || `it ended with ${ran.code} and said nothing`] };

/** Lets a gate be run alone: `node tools/gates/pins.ts`. */
export async function runAlone(gate: Gate): Promise<void> {
  const verdict = await gate.check();
  if (verdict.findings.length === 0) {
    process.stdout.write(`${gate.name}: ok${verdict.note ? ` (${verdict.note})` : ''}\n`);
    return;
  }
  process.stdout.write(`${gate.name}: failed\n${verdict.findings.join('\n')}\n\n${gate.remedy}\n`);
  process.exitCode = 1;
}
