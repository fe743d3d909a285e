import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { ArchiveVerdict } from '@gpuaas/contract';
import { linkHash } from '../../kernel/audit-link.ts';
import type { Objects } from '../../ports/objects/port.ts';
import { archiveFormat } from './facts.ts';
import type { ArchiveRow, ChainPart, LinkLine } from './store.ts';

/**
 * Reads an archive and recomputes what it holds. An audit archive has, for each chain, the links from the one after the last
 * archive on; each link must follow the one before it, and the last one must be the link that the database goes on from.
 */
export async function verifyArchive(
  objects: Objects,
  archive: ArchiveRow,
  chains: readonly ChainPart[],
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
    return verdict('The digest of the object is not the one that was noted.');
  }
  const isolated = chains.find(({ follows }) => !follows);
  if (isolated) {
    object.body.destroy();
    return verdict(`Chain ${isolated.chain}: link ${isolated.first_sequence} does not follow an earlier archive.`);
  }
  const check = makeLinkCheck(chains);
  const text = new PassThrough();
  const reading = pipeline(object.body, createGunzip(), text);
  // Its failure is seen below; the reader of lines ends by itself.
  reading.catch(() => text.end());
  let first = true;
  for await (const line of createInterface({ input: text })) {
    const value = JSON.parse(line);
    if (first) {
      if (value.format !== archiveFormat || value.id !== archive.id) return verdict('It is another archive.');
      first = false;
      continue;
    }
    rows += 1;
    const broken = archive.subject === 'audit' ? check.next(value) : undefined;
    if (broken) return verdict(broken);
  }
  const failed = await reading.then(
    () => undefined,
    () => 'The object cannot be unpacked.',
  );
  if (failed) return verdict(failed);
  if (String(rows) !== archive.rows) return verdict(`It has ${rows} rows, and ${archive.rows} were noted.`);
  return verdict(check.end());
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
