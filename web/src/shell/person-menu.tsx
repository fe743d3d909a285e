import { Suspense, useState } from 'react';
import type { Session } from '../client/session.tsx';
import { Button, IconButton } from '../parts/button.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { PartBoundary } from '../parts/part-boundary.tsx';
import { type Density, readDensity, readTheme, setDensity, setTheme, type Theme } from './preferences.ts';

const NameDialog = lazyPart(() => import('./name-dialog.tsx'), 'NameDialog');

/** The signed-in person, preferences, and sign-out. The panel is a browser popover: it closes by itself. */
export function PersonMenu({ session }: { session: Session }) {
  const [theme, chooseTheme] = useState(readTheme);
  const [density, chooseDensity] = useState(readDensity);
  const { me } = session;
  const [naming, setNaming] = useState(false);
  const name = me.display_name ?? me.posix.username;
  return (
    <>
      <IconButton icon="person" label={`You: ${name}`} popoverTarget="person" />
      <div
        id="person"
        popover="auto"
        className="panel fixed inset-auto end-3 top-14 m-0 w-72 gap-4 p-4 text-ink shadow-lift open:grid"
      >
        <div>
          <p className="flex items-center justify-between gap-2 font-semibold">
            <bdi className="min-w-0">{name}</bdi>
            <button
              type="button"
              className="text-sm font-normal text-accent underline underline-offset-2"
              onClick={() => setNaming(true)}
            >
              Change
            </button>
          </p>
          <p className="font-mono text-xs text-dim">{me.posix.username}</p>
          <p className="text-sm text-dim">
            {me.organizations.length === 1
              ? `${me.organizations[0]?.role} of ${me.organizations[0]?.name}`
              : `in ${me.organizations.length} organizations`}
          </p>
        </div>
        <Choice<Theme>
          legend="Theme"
          value={theme}
          options={['light', 'dark', 'system']}
          onChoose={(next) => {
            setTheme(next);
            chooseTheme(next);
          }}
        />
        <Choice<Density>
          legend="Density"
          value={density}
          options={['comfortable', 'compact']}
          onChoose={(next) => {
            setDensity(next);
            chooseDensity(next);
          }}
        />
        <form method="post" action="/auth/logout">
          <Button type="submit" className="w-full">
            Sign out
          </Button>
        </form>
      </div>
      {naming && (
        <PartBoundary onClose={() => setNaming(false)}>
          <Suspense>
            <NameDialog name={me.display_name ?? ''} onClose={() => setNaming(false)} />
          </Suspense>
        </PartBoundary>
      )}
    </>
  );
}

function Choice<T extends string>(parts: {
  legend: string;
  value: T;
  options: readonly T[];
  onChoose(value: T): void;
}) {
  return (
    <fieldset>
      <legend className="mb-1 text-sm text-dim">{parts.legend}</legend>
      <div className="flex gap-1 rounded-lg bg-sunk p-1">
        {parts.options.map((option) => (
          <button
            key={option}
            type="button"
            aria-pressed={parts.value === option}
            onClick={() => parts.onChoose(option)}
            className={`grow rounded-md px-2 py-1 text-sm capitalize ${parts.value === option ? 'bg-paper font-medium shadow-lift' : 'text-dim hover:text-ink'}`}
          >
            {option}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
