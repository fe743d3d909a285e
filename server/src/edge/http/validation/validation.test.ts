import { defineRoute, organizationCreate, organizationGet, organizationList, projectRemove } from '@gpuaas/contract';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../kernel/fault.ts';
import { makeValidation } from './validation.ts';

const route = defineRoute({
  ...organizationCreate,
  params: Type.Object({ id: Type.String({ pattern: '^[a-z]+$' }) }, { additionalProperties: false }),
  query: Type.Object(
    { limit: Type.Optional(Type.Integer({ minimum: 1, default: 50 })), deep: Type.Optional(Type.Boolean()) },
    { additionalProperties: false },
  ),
  body: Type.Object(
    {
      name: Type.String({ minLength: 1 }),
      inner: Type.Optional(Type.Object({ n: Type.Integer() }, { additionalProperties: false })),
    },
    { additionalProperties: false },
  ),
});
const validate = makeValidation(route);
const good = { params: { id: 'a' }, query: {}, body: { name: 'n' } };
const fieldsOf = (given: Partial<typeof good> & Record<string, unknown>, check = validate) => {
  const fault = check({ ...good, ...given } as typeof good);
  if (!(fault instanceof Fault)) throw new Error('it was accepted');
  expect(fault.code).toBe('validation_error');
  return (fault.details as { fields: { in: string; field: string; message: string }[] }).fields;
};

describe('a request', () => {
  it('is read as its contract says: numbers and booleans of a query are text on the way', () => {
    expect(validate({ ...good, query: { limit: '7', deep: 'true' } })).toEqual({
      params: { id: 'a' },
      query: { limit: 7, deep: true },
      body: { name: 'n' },
    });
    expect(validate(good)).toMatchObject({ query: { limit: 50 } });
    for (const limit of ['true', 'false', '', '1e1', '0x10', ' 7']) {
      expect(fieldsOf({ query: { limit } }), limit).toMatchObject([{ in: 'query', field: 'limit' }]);
    }
  });

  it('is told all its faults at once, each with its place', () => {
    expect(
      fieldsOf({
        params: { id: '7' },
        query: { limit: '0', odd: '1' } as never,
        body: { inner: { n: 'x', m: 1 } } as never,
      }),
    ).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ in: 'path', field: 'id' }),
        expect.objectContaining({ in: 'query', field: 'limit' }),
        { in: 'query', field: 'odd', message: 'is not a field of this request' },
        { in: 'body', field: 'name', message: 'is missing' },
        { in: 'body', field: 'inner.m', message: 'is not a field of this request' },
        expect.objectContaining({ in: 'body', field: 'inner.n' }),
      ]),
    );
  });

  it('is told what is wrong in plain words', () => {
    expect(fieldsOf({ body: { name: '' } as never })[0]?.message).toBe('is empty');
    expect(fieldsOf({ body: { name: 7 } as never })[0]?.message).toBe('must be text');
    expect(fieldsOf({ query: { limit: '0' } })[0]?.message).toBe('must be 1 or more');
    expect(fieldsOf({ params: { id: '7' } })[0]?.message).toBe('is not written as it has to be');
  });

  it('is told of one fault once', () => {
    const fields = fieldsOf({ body: { name: 'n', extra: 1 } as never });
    expect(fields).toEqual([{ in: 'body', field: 'extra', message: 'is not a field of this request' }]);
  });

  it('is told of at most twenty faults, with names of at most eighty letters', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${'x'.repeat(100)}${n}`, 1]));
    const fields = fieldsOf({ body: many as never });
    expect(fields.length).toBeLessThanOrEqual(20);
    expect(fields.length).toBeGreaterThan(0);
    expect(Math.max(...fields.map(({ field }) => field.length))).toBeLessThanOrEqual(81);
  });

  it.each([[], 'text', 7, false])('is refused when its body is no object: %j', (body) => {
    expect(fieldsOf({ body: body as never }).length).toBeGreaterThan(0);
  });

  it('may leave a body out where every field may be left out, and is told of the fields otherwise', () => {
    expect(fieldsOf({ body: undefined as never })).toEqual([{ in: 'body', field: 'name', message: 'is missing' }]);
  });

  it('names fields as they were sent, slashes and tildes too', () => {
    expect(fieldsOf({ body: { name: 'n', 'a/b~c': 1 } as never })[0]?.field).toBe('a/b~c');
  });

  it('is refused when it fits its schema and no table could hold it', () => {
    expect(fieldsOf({ body: { name: '\u0000' } as never })).toEqual([
      { in: 'body', field: 'name', message: 'holds a character that cannot be kept' },
    ]);
  });

  it('has no query and no body where the contract has none', () => {
    const bare = makeValidation(projectRemove);
    const params = { project_id: '01890000-0000-7000-8000-000000000000' };
    expect(bare({ params, query: {}, body: undefined })).toMatchObject({ params });
    expect(bare({ params, query: {}, body: {} })).toMatchObject({ params });
    const fieldsOfBare = (query: object, body: unknown) =>
      (bare({ params, query, body }) as Fault<'validation_error'>).details;
    expect(fieldsOfBare({ a: '1' }, undefined)).toEqual({
      fields: [{ in: 'query', field: 'a', message: 'is not a field of this request' }],
    });
    expect(fieldsOfBare({}, { a: 1 })).toEqual({
      fields: [{ in: 'body', field: 'a', message: 'is not a field of this request' }],
    });
    expect(fieldsOfBare({}, 7)).toEqual({ fields: [{ in: 'body', field: 'body', message: 'must be left out' }] });
    expect(makeValidation(organizationGet)({ params: {}, query: {}, body: undefined })).toBeInstanceOf(Fault);
    expect(makeValidation(organizationList)({ params: {}, query: { limit: '1' }, body: undefined })).toMatchObject({
      query: { limit: 1 },
    });
  });
});
