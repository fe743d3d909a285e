import { makeSagas } from '../../server/src/bin/provisioning-worker/sagas.ts';
import { describeSaga, type SagaRow } from '../../server/src/kernel/saga.ts';

/** Stands for every part of a saga: looking at a saga runs none of its steps. */
const nothing: never = new Proxy(() => undefined, { get: () => nothing, apply: () => nothing }) as never;

const inWords = (ms: number): string => {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  if (ms % 60_000 === 0) return `${ms / 60_000} min`;
  return `${ms / 1_000} s`;
};

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

const rowOf = ({ step, kind, waitsMs, retry, attemptMs, undo }: SagaRow): string =>
  line([
    kind === 'failure' ? `(\`${step}\`)` : `\`${step}\``,
    waitsMs === undefined ? '' : inWords(waitsMs),
    kind === 'failure' ? '' : `${retry.attempts}, each up to ${inWords(attemptMs)}`,
    undo.kind === 'none' ? undo.why : kind === 'failure' ? 'becomes true' : 'taken back',
  ]);

/** What each step of each saga tries, waits for and takes back. */
export function emitSagas(): string {
  const sections = Object.values(makeSagas(nothing)).map((saga) => {
    const head = ['step', 'waits for an answer', 'tries', 'when a later step fails'];
    const rows = describeSaga(saga).map(rowOf);
    return `## ${saga.name}, version ${saga.version}\n\n${line(head)}\n${line(head.map(() => '---'))}\n${rows.join('\n')}\n`;
  });
  return `---
status: shipped
capabilities: FLW-P10
---

# What is taken back when a step fails

Emitted from the definitions by \`npm run gen\`. A saga runs its steps in order. When one gives up, what the steps before
it did is taken back in reverse; an undo that gives up leaves the run \`stuck\`, which an operator sees and an alert tells.
A name in brackets is no step: it stands for what becomes true when anything after it fails, the next step included.

Each saga is tested with every step failed, every step run twice and every undo run twice.

${sections.join('\n')}`;
}
