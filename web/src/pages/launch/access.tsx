import type { SshKey } from '@gpuaas/sdk';
import { ButtonLink } from '../../parts/button.tsx';
import { Panel } from '../../parts/page.tsx';
import { Loading, Problem } from '../../parts/states.tsx';

/** The SSH keys of the new machine. All keys are selected by default. */
export function LaunchAccess(parts: {
  keys: readonly SshKey[] | undefined;
  error: Error | null;
  again(): void;
  unwanted: ReadonlySet<string>;
  onToggle(id: string): void;
}) {
  const { keys, unwanted } = parts;
  return (
    <Panel title="Access">
      {parts.error ? (
        <Problem error={parts.error} again={parts.again} />
      ) : !keys ? (
        <Loading rows={2} />
      ) : keys.length === 0 ? (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-dim">You have no SSH key here yet. Without one you cannot sign in to the machine.</p>
          <ButtonLink icon="key" to="/ssh-keys">
            Add a key
          </ButtonLink>
        </div>
      ) : (
        <fieldset className="grid grid-cols-1 gap-2">
          <legend className="sr-only">SSH keys</legend>
          {keys.map((key) => (
            <label key={key.id} className="flex items-center gap-3">
              <input
                type="checkbox"
                className="size-4 shrink-0 accent-accent"
                checked={!unwanted.has(key.id)}
                onChange={() => parts.onToggle(key.id)}
              />
              <span className="min-w-0">
                <bdi>{key.name}</bdi>
                {key.user_id === null && <span className="text-dim"> (of the project)</span>}
              </span>
              <span className="min-w-0 truncate font-mono text-xs text-dim max-sm:hidden">{key.fingerprint}</span>
            </label>
          ))}
        </fieldset>
      )}
    </Panel>
  );
}
