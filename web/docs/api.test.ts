import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Compile } from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { exampleOf, type Parameter, snippetsOf } from './api-examples.ts';
import { type ApiDescription, makeApiPages, titleOfTag } from './api-pages.ts';
import { limitsOf, nameOf, type Schema } from './api-schema.ts';

const root = join(import.meta.dirname, '../..');
const api = JSON.parse(readFileSync(join(root, 'api/openapi.json'), 'utf8')) as ApiDescription;
const calls = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
);
const schemas = api.components.schemas;
const pages = makeApiPages(api).pages;
const html = pages.map(({ sheet }) => sheet.body.text).join('\n');

/** References by value: the checker is shown one schema at a time. */
const whole = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(whole);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref } = schema as Schema;
  if ($ref !== undefined) return whole(schemas[nameOf($ref)]);
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, whole(value)]));
};

describe('the reference of the API', () => {
  it('has every operation, each with an address of its own, and finds it', () => {
    const found = new Set(pages.flatMap(({ entries }) => entries.map(({ u }) => u.split('#')[1])));
    expect(calls.length).toBeGreaterThan(100);
    for (const { operationId } of calls) {
      expect(html).toContain(`<h2 id="${operationId}">`);
      expect(found).toContain(operationId);
    }
  });

  it('has every type that it refers to', () => {
    const wanted = new Set([...html.matchAll(/href="\/docs\/api\/types#([^"]+)"/g)].map(([, name]) => name));
    expect(wanted.size).toBeGreaterThan(10);
    for (const name of wanted) expect(html).toContain(`<h2 id="${name}">`);
  });

  it('names scope, lane, key and refusals of an operation', () => {
    const [, section = ''] = html.split('<h2 id="allocation_create">');
    const [own = ''] = section.split('</section>');
    for (const word of [
      'allocations:write',
      '#budgets">default',
      'Idempotency-Key',
      'allocation.create',
      'errors#sku_unavailable',
      'idle.minutes',
    ]) {
      expect(own).toContain(word);
    }
  });

  it.each(calls.map((call) => [call.operationId, call] as const))('shows a good request for %s', (_, call) => {
    const body = Object.values(call.requestBody?.content ?? {})[0]?.schema;
    if (body) {
      const example = exampleOf(body, schemas);
      expect({ example, fits: Compile(whole(body) as object).Check(example) }).toEqual({ example, fits: true });
    }
    const named = call.parameters.filter((each): each is Parameter => !('$ref' in each));
    for (const { name, schema, required } of named.filter(({ in: place }) => place !== 'header')) {
      const example = exampleOf(schema, schemas, name);
      if (required)
        expect({ name, example, fits: Compile(whole(schema) as object).Check(example) }).toMatchObject({ fits: true });
    }
    const { curl, cli, typescript, python } = snippetsOf(call.operationId, named, body, schemas);
    expect(curl).toContain('https://gpuaas.example/api/');
    expect(cli).toMatch(/^npx gpuaas /);
    expect(typescript).toContain('gpuaas.');
    expect(python).toContain('gpu.');
    expect(`${curl}${typescript}${python}`).not.toMatch(/undefined|\[object|%7B/);
  });

  it('says limits in words', () => {
    expect(limitsOf({ minimum: 1, maximum: 64 })).toEqual(['1 to 64']);
    expect(limitsOf({ maxLength: 10_000, default: 'x' })).toEqual([
      'at most 10,000 characters',
      '"x" unless said otherwise',
    ]);
    expect(limitsOf({ format: 'uuid', pattern: '^x$' })).toEqual([]);
  });

  it.each([
    ['Allocations', 'Allocations'],
    ['SshKeys', 'SSH keys'],
    ['AdminOSImages', 'Operators: OS images'],
    ['AdminNodes', 'Operators: nodes'],
  ])('calls %s "%s"', (tag, title) => expect(titleOfTag(tag)).toBe(title));
});
