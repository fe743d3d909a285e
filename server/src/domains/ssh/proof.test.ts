import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proofText, whyNoProof } from './proof.ts';

const run = promisify(execFile);
const userId = '01935a2c-7b1e-7c3a-9f00-2f6f6a1d4e55';
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-proof-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function prove(
  name: string,
  options: readonly string[] = [],
  text = proofText(userId),
  namespace = 'gpuaas-key',
) {
  const file = join(folder, name);
  await run('ssh-keygen', ['-q', '-N', '', '-C', '', '-f', file, ...options]);
  await writeFile(`${file}.text`, text);
  await run('ssh-keygen', ['-q', '-Y', 'sign', '-n', namespace, '-f', file, `${file}.text`]);
  return { line: await readFile(`${file}.pub`, 'utf8'), signature: await readFile(`${file}.text.sig`, 'utf8') };
}

describe('the proof that a person holds a key', () => {
  it.each([
    ['ed25519', ['-t', 'ed25519']],
    ['rsa', ['-t', 'rsa', '-b', '3072']],
    ['nistp256', ['-t', 'ecdsa', '-b', '256']],
    ['nistp384', ['-t', 'ecdsa', '-b', '384']],
    ['nistp521', ['-t', 'ecdsa', '-b', '521']],
  ])('is a signature of ssh-keygen with a key of type %s', async (name, options) => {
    const { line, signature } = await prove(name, options);
    expect(whyNoProof(signature, { line, userId })).toBeUndefined();
  });

  it('holds for one person, one key and one purpose, and not when a byte differs', async () => {
    const { line, signature } = await prove('mine');
    expect(whyNoProof(signature, { line, userId: userId.replace('0', '1') })).toMatch(/does not hold/);
    const other = await prove('other');
    expect(whyNoProof(signature, { line: other.line, userId })).toMatch(/Another key/);
    const wrong = await prove('git', [], proofText(userId), 'git');
    expect(whyNoProof(wrong.signature, { line: wrong.line, userId })).toMatch(/another purpose/);
    const [head = '', ...rest] = signature.trim().split('\n');
    const bytes = Buffer.from(rest.slice(0, -1).join(''), 'base64');
    for (const at of [8, 40, 70, 100, bytes.length - 5]) {
      const bad = Buffer.from(bytes);
      bad[at] = (bad[at] ?? 0) ^ 1;
      const text = [head, bad.toString('base64'), rest.at(-1)].join('\n');
      expect(whyNoProof(text, { line, userId }), `byte ${at}`).not.toBeUndefined();
    }
    for (const text of ['', 'ssh-ed25519 AAAA', signature.slice(0, 100)]) {
      expect(whyNoProof(text, { line, userId })).toMatch(/first line to its last/);
    }
  });
});
