import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { ArchiveVerdict } from '@gpuaas/contract';
import { linkHash } from '../../kernel/audit-link.ts';
import type { Objects } from '../../ports/objects/port.ts';
import { archiveFormat } from './facts.ts';
import type { ArchiveRow, BatchLine, ChainPart, LinkLine } from './store.ts';

/**
 * Reads an archive and recomputes what it holds: the digest of its bytes, whatever the store says of it, and its rows. An audit
 * archive has, for each chain, the links from the one after the last archive on; each link must follow the one before it, and the
 * last one must be the link that the database goes on from. The rows of a batch are compared with those in the database, as long as
 * they are there.
 */
export async function verifyArchive(
  objects: Objects,
  archive: ArchiveRow,
  chains: readonly ChainPart[],
  expected?: readonly BatchLine[],
): Promise<ArchiveVerdict> {
  let rows = 0;
  const verdict = (broken: string | null): ArchiveVerdict => ({
    archive_id: archive.id,
    subject: archive.subject,
    intact: broken === null,
    rows,
    chains: chains.length,
    broken,
  });
  const object = await objects.get(archive.object_key);
  if (!object) return verdict('The object is gone from the store.');
  if (object.facts.sha256 !== archive.sha256) {
    object.body.destroy();
    return verdict(otherDigest);
  }
  const isolated = chains.find(({ follows }) => !follows);
  if (isolated) {
    object.body.destroy();
    return verdict(`Chain ${isolated.chain}: link ${isolated.first_sequence} does not follow an earlier archive.`);
  }
  const check = makeLinkCheck(chains);
  let first = true;
  const see = (line: string): string | undefined => {
    const value = parse(line);
    if (value === undefined) return 'It has a line that cannot be read.';
    if (first) {
      first = false;
      return isHeadOf(archive, value) ? undefined : 'It is another archive.';
    }
    rows += 1;
    if (archive.subject === 'audit') return check.next(value as LinkLine);
    const isAsExpected = !expected || JSON.stringify(value) === JSON.stringify(expected[rows - 1]);
    return isAsExpected ? undefined : `Row ${rows} is not the one in the database.`;
  };
  const { sha256, broken } = await readLines(object.body, see);
  if (broken !== undefined) return verdict(broken);
  if (sha256 === undefined) return verdict('The object cannot be unpacked.');
  if (sha256 !== archive.sha256) return verdict(otherDigest);
  if (String(rows) !== archive.rows) return verdict(`It has ${rows} rows, and ${archive.rows} were noted.`);
  return verdict(check.end());
}
const otherDigest = 'The object was changed: its digest is not the one that was noted.';

const isHeadOf = (archive: ArchiveRow, value: object): boolean =>
  'format' in value && value.format === archiveFormat && 'id' in value && value.id === archive.id;
function parse(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Shows each line of a packed object until `see` says that one is broken. Answers that, or the digest of the bytes as they came; no
 * digest when the object cannot be read to its end.
 */
async function readLines(
  body: Readable,
  see: (line: string) => string | undefined,
): Promise<{ readonly sha256?: string; readonly broken?: string }> {
  const digest = createHash('sha256');
  let broken: string | undefined;
  try {
    await pipeline(
      body,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          digest.update(chunk);
          yield chunk;
        }
      },
      createGunzip(),
      async (unpacked: AsyncIterable<Buffer>) => {
        for await (const line of linesOf(unpacked)) {
          broken = see(line);
          if (broken !== undefined) return;
        }
      },
    );
  } catch {
    // It cannot be unpacked, or it was left at a broken line.
    return broken === undefined ? {} : { broken };
  }
  return broken === undefined ? { sha256: digest.digest('hex') } : { broken };
}
async function* linesOf(unpacked: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of unpacked) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

function makeLinkCheck(chains: readonly ChainPart[]) {
  const left = new Map(chains.map((chain) => [chain.chain, chain]));
  let at: { readonly part: ChainPart; sequence: bigint; hash: string } | undefined;
  const finish = (): string | undefined => {
    if (!at) return undefined;
    const { part } = at;
    return at.sequence.toString() === part.last_sequence && at.hash === part.last_hash
      ? undefined
      : `Chain ${part.chain} ends with link ${at.sequence}, and the database goes on after link ${part.last_sequence}.`;
  };
  return {
    /** What is wrong with a link; undefined when nothing is. */
    next({ chain, sequence, hash: linked, form, entry }: LinkLine): string | undefined {
      if (at?.part.chain !== chain) {
        const broken = finish();
        if (broken) return broken;
        const part = left.get(chain);
        if (!part) return `Chain ${chain} is not one of this archive.`;
        left.delete(chain);
        at = { part, sequence: BigInt(part.first_sequence) - 1n, hash: part.after_hash };
      }
      at.sequence += 1n;
      if (at.sequence.toString() !== sequence) return `Chain ${chain}: link ${at.sequence} is missing.`;
      if (!entry || linkHash(at.hash, sequence, entry, form) !== linked) {
        return `Chain ${chain}: link ${sequence} or its row was changed.`;
      }
      at.hash = linked;
      return undefined;
    },
    end(): string | null {
      const broken = finish();
      if (broken) return broken;
      const [missing] = left.keys();
      return missing === undefined ? null : `Chain ${missing} is missing.`;
    },
  };
}
