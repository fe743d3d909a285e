import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { branding } from '../client/branding.ts';
import { onKey } from '../shell/keys.ts';
import type { Shown } from '../words/snippets.ts';
import { IconButton } from './button.tsx';

const SnippetDialog = lazy(() => import('./snippet-dialog.tsx').then((part) => ({ default: part.SnippetDialog })));

/** The head of a page: title, actions, and the same as code. */
export function Page({
  title,
  lead,
  actions,
  shown,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  shown?: Shown;
  children: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    document.title = `${title} · ${branding.name}`;
  }, [title]);
  useEffect(() => (shown ? onKey('c', () => setOpen(true)) : undefined), [shown]);
  return (
    <div className="mx-auto grid w-full max-w-7xl gap-6 px-4 py-6 sm:px-8 sm:py-8">
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 grow basis-64">
          <h1 className="text-2xl leading-tight font-semibold tracking-tight">
            <bdi>{title}</bdi>
          </h1>
          {lead && <div className="mt-1 max-w-prose text-dim">{lead}</div>}
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {actions}
          {shown && <IconButton icon="code" label="Show this as code (c)" onClick={() => setOpen(true)} />}
        </div>
      </header>
      {children}
      {shown && open && (
        <Suspense>
          <SnippetDialog shown={shown} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="panel min-w-0" aria-label={title}>
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-edge px-4 py-2.5">
        <h2 className="font-semibold">{title}</h2>
        {aside}
      </div>
      <div className="p-4">{children}</div>
    </section>
  );
}

/** Names and their values, one under the other. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(5rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-2">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-dim">{name}</dt>
          <dd className="min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
