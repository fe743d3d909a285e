import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Run, Session } from '../command.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { confirm } from '../input/ask.ts';
import { showOne } from '../show/output.ts';
import { proveKey } from './key-proof.ts';

const columns = ['id', 'name', 'type', 'bits', 'fingerprint', 'created_at', 'proven_at'];
const usual = ['id_ed25519.pub', 'id_ecdsa.pub', 'id_rsa.pub'];

export const add: Run = async (session) => {
  const public_key = await readKey(session);
  const name = session.text('name');
  const api = await session.api();
  const input = { public_key, ...(name !== undefined && { name }) };
  const isProving = session.is('prove');
  if (isProving && (session.is('shared') || session.given.positionals[0] === '-')) {
    throw usageFailure('--prove is for a key of yours in a file.');
  }
  const key = session.is('shared')
    ? await api.sshKeys.projectAdd(input, { project: await session.project() })
    : await api.sshKeys.add(input);
  showOne(session, isProving ? await proveKey(session, key, public_key) : key, columns);
  return exitCodes.ok;
};

/** Offers to create a key if there is none; without a terminal it names the command. */
async function makeKey(session: Session, folder: string): Promise<string> {
  const path = join(folder, 'id_ed25519');
  await confirm(session, `There is no SSH key in ${folder}. Create one with ssh-keygen at ${path}?`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const child = spawn('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path], { stdio: 'inherit' });
  const code = await once(child, 'close').then(
    ([ended]) => ended as number | null,
    () => null,
  );
  if (code !== 0) {
    throw new Failure(exitCodes.failed, 'ssh-keygen could not create a key.', {
      next: 'Install OpenSSH, or give the file of a public key: npx gpuaas key add FILE.',
    });
  }
  session.say(`Created ${path} without a passphrase.`);
  return readFile(`${path}.pub`, 'utf8');
}

/** A file, standard input, or the default key of ssh. A private key is refused before it is sent. */
async function readKey(session: Session): Promise<string> {
  const path = session.given.positionals[0];
  let text = '';
  if (path === '-') {
    for await (const chunk of session.around.stdin) text += String(chunk);
  } else {
    const folder = join(session.around.env['HOME'] || homedir(), '.ssh');
    const tried = path === undefined ? usual.map((name) => join(folder, name)) : [path];
    for (const each of tried) text ||= await readFile(each, 'utf8').catch(() => '');
    if (text === '' && path === undefined) text = await makeKey(session, folder);
    if (text === '') throw usageFailure(`No public key at ${tried.join(', ')}.`);
  }
  if (text.includes('PRIVATE KEY')) {
    throw usageFailure('That is a private key. Never share it.', 'Give the file that ends in .pub.');
  }
  return text.trim();
}
