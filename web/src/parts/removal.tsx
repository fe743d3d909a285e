import type { CallOptions } from '@gpuaas/sdk';
import type { ReactNode } from 'react';
import { useAct } from '../client/ask.ts';
import { Confirm } from './confirm.tsx';

/** Takes one thing of a list away, after asking. `it` is what is meant; nothing is asked while there is none. */
export function Removal<T>(parts: {
  it: T | undefined;
  /** What is done, in a word for the key of the act. */
  name: string;
  title: (it: T) => string;
  verb: string;
  act: (it: T, options: CallOptions) => PromiseLike<unknown>;
  stale: readonly string[];
  onClose(): void;
  children: ReactNode;
}) {
  const { it } = parts;
  const remove = useAct(parts.name, parts.act, { stale: parts.stale, done: parts.onClose });
  const close = () => {
    remove.reset();
    parts.onClose();
  };
  return (
    <Confirm
      open={it !== undefined}
      onClose={close}
      title={it === undefined ? '' : parts.title(it)}
      verb={parts.verb}
      danger
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => it !== undefined && remove.mutate(it)}
    >
      {parts.children}
    </Confirm>
  );
}
