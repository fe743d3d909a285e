import { chmodSync } from 'node:fs';
import { type StateFile, stateFileIn } from './state.ts';

/** The process that wrote here is dead: nothing it still does reaches the disk. */
export class Dead extends Error {}

/** A disk that is as lasting as the test. */
export function makeMemoryFile(): StateFile {
  let kept: string | undefined;
  return {
    read: async () => kept,
    replace: async (text) => {
      kept = text;
    },
  };
}

/** A file in a folder that users of their own can pass through, on the way to their homes. */
export function openFileIn(folder: string): StateFile {
  chmodSync(folder, 0o711);
  return stateFileIn(folder);
}

/** A file that can be cut off, at once or at the n-th write, before or after the write has happened. */
export function makeCutFile(file: StateFile, cutAt?: { readonly write: number; readonly after: boolean }) {
  let writes = 0;
  let dead = false;
  const cutFile: StateFile & { cut(): void; readonly isDead: boolean } = {
    get isDead() {
      return dead;
    },
    cut() {
      dead = true;
    },
    read: file.read,
    async replace(text) {
      if (dead) throw new Dead();
      writes += 1;
      const isLast = writes === cutAt?.write;
      if (isLast) dead = true;
      if (!isLast || cutAt?.after) await file.replace(text);
      if (isLast) throw new Dead();
    },
  };
  return cutFile;
}
