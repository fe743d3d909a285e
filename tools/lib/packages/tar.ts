/** A file in an archive. Everything else about it is the same for all: owned by root, of one time. */
export interface ArchivedFile {
  /** Below the root of the archive, without a leading slash. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly mode: 0o644 | 0o755;
}
/** A symbolic link in an archive. */
export interface ArchivedLink {
  readonly path: string;
  readonly target: string;
}
/** A folder with a mode of its own. Others come by themselves, with what is in them. */
export interface ArchivedFolder {
  readonly path: string;
  readonly folderMode: 0o1777;
}
export type ArchivedEntry = ArchivedFile | ArchivedLink | ArchivedFolder;

const blockBytes = 512;
const longestName = 100;
const longestPrefix = 155;
const octal = (value: number, letters: number) => `${value.toString(8).padStart(letters - 1, '0')}\0`;

/**
 * A tar archive (ustar) that depends on its files and their order alone: no names of users, no times of this machine. The
 * folders above each file come before it, once.
 */
export function makeTar(
  files: readonly ArchivedEntry[],
  options: { readonly seconds: number; readonly prefix?: string },
) {
  const { seconds, prefix = '' } = options;
  const folders = new Set<string>();
  const parts: Buffer[] = [];
  for (const entry of files) {
    const { path } = entry;
    const steps = path.split('/').slice(0, -1);
    for (const [at] of steps.entries()) {
      const folder = `${prefix}${steps.slice(0, at + 1).join('/')}/`;
      if (folders.has(folder)) continue;
      folders.add(folder);
      parts.push(header({ name: folder, size: 0, mode: 0o755, kind: '5', seconds }));
    }
    const name = `${prefix}${path}`;
    if ('target' in entry) {
      parts.push(header({ name, size: 0, mode: 0o777, kind: '2', seconds, target: entry.target }));
      continue;
    }
    if ('folderMode' in entry) {
      parts.push(header({ name: `${name}/`, size: 0, mode: entry.folderMode, kind: '5', seconds }));
      continue;
    }
    const { bytes, mode } = entry;
    parts.push(header({ name, size: bytes.length, mode, kind: '0', seconds }), bytes);
    parts.push(Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
}

interface Entry {
  readonly name: string;
  readonly size: number;
  readonly mode: number;
  readonly kind: '0' | '2' | '5';
  readonly seconds: number;
  readonly target?: string;
}
function header({ name, size, mode, kind, seconds, target = '' }: Entry): Buffer {
  if (target.length > longestName) throw new Error(`${target} is too long for a link in an archive`);
  const [prefix, short] = splitName(name);
  const block = Buffer.alloc(blockBytes);
  const fields: readonly [at: number, text: string][] = [
    [0, short],
    [100, octal(mode, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(size, 12)],
    [136, octal(seconds, 12)],
    // The sum is counted as if its own place were empty.
    [148, '        '],
    [156, kind],
    [157, target],
    [257, 'ustar\0'],
    [263, '00'],
    [265, 'root'],
    [297, 'root'],
    [345, prefix],
  ];
  for (const [at, text] of fields) block.write(text, at, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)} `, 148, 'latin1');
  return block;
}

function splitName(name: string): readonly [prefix: string, short: string] {
  if (name.length <= longestName) return ['', name];
  const at = name.lastIndexOf('/', longestPrefix);
  const [prefix, short] = [name.slice(0, at), name.slice(at + 1)];
  if (at <= 0 || short.length > longestName) throw new Error(`${name} is too long for an archive`);
  return [prefix, short];
}
