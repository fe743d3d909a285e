import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../src/domains/outbox/testing.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { makeBrowser, walkThrough } from '../../../src/ports/identity-provider/conformance-browser.ts';
import { freePort } from '../../chaos/children.ts';
import { endAll, type Started, start } from '../support/npm-start.ts';
import { publicKey } from '../support/ssh-key.ts';

/**
 * The first visit by keyboard alone, in a real terminal: a pseudo-terminal of the kernel, with a width, where the program
 * asks and somebody answers. One installation, a person who rents and an operator who breaks and mends.
 */
const root = join(import.meta.dirname, '../../../..');
const program = join(root, 'cli/bin/gpuaas.cjs');
const patience = 240_000;

let folder: string;
let started: Started;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-terminal-'));
  // The account of the database passes through.
  await chmod(folder, 0o711);
  for (const who of ['member', 'operator']) await mkdir(join(folder, who, '.ssh'), { recursive: true });
  await writeFile(join(folder, 'member', '.ssh', 'id_ed25519.pub'), `${publicKey()} me@laptop\n`);
  const port = String(await freePort());
  started = await start(['--data', join(folder, 'data'), '--bare', '--port', port, '--host-speed', '200']);
}, patience);
afterAll(async () => {
  await started?.kill('SIGTERM');
  await endAll();
  await rm(folder, { recursive: true, force: true });
});

interface Typed {
  readonly code: number;
  /** All that came over the screen, with what moved and coloured it. */
  readonly screen: string;
  readonly text: string;
}

/** Types a line. Whatever the screen shows may be answered. */
function typeLine(
  who: string,
  line: string,
  answers: readonly (readonly [RegExp, (found: string) => Promise<string>])[] = [],
) {
  return new Promise<Typed>((resolve, reject) => {
    const terminal = spawn(process.execPath, [program, ...line.split(' ')], {
      cols: 100,
      rows: 30,
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: join(folder, who),
        TERM: 'xterm-256color',
        GPUAAS_BASE_URL: started.fact('URL'),
      },
    });
    let screen = '';
    const left = [...answers];
    terminal.onData((more) => {
      screen += more;
      const found = left[0]?.[0].exec(stripVTControlCharacters(screen));
      if (!found) return;
      const [, answer] = left.shift() ?? [];
      answer?.(found[1] ?? found[0]).then((words) => words !== '' && terminal.write(words), reject);
    });
    terminal.onExit(({ exitCode }) =>
      resolve({ code: exitCode, screen, text: stripVTControlCharacters(screen).replaceAll('\r', '\n') }),
    );
  });
}

async function signInAs(who: string): Promise<void> {
  const [password = ''] = started.fact('Password').split(' ');
  const browser = makeBrowser(started.fact('URL'));
  const { code, text } = await typeLine(who, 'login', [
    [
      /^ {2}(http\S+)\r?$/m,
      async (address) => {
        await walkThrough(browser, await browser.open(address), { login: who, password });
        return '';
      },
    ],
  ]);
  expect({ code, text }).toMatchObject({ code: 0, text: expect.stringContaining('Signed in to ') });
}

describe('the first visit, in a terminal', () => {
  it(
    'signs in, adds a key, sees what there is, launches after a question, asks why and gives it back',
    async () => {
      await signInAs('member');
      const status = await typeLine('member', 'status');
      expect(status.text).toMatch(/^project {2}/m);
      expect((await typeLine('member', 'key add --name laptop')).code).toBe(0);
      await eventually(async () => {
        await systemClock.sleep(300);
        const { text } = await typeLine('member', 'sku list');
        return /^h200-sxm-slice .*local 1×:/m.test(text) ? true : undefined;
      });

      const no = await typeLine('member', 'launch h200-sxm-slicex1 --for 1h', [
        [/\? Launch\? \(Y\/n\)/, async () => 'n\r'],
      ]);
      expect(no).toMatchObject({ code: 2, text: expect.stringContaining('Nothing was done.') });
      const yes = await typeLine('member', 'launch h200-sxm-slicex1 --name first --ssh-key laptop --for 1h', [
        [/\? Launch\? \(Y\/n\)/, async () => 'y\r'],
      ]);
      expect(yes, yes.text).toMatchObject({ code: 0 });
      for (const part of [
        'Plan   1 × h200-sxm-slice',
        'Price  ',
        'Stops  after 1 h',
        '✓ active  1 GPU, driver',
        'simulated: its host is simulated, and its machine does not exist',
      ]) {
        expect(yes.text).toContain(part);
      }
      // A rail: what is under way is drawn over by what is done, in green.
      expect(yes.screen).toContain('\u001b[32m✓\u001b[0m');

      const ids = await typeLine('member', 'alloc list --json id,name -q .[]|select(.name=="first").id');
      expect(ids.text.trim()).toMatch(/^[0-9a-f-]{36}$/);
      expect((await typeLine('member', 'why @last')).text).toMatch(/^It is active .* because its host proved 1 GPU/m);
      expect((await typeLine('member', 'ssh @last --print')).text).toContain('StrictHostKeyChecking=yes');
      // What can be entered can be observed: its story, its events, and where each of it came from.
      expect((await typeLine('member', 'timeline first')).text).toContain('provisioning → active');
      expect((await typeLine('member', 'alloc events first')).text).toContain('  provisioning.active  ');
      const found = await typeLine('member', 'timeline first -q .[0].correlation_id');
      const trace = await typeLine('member', `trace ${found.text.trim()} -o json`);
      expect(JSON.parse(trace.text)).not.toEqual([]);
      const released = await typeLine('member', 'release first --wait', [[/\(Y\/n\)/, async () => '\r']]);
      expect(released).toMatchObject({ code: 0, text: expect.stringContaining(' is released') });
    },
    patience,
  );

  it(
    'lets an operator break a host, see why a launch failed closed, mend it, and read it all as JSON',
    async () => {
      await signInAs('operator');
      const nodes = await typeLine('operator', 'ops node list -o json');
      const all = JSON.parse(nodes.text) as { id: string; name: string; sku: string; state: string }[];
      const slices = all.filter(({ sku, state }) => sku === 'h200-sxm-slice' && state === 'active');
      expect(slices).not.toEqual([]);
      for (const { name } of slices) {
        expect((await typeLine('operator', `sim break ${name} --fault driver_unavailable`)).code).toBe(0);
      }
      const failed = await typeLine('member', 'launch h200-sxm-slicex1 --name broken --for 1h --yes --timeout 2m');
      expect(failed.code).toBe(1);
      expect(failed.text).toMatch(/Next: gpuaas why /);
      const why = await typeLine('member', 'why @last');
      expect(why.text).toMatch(/^It is failed because /m);
      for (const { name } of slices) expect((await typeLine('operator', `sim mend ${name}`)).code).toBe(0);
      for (const line of [
        'ops fleet-health',
        'ops queue',
        'ops stuck',
        'ops dlq list',
        'ops outbox list',
        'ops sku list',
        'ops policy settings',
        'ops audit search --limit 5',
        'ops audit verify',
      ]) {
        const { code, text } = await typeLine('operator', `${line} -o json --quiet`);
        expect({ line, code }).toEqual({ line, code: 0 });
        expect(JSON.parse(text), line).toBeTypeOf('object');
      }
      expect(await typeLine('member', 'ops fleet-health')).toMatchObject({ code: 5 });
    },
    patience,
  );
});
