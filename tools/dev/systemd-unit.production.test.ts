import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { root } from '../lib/tree.ts';

const run = promisify(execFile);
const unitNamed = (name: string): string => join(root, 'deploy/systemd', name);
/** It ends with another status than 0 where it has something to say. A machine without it fails the test. */
const analyze = (...args: string[]) =>
  run('systemd-analyze', [...args, '--no-pager']).catch(
    (error: { readonly stdout?: string; readonly stderr?: string }) => {
      if (error.stdout === undefined || error.stderr === undefined) throw error;
      return { stdout: error.stdout, stderr: error.stderr };
    },
  );

describe('the units, judged by systemd itself', () => {
  it.each(['gpuaas-node-agent.service', 'gpuaas@.service'])('%s has no directive that it refuses', async (name) => {
    const { stdout, stderr } = await analyze('verify', unitNamed(name));
    // The programs are not installed on the machine of the test.
    const said = `${stdout}\n${stderr}`.split('\n').filter((line) => !line.includes('is not executable'));
    expect(said.filter((line) => line.includes('gpuaas'))).toEqual([]);
  });

  it.each([
    // A service without hardening has 9.6. What is left of the agent's is what making logins, disks and machines needs.
    ['gpuaas-node-agent.service', 8.5],
    ['gpuaas@.service', 3],
  ] as const)('%s is exposed no more than %d by its measure', async (name, most) => {
    const { stdout } = await analyze('security', '--offline=true', unitNamed(name));
    const level = Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    expect(level, stdout).toBeLessThanOrEqual(most);
  });
});
