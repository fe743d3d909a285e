import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Lines on disk that never take more than their share: when the file is full it becomes `….1` and the oldest goes. A
 * host whose disk is full loses lines, not the agent.
 */
export interface RotatingFile {
  append(line: string): void;
  /** Lines that found no room. */
  readonly lost: number;
  close(): void;
}

export function openRotatingFile(parts: {
  readonly path: string;
  /** Of one file; there are at most `files` of them. */
  readonly capBytes: number;
  readonly files: number;
}): RotatingFile {
  const { path, capBytes, files } = parts;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let descriptor = openSync(path, 'a', 0o600);
  let sizeBytes = fstatSync(descriptor).size;
  let lost = 0;
  const rotate = () => {
    closeSync(descriptor);
    rmSync(`${path}.${files - 1}`, { force: true });
    for (let number = files - 2; number >= 1; number -= 1) moveIfThere(`${path}.${number}`, `${path}.${number + 1}`);
    if (files > 1) moveIfThere(path, `${path}.1`);
    else rmSync(path, { force: true });
    descriptor = openSync(path, 'a', 0o600);
    sizeBytes = 0;
  };
  return {
    append(line) {
      const bytes = Buffer.from(line);
      if (bytes.length > capBytes) {
        lost += 1;
        return;
      }
      try {
        if (sizeBytes + bytes.length > capBytes) rotate();
        sizeBytes += writeSync(descriptor, bytes);
      } catch {
        lost += 1;
      }
    },
    get lost() {
      return lost;
    },
    close: () => closeSync(descriptor),
  };
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
