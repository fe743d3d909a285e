import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { rehearse } from '../../testing.ts';

const execute = promisify(execFile);

/** What bash would offer behind these words, the last of which is being typed. */
const offered = (...words: readonly string[]) => offeredBy('_gpuaas', ['gpuaas', ...words]);

async function offeredBy(completer: string, words: readonly string[]): Promise<string[]> {
  const { out, code } = await rehearse(['completion', 'bash'], {});
  expect(code).toBe(0);
  const script = `${out}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); ${completer}; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await execute('bash', ['-c', script, 'bash', ...words]);
  return stdout.split('\n').filter((word) => word !== '');
}

describe('completion', () => {
  it('offers the words that may follow', async () => {
    expect(await offered('al')).toEqual(['alloc']);
    expect(await offered('ops', 'node', 're')).toEqual(['readmit', 'reimage', 'remove', 'resume', 'retire', 'revoke']);
  });

  it('works behind npx too', async () => {
    expect(await offeredBy('_gpuaas_npx', ['npx', 'gp'])).toEqual(['gpuaas']);
    expect(await offeredBy('_gpuaas_npx', ['npx', 'gpuaas', 'al'])).toEqual(['alloc']);
    expect(await offeredBy('_gpuaas_npx', ['npx', 'gpuaas', 'member', 'add', '--role', 'v'])).toEqual(['viewer']);
    expect(await offeredBy('_gpuaas_npx', ['npx', 'other', 'al'])).toEqual([]);
  });

  it('offers the flags of the command that was typed, and what they may be', async () => {
    expect(await offered('launch', 'h200x1', '--id')).toEqual(
      expect.arrayContaining(['--idle-stop', '--idempotency-key']),
    );
    expect(await offered('alloc', 'list', '--output', '')).toEqual(['table', 'json', 'yaml', 'csv', 'ndjson', 'name']);
    expect(await offered('alloc', 'list', '--state', 'rel')).toEqual(['releasing', 'released', 'release_failed']);
    expect(await offered('member', 'add', '--role', '')).toEqual(['owner', 'admin', 'member', 'viewer', 'finance']);
  });

  it('is written for zsh and fish too, and for nothing else', async () => {
    expect((await rehearse(['completion', 'zsh'], {})).out).toMatch(/^#compdef gpuaas\n/);
    const { out } = await rehearse(['completion', 'fish'], {});
    expect(out).toContain(
      "-n '__fish_seen_subcommand_from alloc; and __fish_seen_subcommand_from list' -l state -x -a",
    );
    expect((await rehearse(['completion', 'tcsh'], {})).code).toBe(2);
  });
});
