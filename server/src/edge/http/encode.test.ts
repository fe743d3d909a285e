import { defineRoute, organizationCreate, versionGet } from '@gpuaas/contract';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { makeEncode, mediaType } from './encode.ts';

const route = defineRoute({
  ...organizationCreate,
  response: Type.Object({ id: Type.String(), tags: Type.Array(Type.Integer()) }, { additionalProperties: false }),
});
const encode = makeEncode(route);

describe('an answer', () => {
  it('leaves as JSON when it is what was promised', () => {
    expect(encode({ id: 'a', tags: [1, 2] })).toBe('{"id":"a","tags":[1,2]}');
  });

  it.each([
    [{ id: 'a' }, '/'],
    [{ id: 'a', tags: ['x'] }, '/tags/0'],
    [{ id: 'a', tags: [], password_hash: 'x' }, '/'],
    [undefined, '/'],
  ])('does not leave when it is something else: %j', (value, at) => {
    expect(() => encode(value)).toThrow(`organization_create answers against its contract at ${at}`);
  });
});

describe('the media type of an answer', () => {
  const text = { ...versionGet, text: ['application/x-ndjson', 'text/csv'] as const };

  it('is JSON unless the route answers text', () => {
    expect(mediaType(versionGet, undefined)).toBe('application/json; charset=utf-8');
    expect(mediaType(organizationCreate, {})).toBe('application/json; charset=utf-8');
    expect(makeEncode({ ...text, response: Type.String() })('a,b\n')).toBe('a,b\n');
  });

  it('is the one that the caller asked for, else the first', () => {
    expect(mediaType(text, { format: 'csv' })).toBe('text/csv; charset=utf-8');
    expect(mediaType(text, { format: 'pdf' })).toBe('application/x-ndjson; charset=utf-8');
    expect(mediaType(text, {})).toMatch(/^application\/x-ndjson/);
  });
});
