import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openGpuaas } from '@gpuaas/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../chaos/children.ts';
import { endAll, start } from '../support/npm-start.ts';
import { signIn } from '../support/sign-in.ts';
import { openPrivateMachine, type PrivateMachine } from './private-machine.ts';

/**
 * The package that ships, served by everything that `npm start` starts, installed by the line that an operator pastes on a
 * machine without Node: this one, in namespaces of its own, with its own hardware and a script in place of systemd.
 */
const version = '9.8.7';
const arch = process.arch as 'x64' | 'arm64';
const packager = join(import.meta.dirname, '../../../../tools/dev/package-agent.ts');
const isRoot = process.getuid?.() === 0;
const within = { timeout: 60_000, interval: 200 };

let folder: string;
let operator: ReturnType<typeof openGpuaas>;
let machine: PrivateMachine;
let before: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-install-'));
  await promisify(execFile)(process.execPath, [packager, '--out', folder, '--version', version, '--only', 'tarball']);
  const started = await start(['--ephemeral', '--bare', '--fleet', 'none', '--port', String(await freePort())]);
  const baseUrl = started.fact('URL');
  const [password = ''] = started.fact('Password').split(' ');
  const { access_token: token } = await signIn(baseUrl, { login: 'operator', password });
  operator = openGpuaas({ baseUrl, token });
  const bytes = await readFile(join(folder, `gpuaas-node-agent-${version}-linux-${arch}.tar.gz`));
  await operator.adminFleet.agentReleaseAdd({
    ...{ version, arch, kind: 'tarball', size_bytes: bytes.length },
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    bundle: new Blob([bytes]),
  });
  machine = await openPrivateMachine();
  before = await machine.changes();
}, 10 * 60_000);
afterAll(async () => {
  await machine?.close();
  await endAll();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

describe.runIf(isRoot)('a host without Node', () => {
  it('is a node after one line was pasted, says what it lacks, and is as it was after uninstall', {
    timeout: 5 * 60_000,
  }, async () => {
    expect((await machine.run('command -v node nodejs node-agent')).output).toBe('');
    const offer = await operator.adminNodes.create({ name: 'pasted-01', region: 'local', sku: 'h200-sxm-slice' });
    expect(offer.agent_package).toEqual({ version, architectures: [arch] });

    // Every list of processes that anybody could see while the line runs.
    const watch = `while :; do cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' >>/run/seen; sleep 0.05; done & watching=$!`;
    const pasted = await machine.run(`${watch}\n${offer.install_command}\nstatus=$?; kill $watching; exit $status`);
    expect(pasted.status, pasted.output).toBe(0);
    expect(pasted.output).toContain(`The node agent ${version} is installed.`);
    expect(pasted.output).toContain(`This host is node ${offer.node.id}`);
    expect((await machine.run(`grep -c ${offer.token} /run/seen`)).output).toBe('0');
    expect((await machine.run('grep -c "node-agent.mjs enrol" /run/seen')).output).not.toBe('0');

    const node = () => operator.adminNodes.get({ node_id: offer.node.id });
    await expect.poll(async () => (await node()).last_report_at, within).toBeTypeOf('string');
    expect(await node()).toMatchObject({ agent_version: version });
    const settings = await machine.run('stat -c %a /etc/gpuaas/node-agent.env && cat /etc/gpuaas/node-agent.env');
    expect(settings.output).toBe(`600\nGPUAAS_API_URL=${offer.node_url}`);

    const doctor = await machine.run('node-agent doctor -o json');
    const { findings } = JSON.parse(doctor.output) as { findings: { check: string; state: string; mend?: string }[] };
    const states = Object.fromEntries(findings.map(({ check, state }) => [check, state]));
    expect(states).toMatchObject({
      ...{ settings: 'ok', runtime: 'ok', identity: 'ok', 'control-plane': 'ok', unit: 'ok', sshd: 'ok' },
    });
    expect(findings.filter(({ state, mend }) => state !== 'ok' && !mend)).toEqual([]);
    // Terminals need the native library of the package; the updated agent lies in another folder and finds it too.
    const pty = `require('node:module').createRequire(process.execPath)('@lydell/node-pty').spawn`;
    expect((await machine.run(`/usr/lib/gpuaas/bin/node -p 'typeof ${pty.replaceAll("'", '"')}'`)).output).toBe(
      'function',
    );

    const removed = await machine.run('node-agent uninstall');
    expect(removed.status, removed.output).toBe(0);
    expect(await machine.changes()).toEqual(before);
    const folders = '/usr/lib/gpuaas /usr/share/doc/gpuaas-node-agent /etc/gpuaas /var/lib/gpuaas /var/log/gpuaas';
    expect((await machine.run(`ls -d ${folders} 2>/dev/null`)).output).toBe('');
    // The brackets keep the pattern from finding the command line of grep itself.
    const left = await machine.run('cat /proc/[0-9]*/cmdline | tr "\\0" "\\n" | grep -c "node-agent[.]mjs"');
    expect(left.output).toBe('0');
  });

  it('enrols by user data as well, and the files with the token are gone', { timeout: 5 * 60_000 }, async () => {
    const offer = await operator.adminNodes.create({ name: 'clouded-01', region: 'local', sku: 'h200-sxm-slice' });
    const document = JSON.parse(offer.cloud_init.slice(offer.cloud_init.indexOf('\n'))) as {
      write_files: { path: string; permissions: string; content: string }[];
      runcmd: string[][];
    };
    // What cloud-init does with such a document.
    for (const { path, permissions, content } of document.write_files) {
      const bytes = Buffer.from(content).toString('base64');
      await machine.run(
        `mkdir -p $(dirname ${path}) && echo ${bytes} | base64 -d >${path} && chmod ${permissions} ${path}`,
      );
    }
    for (const words of document.runcmd) {
      const ran = await machine.run(words.join(' '));
      expect(ran.status, ran.output).toBe(0);
    }
    const node = () => operator.adminNodes.get({ node_id: offer.node.id });
    await expect.poll(async () => (await node()).last_report_at, within).toBeTypeOf('string');
    expect((await machine.run(`grep -rlF ${offer.token} /run /etc /var/lib/gpuaas /tmp 2>/dev/null`)).output).toBe('');
    const removed = await machine.run('node-agent uninstall');
    expect(removed.status, removed.output).toBe(0);
    expect(await machine.changes()).toEqual(before);
  });

  it('never was the machine that the test runs on', () => {
    for (const path of ['/usr/bin/node-agent', '/usr/lib/gpuaas/bin/node', '/etc/gpuaas/node-agent.env']) {
      expect({ path, isThere: existsSync(path) }).toEqual({ path, isThere: false });
    }
  });
});
