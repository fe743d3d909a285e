import { useState } from 'react';
import { useSession } from '../client/session.tsx';
import { type Shown, type Snippets, writeSnippets } from '../words/snippets.ts';
import { CodeBlock } from './copy.tsx';
import { Dialog } from './dialog.tsx';

const tongues: readonly (readonly [keyof Snippets, string])[] = [
  ['cli', 'CLI'],
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
];

/** The current screen as a call for the command line or an SDK. */
export function SnippetDialog({ shown, onClose }: { shown: Shown; onClose(): void }) {
  const [tongue, setTongue] = useState<keyof Snippets>('cli');
  const snippets = writeSnippets(shown, location.origin, useSession().project?.id);
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title="This screen as code"
      lead={
        tongue === 'cli'
          ? 'Run it in the folder of the product, after npx gpuaas login. With gpuaas on your path, leave out npx.'
          : 'Create a token under Personal tokens, and set GPUAAS_TOKEN to it.'
      }
    >
      <fieldset className="mb-3 flex gap-1">
        <legend className="sr-only">Language</legend>
        {tongues.map(([name, label]) => (
          <button
            key={name}
            type="button"
            aria-pressed={tongue === name}
            onClick={() => setTongue(name)}
            className={`rounded-lg px-3 py-1.5 ${tongue === name ? 'bg-accent-soft font-medium text-accent' : 'text-dim hover:bg-sunk'}`}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <CodeBlock key={tongue} text={snippets[tongue]} />
    </Dialog>
  );
}
