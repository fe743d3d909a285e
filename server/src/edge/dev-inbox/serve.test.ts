import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveInbox } from './serve.ts';

const hostile = {
  id: 'letter-1',
  position: 1,
  to: 'ada@example.test',
  subject: '<script>alert(1)</script>',
  text: 'Hello <b>you</b>:\n\n  https://gpuaas.test/invitations/accept#gpuaas_invite_x\n\njavascript:alert(1)',
  receivedAt: new Date('2026-06-01T12:00:00Z'),
};
let inbox: Awaited<ReturnType<typeof serveInbox>>;
let faults: unknown[] = [];
let broken = false;
beforeAll(async () => {
  const read = async <T>(value: T) => {
    if (broken) throw new Error('postgres://somebody:secret@host is away');
    return value;
  };
  inbox = await serveInbox({
    host: '127.0.0.1',
    letters: {
      letters: () => read([hostile]),
      letter: (id) => read(id === hostile.id ? hostile : undefined),
    },
    onFault: (error) => faults.push(error),
  });
});
afterAll(() => inbox.close());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    request(inbox.url + path, { headers, method }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    })
      .on('error', reject)
      .end();
  });

describe('the inbox of a development installation', () => {
  it('lists letters and shows them, with links that can be followed', async () => {
    expect((await get('/')).text).toContain('href="/letters/letter-1"');
    const { status, text, headers } = await get('/letters/letter-1');
    expect(status).toBe(200);
    expect(text).toContain('<a href="https://gpuaas.test/invitations/accept#gpuaas_invite_x" rel="noreferrer">');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(JSON.parse((await get('/letters.json')).text).data[0]).toMatchObject({ id: 'letter-1', to: hostile.to });
    expect((await get('/letters/other')).status).toBe(404);
  });

  it.each(['/', '/letters/letter-1'])('carries what people wrote as text on %s', async (path) => {
    const { text } = await get(path);
    expect(text).not.toContain('<script>');
    expect(text).not.toContain('<b>');
    expect(text).not.toContain('href="javascript');
  });

  it('refuses whoever was sent here under another name, and whoever wants to change something', async () => {
    expect((await get('/', { host: 'evil.example.test' })).status).toBe(403);
    expect((await get('/', { host: `localhost.evil:${new URL(inbox.url).port}` })).status).toBe(403);
    expect((await get('/', {}, 'POST')).status).toBe(403);
  });

  it('says nothing of why it failed', async () => {
    broken = true;
    const { status, text } = await get('/');
    broken = false;
    expect([status, text]).toEqual([500, 'The emails could not be read.\n']);
    expect(faults).toHaveLength(1);
    faults = [];
  });
});
