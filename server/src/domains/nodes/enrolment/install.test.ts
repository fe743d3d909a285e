import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cloudInit, installCommand } from './install.ts';
import { digestOf, installScript } from './install-script.ts';

const door = { url: 'https://nodes.example:8446', fingerprint: 'ab'.repeat(32) };
const token = `gpuaas_node_${'0f'.repeat(32)}`;
const enrol = { token, purpose: 'enrol' } as const;
const packages = {
  version: '1.4.0',
  digests: { x64: 'aa'.repeat(32), arm64: 'bb'.repeat(32) },
  downloads: 'https://api.example/install/node-agent',
};
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
        ' && sudo systemctl enable --now gpuaas-node-agent.service',
    );
  });

  it('leaves the settings of a host alone that only needs a new certificate', () => {
    expect(installCommand(door, { token, purpose: 'recover' })).toBe(
      `echo ${token} | sudo node-agent enrol --url https://nodes.example:8446 --ca-fingerprint ${door.fingerprint} --token -` +
        ' && sudo systemctl restart gpuaas-node-agent.service',
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
      ['systemctl', 'enable', '--now', 'gpuaas-node-agent.service'],
    ]);
  });
});

describe('the line to paste, where a package is offered', () => {
  const digest = digestOf(installScript(door, packages));
  const line = installCommand(door, enrol, packages);

  it('fetches the installer by its digest, verifies it and hands it the token', () => {
    expect(line).toBe(
      `(f=$(mktemp) && trap 'rm -f "$f"' EXIT && curl -fsSo "$f" https://api.example/install/node-agent/${digest}.sh` +
        ` && echo "${digest}  $f" | sha256sum -c - && echo ${token} | sudo sh "$f")`,
    );
  });

  /** Runs the line with a `curl` that brings this text, and a `sudo` that says what it was given. */
  const paste = (brought: string) =>
    spawnSync(
      'sh',
      [
        '-c',
        `curl() { printf '%s' "$BROUGHT" >"$2"; }; sudo() { echo "sudo $*" >&2; sha256sum "$2" >&2; cat; }; ${line}`,
      ],
      { encoding: 'utf8', env: { PATH: process.env['PATH'], BROUGHT: brought } },
    );

  it('runs what was asked for, with the token on standard input and in no list of words', () => {
    const run = paste(installScript(door, packages));
    expect(run.status, run.stderr).toBe(0);
    expect(run.stdout.split('\n')).toContain(token);
    expect(run.stderr).toMatch(/^sudo sh \/\S+$/m);
    expect(run.stderr).toContain(digest);
    expect(run.stderr).not.toContain(token);
  });

  it('runs nothing that has another digest, and leaves no file', () => {
    const run = paste(`${installScript(door, packages)}# changed on the way\n`);
    expect(run.status).not.toBe(0);
    expect(run.stderr).not.toContain('sudo');
    expect(run.stdout).not.toContain(token);
    const file = /^(\S+): FAILED$/m.exec(run.stdout)?.[1] ?? '';
    expect(file).not.toBe('');
    expect(existsSync(file)).toBe(false);
  });

  it('expects the agent on a host that recovers', () => {
    const recover = { token, purpose: 'recover' } as const;
    expect(installCommand(door, recover, packages)).toBe(installCommand(door, recover));
    expect(cloudInit(door, recover, packages)).toBe(cloudInit(door, recover));
  });
});

describe('the installer', () => {
  const script = installScript(door, packages);

  it('pins a package for each architecture, the authority and the address, and holds no token', () => {
    expect(script).toContain(`  x86_64) digest=${'aa'.repeat(32)} ;;`);
    expect(script).toContain(`  aarch64) digest=${'bb'.repeat(32)} ;;`);
    expect(script).toContain(`authority='${door.fingerprint}'`);
    expect(script).toContain(`door='${door.url}'`);
    expect(script).not.toContain('gpuaas_node_');
    expect(installScript(door, packages)).toBe(script);
  });

  it('is a program of a POSIX shell', () => {
    for (const reader of ['sh', 'bash']) {
      const { status, stderr } = spawnSync(reader, ['-n'], { input: script, encoding: 'utf8' });
      expect({ reader, status, stderr }).toEqual({ reader, status: 0, stderr: '' });
    }
  });

  it('names the machine that no package is offered for, before it touches anything', () => {
    const none = installScript(door, { ...packages, digests: {} });
    const run = spawnSync('sh', { input: none, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
    expect(run).toMatchObject({ status: 1, stderr: expect.stringContaining('no package of the agent is offered for') });
  });

  it.each(hostile)('is not made with %j for anything that it pins', (word) => {
    expect(() => installScript({ ...door, url: word }, packages)).toThrow('cannot be written');
    expect(() => installScript({ ...door, fingerprint: word }, packages)).toThrow('cannot be written');
    expect(() => installScript(door, { ...packages, downloads: word })).toThrow('cannot be written');
    expect(() => installScript(door, { ...packages, version: word })).toThrow('cannot be written');
  });

  it('is in the user data, with the token in a file of root’s that it removes', () => {
    const document = parse(cloudInit(door, enrol, packages)) as {
      write_files: { path: string; permissions: string; content: string }[];
      runcmd: string[][];
    };
    expect(document.write_files).toEqual([
      { path: '/run/gpuaas-enrol/install.sh', owner: 'root:root', permissions: '0700', content: script },
      { path: '/run/gpuaas-enrol/token', owner: 'root:root', permissions: '0600', content: `${token}\n` },
    ]);
    expect(document.runcmd).toEqual([
      ['sh', '/run/gpuaas-enrol/install.sh', '--token-file', '/run/gpuaas-enrol/token'],
      ['rm', '-rf', '/run/gpuaas-enrol'],
    ]);
  });
});
