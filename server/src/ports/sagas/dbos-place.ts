import type { Letter, Recorded } from './dbos-records.ts';
import { type Engine, interpret, type Plan } from './interpreter.ts';

/** The records are at their end. */
class Here extends Error {}

/**
 * Where a run is, found out from its records: the interpreter goes over them once more, in memory, and stops where they
 * stop. So no run has to announce its steps while it works, and looking costs only whoever looks.
 */
export async function placeOf(
  plan: Plan,
  records: readonly Recorded[],
  letters: ReadonlyMap<string, Letter>,
): Promise<string | undefined> {
  let at: string | undefined;
  let place = 0;
  const engine: Engine = {
    async at(step) {
      at = step;
    },
    async attempt() {
      const record = records[place];
      place += 1;
      if (!record) throw new Here();
      return record.tried;
    },
    sleep: async () => undefined,
    async answer(step) {
      const letter = letters.get(step.name);
      // An answer that nobody has acted on yet lies in the mailbox, and the run is where it waits for it.
      if (!letter || ('value' in letter && place === records.length)) throw new Here();
      return 'late' in letter ? { end: 'late' } : { end: 'answered', value: letter.value };
    },
    refuse: async () => undefined,
  };
  await interpret(plan, engine).catch((error: unknown) => {
    if (!(error instanceof Here)) throw error;
  });
  return at;
}
