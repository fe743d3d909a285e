import { type ComponentType, type ReactNode, use, useEffect } from 'react';
import { api } from '../client/api.ts';
import { letGo } from '../client/let-go.ts';
import { Problem } from './states.tsx';

/** How often the server is asked while a part of the console could not be loaded. */
const againMs = 2_000;

/** A part of the console that could not be fetched. It is retried. */
class PartUnreachable extends Error {
  constructor(cause: unknown) {
    super('A part of the console could not be loaded.', { cause });
    this.name = 'PartUnreachable';
  }
}
export const isUnreachablePart = (error: unknown): boolean => error instanceof PartUnreachable;

const forgets = new Set<() => void>();

/**
 * A component that is fetched when it is first shown. Unlike the router's own, it never reloads the page when the fetch
 * fails: with the server away that would leave the person on the browser's error page.
 */
export function lazyPart<P extends object, N extends string>(
  load: () => Promise<Readonly<Record<N, ComponentType<P>>>>,
  name: N,
): ((props: P) => ReactNode) & { preload(): Promise<void> } {
  let part: ComponentType<P> | undefined;
  let loading: Promise<void> | undefined;
  let failure: PartUnreachable | undefined;
  forgets.add(() => {
    if (failure) loading = undefined;
    failure = undefined;
  });
  const preload = (): Promise<void> => {
    loading ??= load().then(
      (module) => {
        part = module[name];
      },
      (cause: unknown) => {
        failure = new PartUnreachable(cause);
        throw failure;
      },
    );
    return loading;
  };
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each part, when the module is read
  function Part(props: P) {
    if (failure) throw failure;
    if (!part) {
      const wait = preload();
      letGo(wait);
      use(wait);
    }
    const Shown = part;
    return Shown ? <Shown {...props} /> : null;
  }
  return Object.assign(Part, { preload });
}

/** Shown when a part could not be loaded; continues when the server answers. */
export function PartFailure({ again }: { again(): void }) {
  const retry = () => {
    for (const forget of forgets) forget();
    again();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: one loop for as long as this is shown
  useEffect(() => {
    const ask = async () => {
      const isThere = await api.health.versionGet().then(
        () => true,
        () => false,
      );
      if (isThere) retry();
    };
    const timer = setInterval(() => letGo(ask()), againMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <Problem
      title="Can't reach the server"
      error={new Error('This page could not be loaded. It opens by itself when the server answers again.')}
      again={retry}
    />
  );
}
