import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { makeBrowser, walkThrough } from '../../src/ports/identity-provider/conformance-browser.ts';
import { freePort } from '../chaos/children.ts';
import { endAll, type Started, start } from './support/npm-start.ts';
import { publicKey } from './support/ssh-key.ts';

/** The tutorial, typed line by line by somebody who has nothing but a terminal. */
const root = join(import.meta.dirname, '../../..');
const program = join(root, 'cli/bin/gpuaas.cjs');
const patience = 240_000;

let folder: string;
let home: string;
let started: Started;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-tutorial-'));
  // The account of the database passes through.
  await chmod(folder, 0o711);
  home = join(folder, 'home');
  await mkdir(join(home, '.ssh'), { recursive: true });
  await writeFile(join(home, '.ssh', 'id_ed25519.pub'), `${publicKey()} me@laptop\n`);
  const port = String(await freePort());
  started = await start(['--data', join(folder, 'data'), '--bare', '--port', port, '--host-speed', '500']);
}, patience);
afterAll(async () => {
  await started.kill('SIGTERM');
  await endAll();
  await rm(folder, { recursive: true, force: true });
});

function type(args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, GPUAAS_BASE_URL: started.fact('URL') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
    child.emit('said');
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, out, err })),
  );
  const address = new Promise<string>((resolve, reject) => {
    child.on('said', () => {
      const found = /^ {2}(http\S+)$/m.exec(err)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(`it ended without an address: ${err}`)));
  });
  address.catch(() => undefined);
  return { ended, address };
}

const linesOf = (page: string): string[][] =>
  [...page.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.trim().split('\n'))
    .map((line) => line.split(' '));

const shows: Readonly<Record<string, RegExp>> = {
  login: /^Signed in to /m,
  status: /^project {2}Playground/m,
  'key add': /^name +laptop$/m,
  'sku list': /^h200-sxm-slice .*local 1×:/m,
  launch: /^[0-9a-f-]{36}$/m,
  why: /^It is active .* because its host proved 1 GPU.*\n {2}simulated: .*\n {2}placement: placed;/m,
  timeline: /provisioning → active/,
  release: / is released$/m,
};

describe('the command line alone', () => {
  it(
    'goes through the tutorial: login, key, launch, wait, why, release',
    async () => {
      const page = await readFile(join(root, 'docs/tutorials/first-gpu.md'), 'utf8');
      const lines = linesOf(page);
      const typed = lines.map((line) => line.slice(1).join(' '));
      for (const needed of ['login', 'key add', 'launch', 'alloc wait', 'why', 'release']) {
        expect(
          typed.some((line) => line.startsWith(needed)),
          needed,
        ).toBe(true);
      }
      for (const [prompt, ...args] of lines) {
        expect(prompt).toBe('gpuaas');
        if (args[0] === 'login') {
          const login = type(args);
          const [password = ''] = started.fact('Password').split(' ');
          const browser = makeBrowser(started.fact('URL'));
          await walkThrough(browser, await browser.open(await login.address), { login: 'member', password });
          expect((await login.ended).out).toMatch(shows['login'] as RegExp);
          continue;
        }
        // The hosts come into service while the page is being read.
        if (args[0] === 'launch') await aHostIsFree();
        const { code, out, err } = await type(args).ended;
        expect({ code, line: args.join(' '), err: code === 0 ? '' : err }).toEqual({
          code: 0,
          line: args.join(' '),
          err: '',
        });
        const expected = Object.entries(shows).find(([words]) => args.join(' ').startsWith(words))?.[1];
        if (expected && args[0] !== 'sku') expect(out, args.join(' ')).toMatch(expected);
      }
      const after = await type(['alloc', 'list', '--all', '-o', 'json']).ended;
      // Colleagues have launched things of their own meanwhile.
      const mine = (JSON.parse(after.out) as { name: string }[]).filter(({ name }) => name === 'first');
      expect(mine).toMatchObject([{ name: 'first', state: 'released' }]);
    },
    patience,
  );

  it(
    'tells scripts how it went, by number',
    async () => {
      const codeOf = async (...args: string[]) => (await type(args).ended).code;
      expect(await codeOf('alloc', 'get', '01a1dea2-0000-7000-8000-000000000000')).toBe(3);
      expect(await codeOf('launch', 'h200-sxm-slicex1', '--no-input')).toBe(2);
      expect(await codeOf('launch', 'h900x1', '--yes')).toBe(3);
      expect(await codeOf('ops', 'fleet-health')).toBe(5);
      expect(await codeOf('doctor')).toBe(0);
    },
    patience,
  );
});

const aHostIsFree = () =>
  eventually(async () => {
    await systemClock.sleep(300);
    const { out } = await type(['sku', 'list']).ended;
    return (shows['sku list'] as RegExp).test(out) ? true : undefined;
  });
