import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SshKey } from '@gpuaas/sdk';
import type { Run, Session } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { resolveSshKeys } from '../resolve.ts';
import { showOne } from '../show/output.ts';

const namespace = 'gpuaas-key';

/** Proves a key that is registered already. */
export const prove: Run = async (session) => {
  const [id = session.arg(0)] = await resolveSshKeys(session, [session.arg(0)]);
  showOne(session, await sendProof(session, id, session.arg(1)), ['id', 'name', 'fingerprint', 'proven_at']);
  return exitCodes.ok;
};

/** Proves a key that was added a moment ago, from the file that its public half came from. */
export async function proveKey(session: Session, key: Pick<SshKey, 'id'>, publicKey: string): Promise<SshKey> {
  const given = session.given.positionals[0];
  if (given !== undefined) return sendProof(session, key.id, given.replace(/\.pub$/, ''));
  const folder = join(session.around.env['HOME'] || homedir(), '.ssh');
  for (const name of ['id_ed25519', 'id_ecdsa', 'id_rsa']) {
    const text = await readFile(join(folder, `${name}.pub`), 'utf8').catch(() => '');
    if (text.trim() === publicKey) return sendProof(session, key.id, join(folder, name));
  }
  throw new Failure(exitCodes.failed, 'The key is added, but its private half was not found.', {
    next: `gpuaas key prove ${key.id} FILE names it.`,
  });
}

async function sendProof(session: Session, id: string, file: string): Promise<SshKey> {
  const api = await session.api();
  const text = `gpuaas key of ${(await api.me.get()).id}`;
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-proof-'));
  try {
    const path = join(folder, 'text');
    await writeFile(path, text);
    // A key with a passphrase asks for it in this terminal.
    const child = spawn('ssh-keygen', ['-q', '-Y', 'sign', '-n', namespace, '-f', file, path], { stdio: 'inherit' });
    const code = await once(child, 'close').then(
      ([ended]) => ended as number | null,
      () => null,
    );
    if (code !== 0) {
      throw new Failure(exitCodes.failed, `ssh-keygen could not sign with ${file}.`, {
        next: `gpuaas key prove ${id} FILE tries it with another file.`,
      });
    }
    return await api.sshKeys.prove({ ssh_key_id: id, signature: await readFile(`${path}.sig`, 'utf8') });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
