import { createHash, createPrivateKey, sign } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Architecture, architectures } from '../lib/packages/agent-package.ts';
import { controlKinds, makeControlPackages } from '../lib/packages/control/control-package.ts';
import { runProgram, runScript } from '../lib/program.ts';
import { root } from '../lib/tree.ts';
import { packageAgent } from './package-agent.ts';

/**
 * Makes everything that an operator installs: `npm run package [-- --out DIR --only tarball --sign-with KEY]`. The control plane as
 * an archive, a Debian package and an image; the agent as an archive and a Debian package; a bill of materials; SHA256SUMS. With
 * an Ed25519 key (PEM) the sums are signed, and `openssl pkeyutl -verify -rawin` checks that.
 */
export async function makePackages(order: {
  readonly out: string;
  readonly arch: Architecture;
  readonly only?: string;
  readonly signWith?: string;
  readonly say: (line: string) => void;
}): Promise<readonly string[]> {
  const { out, arch, only, say } = order;
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  for (const build of ['web/build.ts', 'web/docs/build.ts']) {
    const ran = await runScript(build, []);
    if (ran.code !== 0) throw new Error(`${build} failed: ${ran.output}`);
  }
  const provenance = { version, commit: await commitOf() };
  const sums: string[] = [];
  const keep = async (name: string, bytes: Buffer, digest?: string) => {
    await writeFile(join(out, name), bytes);
    sums.push(`${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`);
    say(`${join(out, name)}  ${(bytes.length / 1_048_576).toFixed(1)} MiB${digest === undefined ? '' : `  ${digest}`}`);
  };
  await mkdir(out, { recursive: true });
  const kinds = controlKinds.filter((kind) => only === undefined || kind === only);
  for await (const made of makeControlPackages({ arch, provenance, kinds })) {
    await keep(made.name, made.bytes, made.digest);
  }
  if (only === undefined || only === 'agent') {
    for (const made of await packageAgent({ version, arch })) await keep(made.name, made.bytes);
  }
  const list = Buffer.from(sums.join(''));
  await writeFile(join(out, 'SHA256SUMS'), list);
  if (order.signWith !== undefined) {
    const key = createPrivateKey(await readFile(order.signWith, 'utf8'));
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('--sign-with takes an Ed25519 key, in PEM');
    await writeFile(join(out, 'SHA256SUMS.sig'), sign(null, list, key));
  }
  return sums;
}

/** The commit of the sources, with a mark where they differ from it. */
async function commitOf(): Promise<string> {
  const { code, stdout } = await runProgram('git', ['rev-parse', 'HEAD']);
  if (code !== 0) throw new Error('packages are made from a clone: git cannot name the commit');
  const changed = (await runProgram('git', ['status', '--porcelain'])).stdout.trim() !== '';
  return `${stdout.trim()}${changed ? '-changed' : ''}`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(root, 'dist') },
      arch: { type: 'string', default: process.arch },
      only: { type: 'string' },
      'sign-with': { type: 'string' },
    },
  });
  const { out, arch, only, 'sign-with': signWith } = values;
  if (!Object.hasOwn(architectures, arch)) throw new Error(`${arch} is none of ${Object.keys(architectures)}`);
  const kinds = [...controlKinds, 'agent'];
  if (only !== undefined && !kinds.includes(only)) throw new Error(`--only takes one of ${kinds.join(', ')}`);
  await makePackages({
    ...{ out, arch: arch as Architecture },
    ...(only !== undefined && { only }),
    ...(signWith !== undefined && { signWith }),
    say: (line) => console.log(line),
  });
}
