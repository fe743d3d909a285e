import { execFileSync, spawnSync } from 'node:child_process';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cloudInit, installCommand } from './install.ts';

const door = { url: 'https://nodes.example:8446', fingerprint: 'ab'.repeat(32) };
const token = `gpuaas_node_${'0f'.repeat(32)}`;
const enrol = { token, purpose: 'enrol' } as const;
const hostile = [
  '$(reboot)',
  "a'; rm -rf / #",
  '`id`',
  'a b',
  '\n&& id',
  '"',
  '*',
  'x: [',
  '{{ jinja }}',
  '\u2028',
  '%',
];

describe('the line to paste', () => {
  it('says where we are, pins the authority, enrols and starts the agent', () => {
    expect(installCommand(door, enrol)).toBe(
      'echo GPUAAS_API_URL=https://nodes.example:8446 | sudo install -D -m 0600 /dev/stdin /etc/gpuaas/node-agent.env' +
        ` && sudo node-agent prepare && echo ${token} | sudo node-agent enrol --url https://nodes.example:8446 --ca-fingerprint ${door.fingerprint} --token -` +
        ' && sudo systemctl enable --now gpuaas-node-agent',
    );
  });

  it('leaves the settings of a host alone that only needs a new certificate', () => {
    expect(installCommand(door, { token, purpose: 'recover' })).toBe(
      `echo ${token} | sudo node-agent enrol --url https://nodes.example:8446 --ca-fingerprint ${door.fingerprint} --token -` +
        ' && sudo systemctl restart gpuaas-node-agent',
    );
  });

  it('takes an address of numbers too', () => {
    expect(installCommand({ ...door, url: 'https://[2001:db8::7]:8446' }, enrol)).toContain(
      "echo 'GPUAAS_API_URL=https://[2001:db8::7]:8446' |",
    );
  });

  it.each(hostile)('means %j and nothing else to a shell', (word) => {
    const line = installCommand({ url: door.url, fingerprint: word }, { token, purpose: 'recover' });
    const echoed = line.replace('sudo node-agent', "printf '%s\\0'").replace(/ && sudo systemctl.*$/, '');
    const words = execFileSync('sh', ['-c', echoed], { encoding: 'utf8' }).split('\0');
    expect(words).toEqual(['enrol', '--url', door.url, '--ca-fingerprint', word, '--token', '-', '']);
  });

  it.each(['enrol', 'recover'] as const)(
    'hands the token to %s on standard input, and to no program as a word',
    (purpose) => {
      // A program in place of sudo writes down its words and what it reads.
      const sudo = 'sudo() { printf "%s " "$@" >&2; printf "\\n" >&2; cat; }';
      const run = spawnSync('sh', ['-c', `${sudo}; ${installCommand(door, { token, purpose })}`], {
        encoding: 'utf8',
        input: '',
      });
      expect(run.stderr).toContain('--token -');
      expect(run.stderr).not.toContain(token);
      expect(run.stdout.split('\n')).toContain(token);
    },
  );

  it.each(hostile)('is not made with %j for an address', (url) => {
    expect(() => installCommand({ ...door, url }, enrol)).toThrow('cannot be written');
    expect(() => cloudInit({ ...door, url }, enrol)).toThrow('cannot be written');
  });
});

describe('the user data', () => {
  const document = parse(cloudInit(door, enrol)) as {
    write_files: { path: string; permissions: string; owner: string; content: string }[];
    runcmd: string[][];
  };

  it('is one document with the settings of the agent, for its owner alone', () => {
    expect(cloudInit(door, enrol).startsWith('#cloud-config\n')).toBe(true);
    const [file] = document.write_files;
    expect(file).toMatchObject({ path: '/etc/gpuaas/node-agent.env', permissions: '0600', owner: 'root:root' });
    expect(parseEnv(file?.content ?? '')).toEqual({
      GPUAAS_API_URL: door.url,
      GPUAAS_CA_FINGERPRINT: door.fingerprint,
      GPUAAS_ENROLMENT_TOKEN: token,
    });
  });

  it('keeps the token out of every command', () => {
    expect(document.runcmd).toEqual([
      ['node-agent', 'prepare'],
      ['systemctl', 'enable', '--now', 'gpuaas-node-agent'],
    ]);
  });
});
