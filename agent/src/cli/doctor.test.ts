import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostTopology, NodeCondition } from '@gpuaas/contract/node';
import { Check } from 'typebox/value';
import { expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { openLinuxHost } from '../host/linux/host.ts';
import { runNodeAgent } from './node-agent.ts';

it('says what this machine is made of before it is told anything, and needs no settings', async () => {
  const said: string[] = [];
  const complained: string[] = [];
  const status = await runNodeAgent({
    args: ['doctor', '--topology'],
    env: {},
    program: '',
    version: '0',
    out: (text) => void said.push(text),
    err: (text) => void complained.push(text),
    tell: undefined,
    stop: new Promise(() => undefined),
  });
  expect({ status, complained }).toEqual({ status: 0, complained: [] });
  const topology: unknown = JSON.parse(said.join(''));
  expect(Check(HostTopology, topology)).toBe(true);
});

it('opens this machine as it is, says how it is, and leaves nothing behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-this-'));
  const host = await openLinuxHost({ folder, homes: folder, clock: systemClock });
  try {
    const conditions = await host.conditions();
    expect(conditions.length).toBeGreaterThan(0);
    expect(conditions.every((condition) => Check(NodeCondition, condition))).toBe(true);
    expect(await readdir(folder)).toEqual([]);
  } finally {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  }
});
