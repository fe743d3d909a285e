import { constants } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { unmount } from '../argv.ts';
import type { Commands } from '../commands.ts';

/** What is mounted where. A tenant can mount FUSE file systems only, and the kernel notes for whom each was mounted. */
export interface Mount {
  readonly point: string;
  readonly isFuse: boolean;
  /** For FUSE: the user who mounted it. */
  readonly userId: number | undefined;
}
export interface Mounts {
  list(): Promise<Mount[]>;
  /** Unmounts what is mounted at these points, the innermost first. */
  unmount(mounts: readonly Mount[]): Promise<void>;
}

/** `open` with O_PATH needs no answer of the file system, so it works on a mount whose server is dead. */
const pathOnly = 0o10000000 | constants.O_NOFOLLOW;

export function makeMounts(parts: {
  readonly commands: Commands;
  /** The mounts that this process sees and those of the machine: the unit of the agent has a mount namespace of its own. */
  readonly mountInfo?: () => Promise<string>;
}): Mounts {
  const { commands, mountInfo = readMountInfo } = parts;
  return {
    list: async () => parseMountInfo(await mountInfo()),
    async unmount(mounts) {
      // The deepest first. Of several at one point, the last is on top and goes with each turn.
      for (const { point } of mounts.toSorted((a, b) => b.point.length - a.point.length)) {
        const place = await walk(point);
        if (!place) continue;
        try {
          await commands.run(unmount(`/proc/${process.pid}/fd/${place.fd}`));
        } finally {
          await place.close();
        }
      }
    },
  };
}

/** Opens a path name by name and follows no link, so that nobody can lead the unmounting elsewhere. */
async function walk(path: string): Promise<FileHandle | undefined> {
  let place = await open('/', pathOnly);
  for (const name of path.split('/').filter((word) => word !== '')) {
    const next = await open(`/proc/self/fd/${place.fd}/${name}`, pathOnly).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    });
    await place.close();
    if (!next) return undefined;
    place = next;
  }
  return place;
}

async function readMountInfo(): Promise<string> {
  const own = await readFile('/proc/self/mountinfo', 'utf8');
  return process.getuid?.() === 0 ? `${own}${await readFile('/proc/1/mountinfo', 'utf8')}` : own;
}

/** One line a mount: the fifth field is where; behind a lone dash are the type, the source and the options. */
function parseMountInfo(text: string): Mount[] {
  const mounts = text.split('\n').flatMap((line): Mount[] => {
    const [before = '', behind = ''] = line.split(' - ');
    const point = before.split(' ')[4];
    const [type = '', , options = ''] = behind.split(' ');
    if (point === undefined) return [];
    const userId = /(?:^|,)user_id=(\d+)(?:,|$)/.exec(options)?.[1];
    const isFuse = /^fuse(?:\.|blk|$)/.test(type);
    return [{ point: unescapeMount(point), isFuse, userId: userId === undefined ? undefined : Number(userId) }];
  });
  return mounts;
}

/** Blanks, tabs, line ends and backslashes are written as three octal digits. */
const unescapeMount = (text: string): string =>
  Buffer.from(
    text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8))),
  ).toString();

export const isAtOrBelow = (point: string, folder: string): boolean =>
  point === folder || point.startsWith(`${folder}/`);
