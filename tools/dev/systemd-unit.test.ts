import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../lib/tree.ts';

const folder = join(root, 'deploy/systemd');
const path = join(folder, 'gpuaas-node-agent.service');
const processPath = join(folder, 'gpuaas@.service');

/** `Name=value` by section; a name that comes twice keeps its last value, as systemd does for those used here. */
function readUnit(text: string): Record<string, Record<string, string>> {
  const unit: Record<string, Record<string, string>> = {};
  let section = '';
  for (const line of text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
    const heading = /^\[(.+)\]$/.exec(line)?.[1];
    if (heading) section = heading;
    const [name = '', ...value] = line.split('=');
    if (!heading) unit[section] = { ...unit[section], [name]: value.join('=') };
  }
  return unit;
}

describe('the unit of the node agent', () => {
  const unit = readUnit(readFileSync(path, 'utf8'));

  it('runs the supervisor, gives it its folders, and closes what the agent never needs', () => {
    expect(unit['Service']).toMatchObject({
      ExecStart: '/usr/lib/gpuaas/bin/node /usr/lib/gpuaas/node-agent.mjs supervise',
      EnvironmentFile: '/etc/gpuaas/node-agent.env',
      StateDirectory: 'gpuaas/agent',
      StateDirectoryMode: '0700',
      UMask: '0077',
      Restart: 'always',
      SystemCallFilter: '~@clock @cpu-emulation @obsolete',
      SystemCallArchitectures: 'native',
      RestrictNamespaces: 'net mnt pid ipc uts cgroup',
      RestrictRealtime: 'yes',
      RestrictAddressFamilies: 'AF_UNIX AF_INET AF_INET6 AF_NETLINK',
      ProtectKernelLogs: 'yes',
      ProtectHostname: 'yes',
      LockPersonality: 'yes',
      LimitCORE: '0',
    });
    // Rights that no task needs. One that a task needs must not be added here: CAP_LINUX_IMMUTABLE removes what tenants protected.
    expect(unit['Service']?.['CapabilityBoundingSet']?.split(' ')).toEqual([
      '~CAP_SYS_TIME',
      'CAP_WAKE_ALARM',
      'CAP_BLOCK_SUSPEND',
      'CAP_SYSLOG',
      'CAP_SYS_PACCT',
      'CAP_BPF',
      'CAP_PERFMON',
      'CAP_MAC_ADMIN',
      'CAP_MAC_OVERRIDE',
      'CAP_LEASE',
      'CAP_AUDIT_READ',
    ]);
    // Each of these keeps GPUs and disks from the agent, or from terminals that it opens, on some hosts.
    for (const name of ['ProtectClock', 'PrivateDevices', 'DevicePolicy', 'DeviceAllow', 'ProtectHome', 'PrivateTmp']) {
      expect(unit['Service']).not.toHaveProperty(name);
    }
    // With this one the sessions of a tenant cannot be killed by their control group.
    expect(unit['Service']).not.toHaveProperty('ProtectControlGroups');
    expect(unit['Install']).toEqual({ WantedBy: 'multi-user.target' });
  });
});

describe('the unit of the processes', () => {
  const text = readFileSync(processPath, 'utf8');
  const service = readUnit(text)['Service'];

  it('starts any process from its settings, as an account without rights, which can write nowhere', () => {
    expect(service).toMatchObject({
      User: 'gpuaas',
      ExecStart: expect.stringMatching(/ server\/src\/bin\/%i\/main\.ts$/),
      Restart: 'always',
      NoNewPrivileges: 'yes',
      CapabilityBoundingSet: '',
      ProtectSystem: 'strict',
      ReadWritePaths: '-/etc/gpuaas/%i',
      ProtectHome: 'yes',
      PrivateDevices: 'yes',
      RestrictNamespaces: 'yes',
      LimitCORE: '0',
    });
    expect(text.match(/^EnvironmentFile=.*$/gm)).toEqual([
      'EnvironmentFile=/etc/gpuaas/shared.env',
      'EnvironmentFile=/etc/gpuaas/%i.env',
    ]);
    // Node writes the code that it runs.
    expect(service).not.toHaveProperty('MemoryDenyWriteExecute');
  });

  it('is the one that the guide installs, and stands nowhere else', () => {
    const guide = readFileSync(join(root, 'docs/guides/run-on-your-own-servers.md'), 'utf8');
    expect(guide).toContain('install -m 0644 /opt/gpuaas/deploy/systemd/gpuaas@.service /etc/systemd/system/');
    expect(guide).not.toContain('ExecStart=');
  });
});
