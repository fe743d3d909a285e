import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';

/** A blob on its way in: bytes arrive in several requests and are one blob when their digest is right. */
export interface Uploads {
  begin(repository: string): Promise<string | undefined>;
  /** The bytes that are there; undefined when there is no such upload of this repository. */
  append(repository: string, id: string, body: Readable): Promise<number | undefined>;
  size(repository: string, id: string): Promise<number | undefined>;
  /** The whole blob, if its digest is this one. The upload is over in any case. */
  finish(repository: string, id: string, digest: string): Promise<Readable | 'absent' | 'another'>;
  close(): Promise<void>;
}
export class TooLarge extends Error {}

const mostUploads = 64;
/** An upload that nobody has continued for this long is dropped when another one needs its place. */
const idleMs = 3_600_000;

export async function openUploads(parts: {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly mostBytes: number;
}): Promise<Uploads> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-uploads-'));
  const open = new Map<string, { readonly repository: string; touched: number; isBusy: boolean }>();
  const fileOf = (id: string) => join(folder, id);
  const sizeOf = (id: string) =>
    stat(fileOf(id)).then(
      ({ size }) => size,
      () => 0,
    );
  const find = (repository: string, id: string) => {
    const one = open.get(id);
    return one?.repository === repository ? one : undefined;
  };
  const drop = async (id: string) => {
    open.delete(id);
    await rm(fileOf(id), { force: true });
  };
  return {
    async begin(repository) {
      for (const [id, { touched, isBusy }] of open) {
        if (open.size < mostUploads) break;
        if (!isBusy && parts.clock.now().getTime() - touched > idleMs) await drop(id);
      }
      if (open.size >= mostUploads) return undefined;
      const id = parts.ids.next();
      open.set(id, { repository, touched: parts.clock.now().getTime(), isBusy: false });
      return id;
    },
    async append(repository, id, body) {
      const one = find(repository, id);
      if (!one || one.isBusy) return undefined;
      one.isBusy = true;
      try {
        let bytes = await sizeOf(id);
        const bounded = async function* (from: AsyncIterable<Buffer>) {
          for await (const chunk of from) {
            bytes += chunk.length;
            if (bytes > parts.mostBytes) throw new TooLarge();
            yield chunk;
          }
        };
        await pipeline(body, bounded, createWriteStream(fileOf(id), { flags: 'a', mode: 0o600 }));
        return bytes;
      } finally {
        one.isBusy = false;
        one.touched = parts.clock.now().getTime();
      }
    },
    async size(repository, id) {
      return find(repository, id) ? sizeOf(id) : undefined;
    },
    async finish(repository, id, digest) {
      const one = find(repository, id);
      if (!one || one.isBusy) return 'absent';
      one.isBusy = true;
      if ((await sizeOf(id)) === 0) await pipeline([], createWriteStream(fileOf(id), { flags: 'a', mode: 0o600 }));
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(fileOf(id))) hash.update(chunk as Buffer);
      if (`sha256:${hash.digest('hex')}` !== digest) {
        await drop(id);
        return 'another';
      }
      const body = createReadStream(fileOf(id));
      body.once('close', () => void drop(id));
      return body;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
