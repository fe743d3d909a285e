/**
 * Uploads that were begun in this browser and not finished, by file and goal. When the same file is chosen again, also after the
 * page was closed, its upload goes on. Ids alone are kept: they open nothing without the sign-in.
 */
interface To {
  readonly project: string;
  readonly path: string;
  readonly owner: string | undefined;
}
type Named = Pick<File, 'size' | 'lastModified'>;

const kept = 'unfinished-uploads';
/** The oldest ones are forgotten; the server gives them up after a day. */
const most = 200;
const nameOf = ({ size, lastModified }: Named, { project, path, owner }: To): string =>
  [project, owner ?? '', path, size, lastModified].join(' ');

function read(): [string, string][] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(kept) ?? '[]');
    return Array.isArray(found) ? (found as [string, string][]) : [];
  } catch {
    return [];
  }
}
function write(entries: readonly (readonly [string, string])[]): void {
  try {
    localStorage.setItem(kept, JSON.stringify(entries.slice(-most)));
  } catch {
    // Without storage an upload goes on only while the page is open.
  }
}

export const knownUpload = (file: Named, to: To): string | undefined =>
  read().find(([name]) => name === nameOf(file, to))?.[1];
export const began = (file: Named, to: To, uploadId: string): void =>
  write([...read().filter(([name]) => name !== nameOf(file, to)), [nameOf(file, to), uploadId]]);
export const ended = (file: Named, to: To): void => write(read().filter(([name]) => name !== nameOf(file, to)));
