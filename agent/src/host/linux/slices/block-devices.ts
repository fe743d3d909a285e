import { createHash } from 'node:crypto';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { HostFailure } from '../../port.ts';
import { type Commands, complaintOf } from '../commands.ts';

/** Reading and writing a whole block device, in large pieces. */
export interface BlockDevices {
  sizeOf(device: string): Promise<number>;
  /** How much was read from this place on and found empty, in words; undefined when something is there. */
  findEmpty(device: string, from: number): Promise<string | undefined>;
  /** Puts a file on the empty device and answers with the digest of what the device holds then, as far as the file goes. */
  put(device: string, source: FileHandle, bytes: number): Promise<string>;
  overwrite(device: string): Promise<void>;
  /** Works on the device while no program can mount it or build on it; refuses a device that is mounted or built on. */
  alone<T>(device: string, work: () => Promise<T>): Promise<T>;
}

const chunkBytes = 4 * 1_024 ** 2;
/** Up to this size the whole device is read; larger ones at this many places, and at their end. */
const wholeBytes = 64 * 1_024 ** 3;
const samples = 4_096;
const zeros = Buffer.alloc(chunkBytes);
/** On a block device the kernel grants this to one at a time, and to nobody while the device is mounted or part of another. */
const openAlone = (path: string) => open(path, constants.O_RDWR | constants.O_EXCL);
const isEmpty = (chunk: Buffer) => chunk.equals(zeros.subarray(0, chunk.length));

export function makeBlockDevices(parts: {
  readonly commands: Commands;
  readonly pathOf: (device: string) => string;
}): BlockDevices {
  const { commands, pathOf } = parts;
  const sizeOf = async (device: string): Promise<number> => {
    const result = await commands.run(['blockdev', '--getsize64', pathOf(device)]);
    const bytes = Number(result.stdout.trim());
    if (result.status === 0 && Number.isInteger(bytes) && bytes > 0) return bytes;
    throw new HostFailure('disk_dirty', `The size of ${device} cannot be read: ${complaintOf(result)}.`);
  };
  /** Reading is worth nothing while the kernel answers from its memory. */
  const forget = async (device: string) => {
    const result = await commands.run(['blockdev', '--flushbufs', pathOf(device)]);
    if (result.status !== 0) {
      throw new HostFailure('wipe_unverified', `${device} cannot be read afresh: ${complaintOf(result)}.`);
    }
  };
  const reading = async <T>(device: string, read: (handle: FileHandle) => Promise<T>): Promise<T> => {
    await forget(device);
    const handle = await open(pathOf(device), 'r');
    try {
      return await read(handle);
    } finally {
      await handle.close();
    }
  };
  const writing = async <T>(device: string, write: (handle: FileHandle) => Promise<T>): Promise<T> => {
    const handle = await openAlone(pathOf(device)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EBUSY') throw error;
      throw new HostFailure('disk_dirty', `${device} is in use on this host: it cannot be opened alone.`);
    });
    try {
      return await write(handle);
    } finally {
      await handle.close();
    }
  };

  return {
    sizeOf,
    async findEmpty(device, from) {
      const size = await sizeOf(device);
      const isWhole = size <= wholeBytes;
      const apart = Math.floor((size - from) / samples / chunkBytes) * chunkBytes;
      const step = isWhole ? chunkBytes : Math.max(apart, chunkBytes);
      let read = 0;
      const found = await reading(device, async (handle) => {
        for (let at = from; at < size; at += step) {
          const chunk = await readChunk(handle, at, Math.min(chunkBytes, size - at));
          if (!isEmpty(chunk)) return false;
          read += chunk.length;
        }
        const last = Math.max(from, size - chunkBytes);
        return isEmpty(await readChunk(handle, last, size - last));
      });
      if (!found) return undefined;
      return isWhole
        ? `all ${size - from} bytes read zero`
        : `${read} of ${size} bytes were read at ${samples} places, all zero`;
    },
    async put(device, source, bytes) {
      await writing(device, (handle) => copy(source, handle, bytes));
      return reading(device, (handle) => digestOf(handle, bytes));
    },
    async overwrite(device) {
      const size = await sizeOf(device);
      await writing(device, async (handle) => {
        for (let at = 0; at < size; at += chunkBytes) {
          await handle.write(zeros, 0, Math.min(chunkBytes, size - at), at);
        }
        await handle.sync();
      });
    },
    alone: (device, work) => writing(device, work),
  };
}

async function readChunk(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const chunk = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(chunk, done, length - done, at + done);
    if (bytesRead === 0) throw new HostFailure('wipe_unverified', `The disk ends at ${at + done}, before its size.`);
    done += bytesRead;
  }
  return chunk;
}

/** The disk is empty, so what is empty in the image need not be written. */
async function copy(source: FileHandle, target: FileHandle, bytes: number): Promise<void> {
  for (let at = 0; at < bytes; at += chunkBytes) {
    const chunk = await readChunk(source, at, Math.min(chunkBytes, bytes - at));
    if (!isEmpty(chunk)) await target.write(chunk, 0, chunk.length, at);
  }
  await target.sync();
}

export async function digestOf(handle: FileHandle, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes; at += chunkBytes) {
    hash.update(await readChunk(handle, at, Math.min(chunkBytes, bytes - at)));
  }
  return `sha256:${hash.digest('hex')}`;
}
