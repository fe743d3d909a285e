import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeLineLog } from './log.ts';
import { openRotatingFile } from './rotating-file.ts';

const folders: string[] = [];
const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpuaas-telemetry-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('lines on disk', () => {
  it('never take more than their share, and the newest are there', () => {
    const folder = makeFolder();
    const path = join(folder, 'agent.log');
    const file = openRotatingFile({ path, capBytes: 1_000, files: 3 });
    for (let number = 0; number < 1_000; number += 1) file.append(`line ${String(number).padStart(4, '0')}\n`);
    file.close();
    const names = readdirSync(folder).sort();
    expect(names).toEqual(['agent.log', 'agent.log.1', 'agent.log.2']);
    for (const name of names) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(1_000);
    expect(readFileSync(path, 'utf8').trimEnd().endsWith('line 0999')).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('go on where an earlier process stopped', () => {
    const path = join(makeFolder(), 'agent.log');
    for (const word of ['one', 'two']) {
      const file = openRotatingFile({ path, capBytes: 100, files: 2 });
      file.append(`${word}\n`);
      file.close();
    }
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });

  it('count what found no room', () => {
    const file = openRotatingFile({ path: join(makeFolder(), 'agent.log'), capBytes: 10, files: 1 });
    file.append('much too long for this file\n');
    expect(file.lost).toBe(1);
    file.close();
  });
});

describe('the log', () => {
  const say = (fields: object, message = 'a message') => {
    const lines: string[] = [];
    makeLineLog({ level: 'info', now: () => new Date(0), write: (line) => lines.push(line) }).info(fields, message);
    return lines.join('');
  };

  it('is JSON with a time, a level and what the caller knows', () => {
    expect(JSON.parse(say({ task_id: 'x' }))).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      service: 'node-agent',
      msg: 'a message',
      task_id: 'x',
    });
  });

  it('never carries a key or a token, wherever it stands', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIHh\n-----END PRIVATE KEY-----';
    const token = 'gpuaas_node_0123456789abcdef';
    const written = [
      say({ token, enrolment_token: token, key_pem: key, nested: { text: `it was ${token}, you see` } }),
      say({ err: new Error(`bad ${key}`, { cause: new Error(token) }) }),
      say({ list: [{ private_key: key }] }, `sent ${token}`),
    ].join('');
    expect(written).not.toContain('MC4CAQ');
    expect(written).not.toContain('0123456789abcdef');
    expect(written).toContain('[REDACTED]');
  });

  it('says nothing below its level', () => {
    const lines: string[] = [];
    makeLineLog({ level: 'warn', now: () => new Date(0), write: (line) => lines.push(line) }).info({}, 'quiet');
    expect(lines).toEqual([]);
  });
});
