import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cloudInit, installCommand } from './install.ts';

const door = { url: 'https://nodes.example:8446', fingerprint: 'ab'.repeat(32) };
const token = `gpuaas_node_${'0f'.repeat(32)}`;

describe('the line to paste', () => {
  it('pins the authority and carries the token', () => {
    expect(installCommand(door, token)).toBe(
      `sudo gpuaas-node-agent enrol --url https://nodes.example:8446 --ca-fingerprint ${door.fingerprint} --token ${token}`,
    );
  });

  it.each(['$(reboot)', "a'; rm -rf / #", '`id`', 'a b', '\n&& id', '"', '*'])('quotes %j for a shell', (hostile) => {
    const line = installCommand({ url: hostile, fingerprint: undefined }, token);
    const quoted = `'${hostile.replaceAll("'", `'\\''`)}'`;
    expect(line).toBe(`sudo gpuaas-node-agent enrol --url ${quoted} --token ${token}`);
  });
});

describe('the user data', () => {
  it.each(['https://nodes.example', 'x: [', '- a\n- b', "'", '"\\', '!!python/object', '%', '{{ jinja }}', '\u2028'])(
    'says exactly what is meant with %j in it',
    (url) => {
      const text = cloudInit({ url, fingerprint: undefined }, token);
      expect(text.startsWith('#cloud-config\n')).toBe(true);
      expect(parse(text)).toEqual({
        write_files: [{ path: '/etc/gpuaas/enrolment-token', owner: 'root:root', permissions: '0600', content: token }],
        runcmd: [
          ['gpuaas-node-agent', 'enrol', '--url', url, '--token-file', '/etc/gpuaas/enrolment-token'],
          ['rm', '-f', '/etc/gpuaas/enrolment-token'],
        ],
      });
    },
  );

  it('keeps the token out of every command', () => {
    const { runcmd } = parse(cloudInit(door, token)) as { runcmd: string[][] };
    expect(JSON.stringify(runcmd)).not.toContain(token);
  });
});
