import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { rehearse } from '../testing.ts';

const env = { GPUAAS_PROJECT: '01a1dea2-0000-7000-8000-00000000000a' };
const script = { 'GET /api/v1/allocations': { data: [], has_more: false, next_cursor: null } };
const list = (...flags: string[]) => rehearse(['alloc', 'list', ...flags], script, { env });

describe('a flag with choices', () => {
  it.each(['release_failed', 'release failed', ' release  failed'])(
    'takes %j as tables and the API write it',
    async (word) => {
      const { code, asked } = await list('--state', word);
      expect(code).toBe(exitCodes.ok);
      expect(
        asked.map(({ request }) => new URL(request.slice('GET '.length), 'http://x').searchParams.get('state')),
      ).toEqual(['release_failed']);
    },
  );

  it('refuses another word before anything is asked, and names the choices', async () => {
    const { code, err, asked } = await list('--state', 'release fail');
    expect({ code, asked }).toEqual({ code: exitCodes.usage, asked: [] });
    expect(err).toContain('--state must be one of ');
    expect(err).toContain('not "release fail".');
  });
});

describe('words after the last argument', () => {
  const id = '01a1dea2-0000-7000-8000-00000000000b';

  it('are refused before anything is asked', async () => {
    const { code, err, asked } = await rehearse(['alloc', 'get', id, 'more'], script, { env });
    expect({ code, asked }).toEqual({ code: exitCodes.usage, asked: [] });
    expect(err).toContain('"more" is one argument too many.');
  });

  it('are a command for the machine, where the command line takes one', async () => {
    const { err, asked } = await rehearse(['ssh', id, '--', 'nvidia-smi', '-L'], script, { env });
    expect(err).not.toContain('too many');
    expect(asked.length).toBeGreaterThan(0);
  });
});

describe('a key as PEM', () => {
  it('is an argument, although it begins with hyphens', async () => {
    const key = '-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n';
    const path = `POST /api/v1/projects/${env.GPUAAS_PROJECT}/app-signing-keys`;
    const run = await rehearse(['app', 'key', 'add', 'release', key], { [path]: { id: 'k' } }, { env });
    expect(run.code, run.err).toBe(exitCodes.ok);
    expect(run.asked.at(-1)).toEqual({ request: path, body: { name: 'release', public_key: key } });
  });
});
