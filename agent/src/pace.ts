import type { Disk } from './disk.ts';

/** How often a heartbeat is due. The control plane says it at an enrolment, and it is kept for the next process. */
export interface Pace {
  readonly everyMs: number;
  learn(seconds: number): Promise<void>;
}

const usualMs = 15_000;

export async function openPace({ disk, path }: { readonly disk: Disk; readonly path: string }): Promise<Pace> {
  let everyMs = readPace(await disk.read(path)) ?? usualMs;
  return {
    get everyMs() {
      return everyMs;
    },
    async learn(seconds) {
      everyMs = seconds * 1_000;
      await disk.write(path, JSON.stringify(seconds));
    },
  };
}

function readPace(text: string | undefined): number | undefined {
  const seconds = Number(text ?? Number.NaN);
  return Number.isInteger(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
}
