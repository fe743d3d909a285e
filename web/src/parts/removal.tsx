import type { CallOptions } from '@gpuaas/sdk';
import type { ReactNode } from 'react';
import { useAct } from '../client/ask.ts';
import { Confirm } from './confirm.tsx';

/** Removes one item of a list, after confirmation. `it` is the item; undefined closes the dialog. */
export function Removal<T>(parts: {
  it: T | undefined;
  /** The action, in a word for the idempotency key. */
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
