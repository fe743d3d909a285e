import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDisk } from '../disk.ts';
import type { Argv, Commands } from '../host/linux/commands.ts';
import { type Fixture, makeFixture } from '../host/linux/testing/fixture.ts';
import { openLeases } from '../leases/leases.ts';
import { StillHeld, type UninstallOrder, uninstall } from './uninstall.ts';

const allocation = '01a1dea2-0000-7000-8000-000000000001';
const done = { status: 0, stdout: '', stderr: '' };
const installed = [
  'usr/bin/node-agent',
  'usr/lib/gpuaas/bin/node',
  'usr/lib/gpuaas/files.txt',
  'usr/lib/gpuaas/node-agent.mjs',
  'usr/lib/systemd/system/gpuaas-node-agent.service',
];
const made = [
  'etc/gpuaas/node-agent.env',
  'etc/ssh/gpuaas-authorized-keys/t1',
  'etc/ssh/sshd_config.d/10-gpuaas.conf',
  'etc/systemd/system/multi-user.target.wants/gpuaas-node-agent.service',
  'var/lib/gpuaas/agent/host/network/rules.nft',
  'var/lib/gpuaas/agent/identity.json',
  'var/log/gpuaas/node-agent-samples.jsonl',
  'var/log/gpuaas/node-agent.log.1',
];

let fixture: Fixture;
let root: string;
let calls: string[];
let said: string[];
beforeEach(async () => {
  fixture = await makeFixture({ gpus: 1, hasDisks: false });
  ({ root } = fixture.machine);
  [calls, said] = [[], []];
});
afterEach(() => fixture.close());

const put = async (path: string, text = '') => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
};
const filesNow = async () =>
  (await readdir(root, { recursive: true })).filter((path) => !/^(?:sys|proc|dev)(?:\/|$)/.test(path)).sort();
const commands: Commands = {
  run: async (argv: Argv) => {
    calls.push(argv.join(' '));
    return done;
  },
};
const order = (over: Partial<UninstallOrder> = {}): UninstallOrder => ({
  ...{ root, homes: fixture.homes, commands, isForced: false, isDry: false },
  stateDir: '/var/lib/gpuaas/agent',
  logDir: '/var/log/gpuaas',
  envFile: '/etc/gpuaas/node-agent.env',
  openHost: () => fixture.open(),
  say: (line) => void said.push(line),
  ...over,
});
async function install(): Promise<string[]> {
  await put('etc/ssh/sshd_config.d/50-mine.conf', 'mine');
  // Folders that every host has.
  for (const folder of ['etc/systemd/system/multi-user.target.wants', 'usr/lib/systemd/system', 'var/lib', 'var/log']) {
    await mkdir(join(root, folder), { recursive: true });
  }
  const before = await filesNow();
  for (const path of [...installed, ...made]) await put(path);
  await put('usr/lib/gpuaas/files.txt', `${installed.join('\n')}\n`);
  return before;
}
const lease = async () => {
  const leases = await openLeases({
    disk: makeDisk({ forced: false }),
    dir: join(root, 'var/lib/gpuaas/agent/leases'),
  });
  await leases.take({ purpose: 'provision', allocationId: allocation, generation: 1, slotIds: [], deadlineAt: null });
  return leases;
};

describe('uninstalling the agent', () => {
  it('leaves the tree of the host as it was before the agent came', async () => {
    const before = await install();
    await uninstall(order());
    expect(await filesNow()).toEqual(before);
    expect(calls).toEqual([
      'systemctl disable --now gpuaas-node-agent.service',
      'nft delete table bridge gpuaas',
      'nft delete table inet gpuaas',
      'ip link delete dev gpuaas0',
      'systemctl try-reload-or-restart -- ssh.service',
      'systemctl try-reload-or-restart -- sshd.service',
      'systemctl daemon-reload',
    ]);
  });

  it('keeps what others put beside it', async () => {
    await install();
    await put('var/lib/gpuaas/demo-password');
    await put('etc/gpuaas/other.env');
    await uninstall(order());
    expect(await filesNow()).toEqual(expect.arrayContaining(['var/lib/gpuaas/demo-password', 'etc/gpuaas/other.env']));
  });

  it('says what it would remove and removes nothing when it is only asked', async () => {
    await install();
    const before = await filesNow();
    await uninstall(order({ isDry: true }));
    expect(said).toContain('would remove /var/lib/gpuaas/agent');
    expect(said).toContain('would remove /usr/lib/gpuaas/bin/node');
    expect(await filesNow()).toEqual(before);
    expect(calls).toEqual([]);
  });

  it('refuses while a tenant has the host, names the allocation, and changes nothing', async () => {
    await install();
    const leases = await lease();
    const before = await filesNow();
    const refused = uninstall(order());
    await expect(refused).rejects.toThrow(StillHeld);
    await expect(refused).rejects.toThrow(allocation);
    await expect(refused).rejects.toThrow('gpuaas ops node drain');
    expect({ files: await filesNow(), calls }).toEqual({ files: before, calls: [] });
    // A lease that was given back with proof keeps nobody.
    await leases.clear({ purpose: 'release', allocationId: allocation, generation: 1, slotIds: [] });
    await uninstall(order());
    expect(said.at(-1)).toContain('The agent is gone.');
  });

  it('refuses while a login of a tenant is there, though its lease file is gone', async () => {
    await install();
    await put('etc/passwd', `t1:x:1900000001:1900000001:gpuaas allocation ${allocation}:/home/t1:/bin/bash\n`);
    await expect(uninstall(order())).rejects.toThrow(allocation);
  });

  it('ends tenants and removes their logins when it is forced, and says that nothing was erased', async () => {
    const before = await install();
    await lease();
    const ended: string[] = [];
    const line = `t1:x:1900000001:1900000001:gpuaas allocation ${allocation}:${fixture.homes}/t1:/bin/bash\n`;
    const others = 'root:x:0:0:root:/root:/bin/bash\n';
    await put('etc/passwd', `${others}${line}`);
    const run: Commands['run'] = async (argv) => {
      if (argv[0] === 'userdel') await put('etc/passwd', others);
      return commands.run(argv);
    };
    const host = await fixture.open();
    await uninstall(
      order({
        isForced: true,
        commands: { run },
        openHost: async () => ({ ...host, endRuntime: async (id) => void ended.push(id) }),
      }),
    );
    expect(ended).toEqual([allocation]);
    expect(calls).toContain('userdel -- t1');
    expect(said).toContain(`Ended without proof: ${allocation}. No disk of a slice was erased.`);
    expect(await filesNow()).toEqual(before);
  });

  it('leaves a Debian package to dpkg', async () => {
    await install();
    await put('var/lib/dpkg/info/gpuaas-node-agent.list');
    await uninstall(order());
    expect(calls).toContain('dpkg --purge gpuaas-node-agent');
    expect(await filesNow()).toContain('usr/lib/gpuaas/bin/node');
  });

  it('takes no folder for its own that could be the machine’s', async () => {
    await expect(uninstall(order({ stateDir: '/var' }))).rejects.toThrow('GPUAAS_STATE_DIR');
  });
});
