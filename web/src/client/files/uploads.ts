import { useSyncExternalStore } from 'react';
import { api } from '../api.ts';
import { letGo } from '../let-go.ts';
import { type Goal, sendFile } from './send.ts';
import { ended, knownUpload } from './unfinished.ts';

/** One file on its way. Uploads go on while the person is on other pages of the console. */
export interface Upload {
  readonly key: string;
  readonly file: File;
  readonly goal: Goal;
  readonly state: 'waiting' | 'sending' | 'done' | 'failed';
  readonly sentBytes: number;
  readonly error: unknown;
}
interface Running {
  readonly end: AbortController;
  uploadId?: string;
}

/** Files that are sent at a time: more would only share the same line. */
const atOnce = 2;
let uploads: readonly Upload[] = [];
const running = new Map<string, Running>();
const watchers = new Set<() => void>();

function show(next: readonly Upload[]): void {
  uploads = next;
  for (const tell of watchers) tell();
}
const change = (key: string, to: Partial<Upload>): void =>
  show(uploads.map((each) => (each.key === key ? { ...each, ...to } : each)));

function sendNext(): void {
  const next = running.size < atOnce && uploads.find(({ state }) => state === 'waiting');
  if (!next) return;
  const { key, file, goal } = next;
  const mine: Running = { end: new AbortController() };
  running.set(key, mine);
  change(key, { state: 'sending', error: undefined });
  const sending = sendFile(
    file,
    goal,
    {
      begun: (uploadId) => {
        mine.uploadId = uploadId;
      },
      sent: (sentBytes) => change(key, { sentBytes }),
    },
    mine.end.signal,
  );
  const settle = (to: Partial<Upload>) => {
    running.delete(key);
    change(key, to);
    sendNext();
  };
  sending.then(
    () => settle({ state: 'done', sentBytes: file.size }),
    (error: unknown) => settle({ state: 'failed', error }),
  );
  sendNext();
}

export function startUploads(files: readonly { readonly file: File; readonly goal: Goal }[]): void {
  const added = files.map(
    ({ file, goal }, index): Upload => ({
      ...{ key: `${performance.now()} ${index}`, file, goal },
      ...{ state: 'waiting', sentBytes: 0, error: undefined },
    }),
  );
  show([...uploads.filter(({ state }) => state !== 'done'), ...added]);
  sendNext();
}

/** Goes on with a file that failed: what has arrived of it is not sent again. */
export function tryAgain(key: string): void {
  change(key, { state: 'waiting', error: undefined });
  sendNext();
}

/** Gives a file up, and what has arrived of it. */
export function giveUp({ key, file, goal, state }: Upload): void {
  const mine = running.get(key);
  mine?.end.abort(new Error('The upload was given up.'));
  running.delete(key);
  show(uploads.filter((each) => each.key !== key));
  const uploadId = mine?.uploadId ?? knownUpload(file, goal);
  if (uploadId !== undefined && state !== 'done') {
    ended(file, goal);
    letGo(Promise.resolve(api.storage.uploadAbort({ storage_upload_id: uploadId }, { project: goal.project })));
  }
  sendNext();
}

export const clearDone = (): void => show(uploads.filter(({ state }) => state !== 'done'));

const watch = (tell: () => void): (() => void) => {
  watchers.add(tell);
  return () => watchers.delete(tell);
};
export const useUploads = (): readonly Upload[] => useSyncExternalStore(watch, () => uploads);

// A page that is left in the middle of an upload asks first.
globalThis.addEventListener?.('beforeunload', (event) => {
  if (running.size > 0) event.preventDefault();
});
