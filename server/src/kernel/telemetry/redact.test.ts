import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact, redacted, redactText } from './redact.ts';

/** Shaped like secrets, and good for nothing. Put together here, so that no scanner takes them for real ones. */
const dashes = '-'.repeat(5);
const canaries: Readonly<Record<string, string>> = {
  'a JSON web token': `eyJhbGciOiJFUzI1NiJ9.${Buffer.from('{"sub":"canary"}').toString('base64url')}.Y2FuYXJ5LXNpZ25hdHVyZQ`,
  'a bearer token': 'Bearer canary-opaque-token-0123456789',
  'a basic credential': `Basic ${Buffer.from('canary:password').toString('base64')}`,
  'a private key': `${dashes}BEGIN EC PRIVATE KEY${dashes}\nMHcCAQEEIcanarycanarycanary\n${dashes}END EC PRIVATE KEY${dashes}`,
  'half of a private key': `${dashes}BEGIN PRIVATE KEY${dashes}\nMIIEcanarycanary`,
  'a URL with a password': 'postgres://gpuaas:canary-password@db.internal:5432/gpuaas',
  'a cookie header': 'Cookie: session=canary-session-value; other=1',
  'a personal access token': 'gpuaas_pat_canary0123456789',
  'a service account key': 'gpuaas_sak_canary0123456789',
  'a node credential': 'gpuaas_node_canary0123456789',
  'a webhook secret': 'gpuaas_whsec_canary0123456789',
};
/** What must be gone: the part of each canary that is the secret. */
const secretOf = (canary: string): string =>
  canary
    .replace(/^(?:Bearer|Basic) /, '')
    .replace(/^postgres:\/\/gpuaas:([^@]+)@.*/, '$1')
    .replace(/^Cookie: /, '');
const each = Object.entries(canaries);

describe('text', () => {
  it.each(each)('loses %s wherever it stands', (_, canary) => {
    for (const text of [canary, `before ${canary}`, `{"a":"${canary}"}`, `(${canary}`]) {
      const clean = redactText(text);
      expect(clean).toContain(redacted);
      expect(clean).not.toContain(secretOf(canary));
      expect(clean).not.toContain('canary-password');
    }
  });

  it.each(each)('loses %s in base64', (_, canary) => {
    const encoded = Buffer.from(canary).toString('base64');
    expect(redactText(`value=${encoded} end`)).toBe(`value=${redacted} end`);
    const forUrls = Buffer.from(canary).toString('base64url');
    expect(redactText(`see "${forUrls}"`)).not.toContain(forUrls.slice(0, 40));
  });

  it.each(each)('loses %s behind percent signs', (_, canary) => {
    for (const encoded of [encodeURIComponent(canary), encodeURIComponent(canary).replaceAll('%20', '+')]) {
      const clean = redactText(`GET /x?next=${encoded} HTTP/1.1`);
      expect(clean).toContain(redacted);
      expect(clean).not.toContain('canary');
    }
  });

  it('keeps what only resembles a secret', () => {
    for (const text of [
      'The token is not valid here: sign in again.',
      'https://example.test/path?a=1&b=2#c',
      'ssh://user@host:22/path',
      '01890000-0000-7000-8000-000000000000',
      'gpuaas_http_request_duration_seconds',
      'a 100% sure %41 thing',
      'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'gpuaas:local:01890000-0000-7000-8000-000000000000::tenancy/organization:01890000-0000-7000-8000-000000000000',
    ]) {
      expect(redactText(text)).toBe(text);
    }
  });

  it('is cut when it is longer than anybody reads', () => {
    const clean = redactText('x '.repeat(100_000));
    expect(clean.length).toBeLessThan(17_000);
    expect(clean).toContain('183616 more characters');
  });

  it('is cleaned once and for all: a second pass finds nothing', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.constantFrom(...Object.values(canaries)), (text, canary) => {
        const clean = redactText(`${text} ${canary}`);
        expect(redactText(clean)).toBe(clean);
      }),
    );
  });
});

describe('a value', () => {
  const canary = canaries['a personal access token'] ?? '';

  it.each([
    'password',
    'PASSWORD',
    'client_secret',
    'clientSecret',
    'Authorization',
    'set-cookie',
    'x-api-key',
    'private_key',
    'database_url',
    'refreshToken',
  ])('is hidden whole under the key %s', (key) =>
    expect(redact({ [key]: 'plain words' })).toEqual({ [key]: redacted }),
  );

  it('is copied, not changed', () => {
    const original = { deep: [{ note: canary }] };
    expect(redact(original)).toEqual({ deep: [{ note: redacted }] });
    expect(original.deep[0]?.note).toBe(canary);
  });

  it('loses secrets in keys, arrays, maps, sets, URLs, errors and their causes', () => {
    const error = new Error(`failed with ${canary}`, { cause: new Error(canary, { cause: { note: canary } }) });
    Object.assign(error, { code: canary });
    const value = {
      [canary]: 1,
      list: [canary],
      map: new Map([['k', canary]]),
      set: new Set([canary]),
      url: new URL('https://u:canary-password@x.test/'),
      error,
      several: new AggregateError([new Error(canary)], canary),
    };
    const text = JSON.stringify(redact(value));
    expect(text).not.toContain('canary');
    expect(text).toContain('x.test');
    expect(text.split(redacted).length).toBeGreaterThan(9);
  });

  it('keeps numbers, dates, nothing and truth as they are, and says how large bytes are', () => {
    const when = new Date(0);
    expect(redact({ n: 1, b: 2n, t: true, nil: null, when, bytes: Buffer.alloc(3), more: new Uint16Array(2) })).toEqual(
      {
        n: 1,
        b: 2n,
        t: true,
        nil: null,
        when,
        bytes: '[3 bytes]',
        more: '[4 bytes]',
      },
    );
  });

  it('keeps what an error says and where', () => {
    const error = Object.assign(new TypeError('no'), { code: 'ECONNREFUSED' });
    expect(redact(error)).toMatchObject({ type: 'TypeError', message: 'no', code: 'ECONNREFUSED' });
    expect((redact(error) as { stack: string }).stack).toContain('redact.test.ts');
    const bare = new Error('bare');
    delete bare.stack;
    expect(redact(bare)).toEqual({ type: 'Error', message: 'bare', stack: '' });
  });

  it('is cut where it goes on for ever, in depth and in breadth', () => {
    const circle: Record<string, unknown> = {};
    let looks = 0;
    const get = () => {
      looks += 1;
      return circle;
    };
    for (let n = 0; n < 50; n += 1) Object.defineProperty(circle, `again${n}`, { enumerable: true, get });
    const text = JSON.stringify(redact(circle));
    // Fifty ways back at each of eight levels would be 39 trillion looks.
    expect(looks).toBeLessThan(1_000_000);
    expect(text).toContain('[…]');
    expect(redact(Array.from({ length: 1_000 }, () => 1))).toHaveLength(200);
  });

  it('survives a getter that throws', () => {
    const trap = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(redact({ trap })).toEqual({ trap: { x: '[…]' } });
  });
});
