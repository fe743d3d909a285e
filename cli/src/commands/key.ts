import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Run, Session } from '../command.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { showOne } from '../show/output.ts';

const columns = ['id', 'name', 'type', 'bits', 'fingerprint', 'created_at'];
const usual = ['id_ed25519.pub', 'id_ecdsa.pub', 'id_rsa.pub'];

export const add: Run = async (session) => {
  const public_key = await readKey(session);
  const name = session.text('name');
  const api = await session.api();
  const input = { public_key, ...(name !== undefined && { name }) };
  const key = session.is('shared')
    ? await api.sshKeys.projectAdd(input, { project: await session.project() })
    : await api.sshKeys.add(input);
  showOne(session, key, columns);
  return exitCodes.ok;
};

/** A file, standard input, or the key that ssh would use. A private key is refused before it goes anywhere. */
async function readKey(session: Session): Promise<string> {
  const path = session.given.positionals[0];
  let text = '';
  if (path === '-') {
    for await (const chunk of session.around.stdin) text += String(chunk);
  } else {
    const folder = join(session.around.env['HOME'] || homedir(), '.ssh');
    const tried = path === undefined ? usual.map((name) => join(folder, name)) : [path];
    for (const each of tried) text ||= await readFile(each, 'utf8').catch(() => '');
    if (text === '') {
      throw usageFailure(`No public key at ${tried.join(', ')}.`, 'Make one with ssh-keygen -t ed25519.');
    }
  }
  if (text.includes('PRIVATE KEY')) {
    throw usageFailure('That is a private key: it stays where it is.', 'Give the file that ends in .pub.');
  }
  return text.trim();
}
