import { describe, expect, it } from 'vitest';
import { type LogLevel, makeLog, silentLog } from './log.ts';

const mark = 'gpuaas_pat_canary0123456789';
const capture = (level: LogLevel = 'debug') => {
  const lines: string[] = [];
  return { lines, log: makeLog('a-service', level, { write: (line) => void lines.push(line) }) };
};

describe('a log', () => {
  it('writes one JSON object per line, with level, service, time and message', () => {
    const { lines, log } = capture();
    log.info({ port: 8443 }, 'listening');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith('}\n')).toBe(true);
    const line = JSON.parse(lines[0] ?? '');
    expect(line).toMatchObject({ level: 'info', service: 'a-service', msg: 'listening', port: 8443 });
    expect(new Date(line.time).toISOString()).toBe(line.time);
  });

  it('leaves out what is below its level', () => {
    const { lines, log } = capture('warn');
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    log.fatal('e');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['c', 'd', 'e']);
  });

  it('never shows a secret, wherever it comes in', () => {
    const { lines, log } = capture();
    const error = new Error(`failed: ${mark}`, { cause: new Error(mark) });
    log.debug({ err: error }, `message ${mark}`);
    log.info(mark);
    log.warn('with %s and %o', mark, { note: mark });
    log.error(error);
    log.fatal({ token: 'hunter2', nested: { headers: { authorization: 'hunter2' }, note: mark } }, 'x');
    log.child({ request: mark, password: 'hunter2' }).info('from a child');
    log.child({ a: 1 }).child({ b: mark }).info({ c: mark }, 'from its child');
    expect(lines).toHaveLength(7);
    const text = lines.join('');
    expect(text).not.toContain('canary');
    expect(text).not.toContain('hunter2');
    for (const line of lines) expect(line).toContain('[REDACTED]');
    expect(JSON.parse(lines[0] ?? '').err).toMatchObject({ type: 'Error', cause: { type: 'Error' } });
    expect(JSON.parse(lines[6] ?? '')).toMatchObject({ service: 'a-service', a: 1 });
  });

  it('can say nothing at all', () => {
    expect(() => silentLog.child({ a: 1 }).error('nobody hears this')).not.toThrow();
  });
});
