import type { SealedCount } from '@gpuaas/sdk';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { Chip, type Tone } from '../parts/chip.tsx';
import { CodeBlock } from '../parts/copy.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Rows, wholeList } from '../parts/rows.tsx';
import { Empty } from '../parts/states.tsx';
import { counted, plainWord } from '../words/sizes.ts';

const tones: Readonly<Record<SealedCount['state'], Tone>> = { current: 'ok', former: 'warn', missing: 'bad' };
const meanings: Readonly<Record<SealedCount['state'], string>> = {
  current: 'seals now',
  former: 'opens only: reseal, then drop it',
  missing: 'the api does not have it: put it back',
};
const program = 'node server/src/bin/secrets/main.ts';
/** Keys never pass through the API or the console, so each step is a command on a machine that has the keyring. */
const steps: readonly { readonly title: string; readonly command: string; readonly after: string }[] = [
  {
    title: 'Add',
    command: `${program} add NEW`,
    after: 'Give the keyring that it prints to every process, and restart them.',
  },
  { title: 'Promote', command: `${program} promote NEW`, after: 'Do the same again: the new key seals from now on.' },
  { title: 'Reseal', command: `${program} reseal`, after: 'Wait until the old key has no values in the table above.' },
  { title: 'Drop', command: `${program} drop OLD`, after: 'Give the keyring to every process one last time.' },
];

/** Which sealing keys there are, what each of them sealed, and how a key is replaced. */
export function SecretsPage() {
  const sealed = useAsk(['secrets'], (options) => api.adminOps.secretsGet(options), { everyMs: 30_000 });
  return (
    <Page
      title="Secrets"
      lead="Keys that seal what the database keeps, and how many values each of them sealed."
      shown={{ operation: 'secrets_get', input: {} }}
    >
      <Rows
        label="Sealing keys"
        list={wholeList(sealed)}
        keyOf={({ purpose, table, key_id }) => `${purpose} ${table} ${key_id}`}
        columns={[
          { head: 'Key', cell: ({ key_id }) => <span className="font-mono break-all">{key_id}</span> },
          {
            head: 'State',
            cell: ({ state }) => (
              <span>
                <Chip tone={tones[state]}>{plainWord(state)}</Chip>
                <span className="block text-xs text-dim">{meanings[state]}</span>
              </span>
            ),
          },
          { head: 'Seals', cell: ({ purpose }) => plainWord(purpose) },
          { head: 'Table', cell: ({ table }) => <span className="font-mono text-xs break-all">{table}</span> },
          { head: 'Values', cell: ({ values }) => <span className="tabular">{counted(values, 'value')}</span> },
        ]}
        empty={<Empty icon="key" title="Nothing is kept sealed" />}
      />
      <Panel title="Replace a key">
        <p className="mb-4 text-sm text-dim">
          Run each command where the keyring is, with the environment of the api. Finish a step on every process before
          the next.{' '}
          <a className="underline underline-offset-2" href="/docs/guides/rotate-the-secrets-key">
            The guide
          </a>{' '}
          has the details, and what to do when a key leaked.
        </p>
        <ol className="grid grid-cols-1 gap-3">
          {steps.map(({ title, command, after }) => (
            <li key={title} className="grid grid-cols-1 gap-1">
              <span className="font-medium">{title}</span>
              <CodeBlock text={command} wrap />
              <span className="text-sm text-dim">{after}</span>
            </li>
          ))}
        </ol>
      </Panel>
    </Page>
  );
}
