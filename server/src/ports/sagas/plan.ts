import { describeSaga, type Saga } from '../../kernel/saga.ts';
import type { Plan } from './interpreter.ts';
import { asJson } from './json.ts';

/** What of a saga can be written down. Answers' schemas are plain JSON Schema, so they travel too. */
export const planOf = (saga: Saga<never>): Plan => ({
  saga: saga.name,
  version: saga.version,
  steps: describeSaga(saga).map((row, index) => {
    const entry = saga.steps[index];
    return {
      name: row.step,
      kind: entry?.kind ?? 'step',
      undoes: row.undo.kind === 'undone',
      ...row.retry,
      attemptMs: row.attemptMs,
      ...(entry?.kind === 'wait'
        ? { timeoutMs: entry.wait.timeoutMs, answer: asJson(JSON.parse(JSON.stringify(entry.wait.answer))) as object }
        : {}),
    };
  }),
});
