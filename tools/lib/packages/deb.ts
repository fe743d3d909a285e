import { gzipSync } from 'node:zlib';
import { type ArchivedEntry, type ArchivedFile, makeTar } from './tar.ts';

/** Nine is half a percent smaller and takes twice as long. */
export const compression = 6;

/**
 * A Debian package: an `ar` archive of two tar archives. It is written here rather than by dpkg-deb, whose versions compress
 * differently: the same files give the same bytes on every machine, with or without dpkg.
 */
export function makeDeb(parts: {
  readonly control: string;
  /** Scripts that dpkg runs, by name. */
  readonly scripts: Readonly<Record<string, Buffer>>;
  readonly files: readonly ArchivedEntry[];
  readonly seconds: number;
}): Buffer {
  const { seconds } = parts;
  const about: ArchivedFile[] = [
    { path: 'control', bytes: Buffer.from(parts.control), mode: 0o644 },
    ...Object.entries(parts.scripts).map(([path, bytes]): ArchivedFile => ({ path, bytes, mode: 0o755 })),
  ];
  const tar = (files: readonly ArchivedEntry[]) =>
    gzipSync(makeTar(files, { seconds, prefix: './' }), { level: compression });
  return Buffer.concat([
    Buffer.from('!<arch>\n'),
    ...member('debian-binary', Buffer.from('2.0\n'), seconds),
    ...member('control.tar.gz', tar(about), seconds),
    ...member('data.tar.gz', tar(parts.files), seconds),
  ]);
}

function member(name: string, bytes: Buffer, seconds: number): Buffer[] {
  const header = [
    name.padEnd(16),
    String(seconds).padEnd(12),
    '0'.padEnd(6),
    '0'.padEnd(6),
    '100644'.padEnd(8),
    String(bytes.length).padEnd(10),
    '`\n',
  ].join('');
  return [Buffer.from(header, 'latin1'), bytes, Buffer.alloc(bytes.length % 2, '\n')];
}
