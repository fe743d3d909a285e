import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Session } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { withLock } from '../input/files.ts';
import { readFileIf, replaceFile, sshFolder } from './files.ts';

const run = promisify(execFile);
/** Asked for anew when less than this is left, so that a slow connection still gets in. */
const leastLeftMs = 60_000;

export interface CertificateFiles {
  readonly key: string;
  readonly certificate: string;
}
/** The key that this computer has for certificates, and the certificate of one allocation. */
export function certificateFiles(session: Session, allocationId: string): CertificateFiles {
  const folder = join(sshFolder(session.around.env), 'certificates');
  return { key: join(folder, 'id_ed25519'), certificate: join(folder, `${allocationId}-cert.pub`) };
}

/** A certificate that works for a while, on disk: the one that is there, or a new one. */
export async function refreshCertificate(session: Session, allocationId: string): Promise<CertificateFiles> {
  const files = certificateFiles(session, allocationId);
  await withLock(`${files.key}.lock`, async () => {
    const publicKey = await ownKey(files.key);
    const now = session.around.parts?.now?.() ?? Date.now();
    const until = Date.parse((await readFileIf(`${files.certificate}.until`)).trim());
    if (until - now > leastLeftMs && (await readFileIf(files.certificate)) !== '') return;
    const signed = await (await session.api()).terminals.sshCertificateSign({
      ...{ allocation_id: allocationId, public_key: publicKey },
    });
    await replaceFile(files.certificate, `${signed.certificate}\n`);
    await replaceFile(`${files.certificate}.until`, `${signed.expires_at}\n`);
  });
  return files;
}

async function ownKey(path: string): Promise<string> {
  const known = await readFileIf(`${path}.pub`);
  if (known !== '') return known.trim();
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'gpuaas', '-f', path]).catch((cause: unknown) => {
    throw new Failure(exitCodes.failed, 'ssh-keygen could not create a key for certificates.', {
      next: 'Install OpenSSH.',
      cause,
    });
  });
  return (await readFile(`${path}.pub`, 'utf8')).trim();
}
