import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * A folder of built files. They are read once and kept in memory, and compressed on first request: such a folder is a
 * few megabytes, and a broken build is noticed at the start. Request paths never reach the disk, so no path leads out
 * of the folder.
 */
export interface StaticFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly etag: string;
  /** Whether its name changes with its content, so that browsers may cache it for ever. */
  readonly isForever: boolean;
  packed(way: Packing): Promise<Buffer>;
}
type Packing = 'br' | 'gzip';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const packBrotli = promisify(brotliCompress);
const packGzip = promisify(gzip);
/** The best that can be had within a moment; the highest level takes seconds for a few more bytes. */
const brotliLevel = 9;

/**
 * Every file of the folder, by its path with a leading slash; pages as `dress` leaves them. What is hidden, or of a kind
 * nobody asks for, is left out.
 */
export async function readStaticFiles(
  folder: string,
  dress: (page: string) => string = (page) => page,
): Promise<Map<string, StaticFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, StaticFile>();
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = `/${relative(folder, path).split(sep).join('/')}`;
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined || name.includes('/.')) continue;
    const read = await readFile(path);
    const content = name.endsWith('.html') ? Buffer.from(dress(read.toString())) : read;
    files.set(name, makeFile(type, content, name.startsWith('/assets/') && /-[\w-]{6}[\w-]*\.\w+$/.test(name)));
  }
  return files;
}

function makeFile(type: string, plain: Buffer, isForever: boolean): StaticFile {
  const kept = new Map<Packing, Promise<Buffer>>();
  const pack = (way: Packing): Promise<Buffer> =>
    way === 'br' ? packBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliLevel } }) : packGzip(plain);
  return {
    type,
    plain,
    isForever,
    etag: `"${hash('sha256', plain, 'base64url').slice(0, 22)}"`,
    packed(way) {
      const known = kept.get(way) ?? pack(way);
      kept.set(way, known);
      return known;
    },
  };
}

/** Sends a file in the best encoding for the browser, or 304. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
  headers: Readonly<Record<string, string>> = {},
): Promise<FastifyReply> {
  reply.headers({
    'content-type': file.type,
    'cache-control': file.isForever ? 'public, max-age=31536000, immutable' : 'no-cache',
    'x-content-type-options': 'nosniff',
    etag: file.etag,
    vary: 'accept-encoding',
    ...headers,
  });
  if (request.headers['if-none-match'] === file.etag && reply.statusCode === 200) return reply.code(304).send();
  const accepts = request.headers['accept-encoding'] ?? '';
  const way = (['br', 'gzip'] as const).find((each) => accepts.includes(each));
  return way ? reply.header('content-encoding', way).send(await file.packed(way)) : reply.send(file.plain);
}
