import type { Gate } from './gate.ts';

/** What a run of many tests showed. */
export interface Tested {
  readonly passed: number;
  readonly failures: readonly string[];
  readonly report?: string;
  /** Tests that passed only when they ran again. */
  readonly unsteady?: readonly string[];
}

/** Counts what passed and what failed, and says so a line at a time; the last line is for programs. */
export interface Score {
  /** Runs gates, at most `atOnce` together, and prints each as it ends. */
  gates(list: readonly Gate[], atOnce: number): Promise<void>;
  /** Prints one line for something that holds many tests; `report` is shown instead of the bare failures, if there is one. */
  tests(name: string, run: Tested, elapsedMs: number): void;
  note(sentence: string): void;
  /** Prints `N passed, N failed` alone on a line and answers the exit code. */
  close(): number;
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export function makeScore(print: (text: string) => void, now: () => number): Score {
  let passed = 0;
  let failed = 0;
  const line = (name: string, state: string, ms: number, note = '') =>
    print(`  ${state.padEnd(6)}  ${name.padEnd(24)} ${seconds(ms).padStart(8)}${note ? `  ${note}` : ''}\n`);

  async function runOne(gate: Gate): Promise<void> {
    const began = now();
    const verdict = await gate.check().catch((error: unknown) => ({
      findings: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      note: undefined,
    }));
    if (verdict.findings.length === 0) {
      passed += 1;
      line(gate.name, 'ok', now() - began, verdict.note);
      return;
    }
    failed += 1;
    line(gate.name, 'FAILED', now() - began);
    print(`\n${verdict.findings.join('\n')}\n\n  What to do: ${gate.remedy}\n\n`);
  }

  return {
    async gates(list, atOnce) {
      const waiting = [...list];
      const lane = async () => {
        for (let gate = waiting.shift(); gate; gate = waiting.shift()) await runOne(gate);
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
    },
    tests(name, run, elapsedMs) {
      const { failures, unsteady = [] } = run;
      passed += run.passed;
      failed += failures.length;
      line(name, failures.length === 0 ? 'ok' : 'FAILED', elapsedMs, `${run.passed} passed, ${failures.length} failed`);
      if (failures.length > 0 || unsteady.length > 0) print(`\n${run.report || failures.join('\n\n')}\n\n`);
      for (const test of unsteady) print(`  UNSTEADY  failed once, passed when it ran again: ${test}\n`);
    },
    note: (sentence) => print(`  ${sentence}\n`),
    close() {
      print(`\n${passed} passed, ${failed} failed\n`);
      return failed === 0 ? 0 : 1;
    },
  };
}
