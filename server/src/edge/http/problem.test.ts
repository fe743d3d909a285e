import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { errors } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../kernel/fault.ts';
import { answerUnreadable, encodeProblem, framework } from './problem.ts';

describe('a problem', () => {
  it.each(Object.keys(errors) as (keyof typeof errors)[])('%s carries its status, meaning and code', (code) => {
    const { status, body } = encodeProblem(new Fault(code, 'A sentence.', { more: 1 }), 'c-1');
    expect(status).toBe(errors[code].status);
    expect(JSON.parse(body)).toEqual({
      type: `/docs/reference/errors#${code}`,
      title: errors[code].meaning,
      status,
      code,
      message: 'A sentence.',
      correlation_id: 'c-1',
      details: { more: 1 },
    });
  });

  it('shows no secret in its message or details', () => {
    const mark = 'gpuaas_sak_canary0123456789';
    const { body } = encodeProblem(
      new Fault('invalid_request', `no ${mark}`, { password: 'hunter2', deep: [mark] }),
      'c',
    );
    expect(body).not.toMatch(/canary|hunter2/);
    expect(JSON.parse(encodeProblem(new Fault('invalid_request', 'x'), 'c').body)).not.toHaveProperty('details');
  });

  it('has our words for what Fastify refuses', () => {
    for (const { code, message } of Object.values(framework)) {
      expect(errors).toHaveProperty(code);
      expect(message).toMatch(/\.$/);
    }
  });
});

describe('what never became a request', () => {
  const socket = () => {
    const written: string[] = [];
    const duplex = new Duplex({
      read: () => undefined,
      write: (chunk, _, done) => {
        written.push(String(chunk));
        done();
      },
    });
    return {
      written,
      duplex,
      answer: (code: string) =>
        answerUnreadable(Object.assign(new Error('x'), { code }), duplex as Socket, 'c-1', { 'x-a': 'b' }),
    };
  };

  it.each([
    ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'request_timeout'],
    ['HPE_HEADER_OVERFLOW', 400, 'invalid_request'],
    ['HPE_INVALID_METHOD', 400, 'invalid_request'],
  ])('is answered on the socket: %s', (code, status, problem) => {
    const { written, answer } = socket();
    answer(code);
    const [head = '', body = ''] = written.join('').split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toContain('x-a: b\r\n');
    expect(head).toContain('x-request-id: c-1');
    expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`);
    expect(JSON.parse(body)).toMatchObject({ code: problem, correlation_id: 'c-1' });
  });

  it('is not answered when nobody is there any more', () => {
    const { written, duplex, answer } = socket();
    answer('ECONNRESET');
    expect(written).toEqual([]);
    expect(duplex.destroyed).toBe(true);
    const gone = socket();
    gone.duplex.destroy();
    gone.answer('HPE_INVALID_METHOD');
    expect(gone.written).toEqual([]);
  });
});
