import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TSchema, Type } from 'typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emitAsyncapi } from '../../emit/contract/asyncapi.ts';
import { emitOpenapi } from '../../emit/contract/openapi.ts';
import type { Contract } from '../../emit/contract.ts';
import { emitNodeProtocol } from '../../emit/node-protocol.ts';
import { birdBody, birdCreate, birdGet, birdSang, seasonGet, smallContract } from '../../emit/testing.ts';
import { checkAsyncapi } from './asyncapi-breaking.ts';
import { checkNodeProtocol } from './node-protocol-breaking.ts';
import { checkOpenapi } from './openapi-breaking.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gate-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function sides(base: string, next: string) {
  writeFileSync(join(folder, 'base.json'), base);
  writeFileSync(join(folder, 'next.json'), next);
  return { base: join(folder, 'base.json'), next: join(folder, 'next.json') };
}

describe('the OpenAPI gate', () => {
  const failures = async (changes: Partial<Contract>) =>
    (await checkOpenapi(sides(emitOpenapi(smallContract()), emitOpenapi(smallContract(changes))))).failures;
  const withBody = (body: Record<string, TSchema>) => ({ routes: [seasonGet, birdGet, birdCreate(body)] });
  const { colour: _, ...colourless } = birdBody;
  const { nest: __, ...nestless } = birdBody;

  it.each([
    ['nothing changed', {}],
    [
      'a new route',
      { routes: [...smallContract().routes, { ...seasonGet, id: 'moon_get', path: '/api/v1/moon' } as const] },
    ],
    ['a new optional request field', withBody({ ...birdBody, wing: Type.Optional(Type.String()) })],
    [
      'a new value of a request’s choice',
      withBody({ ...birdBody, colour: Type.Enum(['blue', 'green', 'red', 'grey']) }),
    ],
    [
      'a new code of a refusal',
      { routes: [seasonGet, birdGet, { ...birdCreate(), errors: ['project_slug_taken'] } as const] },
    ],
  ])('lets pass: %s', async (_title, changes: Partial<Contract>) => {
    expect(await failures(changes)).toEqual([]);
  });

  it.each([
    ['a new required request field', withBody({ ...birdBody, wing: Type.String() }), 'new-required-request-property'],
    ['a removed route', { routes: [birdGet, birdCreate()] }, 'api-path-removed'],
    [
      'a removed value of a request’s choice',
      withBody({ ...birdBody, colour: Type.Enum(['blue', 'red']) }),
      'enum-value-removed',
    ],
    [
      'a removed request field, which would now be refused as unknown',
      withBody(colourless),
      'request-property-removed',
    ],
    ['a removed optional request field', withBody(nestless), 'request-property-removed'],
    ['a request field of another type', withBody({ ...birdBody, name: Type.Integer() }), 'type-changed'],
    ['a shorter limit', withBody({ ...birdBody, name: Type.String({ maxLength: 3 }) }), 'max-length-set'],
    [
      'a removed answer field',
      { routes: [{ ...seasonGet, response: Type.Object({}) }, birdGet, birdCreate()] },
      'response-required-property-removed',
    ],
    [
      'a new required query value',
      { routes: [{ ...seasonGet, query: Type.Object({ year: Type.Integer() }) }, birdGet, birdCreate()] },
      'new-required-request-parameter',
    ],
    [
      'a key where none was needed',
      { routes: [{ ...seasonGet, tenancy: { kind: 'header' } } as const, birdGet, birdCreate()] },
      'new-required-request-parameter',
    ],
    [
      'another scope',
      {
        routes: [seasonGet, { ...birdGet, auth: { ...birdGet.auth, scope: 'projects:write' } } as const, birdCreate()],
      },
      'api-security-scope-added',
    ],
    [
      'a sign-in where none was needed',
      { routes: [{ ...seasonGet, auth: birdGet.auth }, birdGet, birdCreate()] },
      'api-security-added',
    ],
  ])('refuses: %s', async (_title, changes: Partial<Contract>, id) => {
    expect(await failures(changes)).toEqual(expect.arrayContaining([expect.stringContaining(id)]));
  });

  describe('fails when it cannot look', () => {
    const same = () => sides(emitOpenapi(smallContract()), emitOpenapi(smallContract()));
    function program(text: string): string {
      const path = join(folder, 'oasdiff');
      writeFileSync(path, text);
      chmodSync(path, 0o755);
      return path;
    }

    it('because the program is not there', async () => {
      const { failures } = await checkOpenapi(same(), join(folder, 'no-such-program'));
      expect(failures).toEqual([expect.stringContaining('binary not found')]);
    });
    it('because the program does not run', async () => {
      const { failures, advice } = await checkOpenapi(same(), program('no program at all'));
      expect(failures).toEqual([expect.stringContaining('oasdiff did not run')]);
      expect(advice).toContain('counts as failed');
    });
    it('because the program says nothing and calls it success', async () => {
      const { failures } = await checkOpenapi(same(), program('#!/bin/sh\nexit 0\n'));
      expect(failures).toEqual([expect.stringContaining('oasdiff did not run')]);
    });
    it('because the program never finds anything', async () => {
      const { failures } = await checkOpenapi(same(), program('#!/bin/sh\necho "[]"\n'));
      expect(failures).toEqual([expect.stringContaining('did not report')]);
    });
    it('because there is no baseline, or an empty one', async () => {
      const missing = await checkOpenapi({ ...same(), base: join(folder, 'nowhere.json') });
      expect(missing.failures).toEqual([expect.stringContaining('cannot be read')]);
      const empty = await checkOpenapi(sides('{}', emitOpenapi(smallContract())));
      expect(empty.failures).toEqual([expect.stringContaining('promises nothing')]);
    });
  });
});

describe('the AsyncAPI gate', () => {
  const failures = async (events: Contract['events']) =>
    (await checkAsyncapi(sides(emitAsyncapi(smallContract()), emitAsyncapi(smallContract({ events }))))).failures;
  const loud = Type.Optional(Type.Boolean());

  it.each([
    ['nothing changed', [birdSang()]],
    ['a new optional field', [birdSang({ bird_id: Type.String(), loud, high: Type.Optional(Type.Boolean()) })]],
    ['a new version beside the old one', [birdSang(), birdSang({ bird: Type.String() }, '2.0')]],
    ['other words', [birdSang({ bird_id: Type.String({ description: 'Which bird.' }), loud })]],
    ['one consumer less', [{ ...birdSang(), consumers: ['email-worker'] }]],
  ])('lets pass: %s', async (_title, events) => {
    expect(await failures(events)).toEqual([]);
  });

  it.each([
    ['a removed event', [], 'the event was removed'],
    ['a version in place of the old one', [birdSang({ bird: Type.String() }, '2.0')], 'not published any more'],
    ['a dropped field', [birdSang({ bird_id: Type.String() })], '/loud: the member was removed'],
    [
      'a new required field',
      [birdSang({ bird_id: Type.String(), loud, at: Type.String() })],
      '/at: the member became required',
    ],
    [
      'a field that became optional',
      [birdSang({ bird_id: Type.Optional(Type.String()), loud })],
      'was required and is not',
    ],
    ['a field of another type', [birdSang({ bird_id: Type.Integer(), loud })], 'type was "string", is "integer"'],
    ['a field of another format', [birdSang({ bird_id: Type.String({ format: 'uuid' }), loud })], 'format was nothing'],
    [
      'a field that may be null',
      [birdSang({ bird_id: Type.Union([Type.String(), Type.Null()]), loud })],
      '[ "string", "null" ]',
    ],
  ])('refuses: %s', async (_title, events: Contract['events'], complaint) => {
    expect(await failures(events)).toEqual(expect.arrayContaining([expect.stringContaining(complaint)]));
  });

  it('fails when there is no baseline, or an empty one', async () => {
    const paths = sides('{"channels":{}}', emitAsyncapi(smallContract()));
    expect((await checkAsyncapi(paths)).failures).toEqual([expect.stringContaining('promises nothing')]);
    const missing = await checkAsyncapi({ ...paths, base: join(folder, 'nowhere.json') });
    expect(missing.failures).toEqual([expect.stringContaining('cannot be read')]);
  });
});

describe('the node protocol gate', () => {
  const current = emitNodeProtocol('1.2.3');
  const failures = async (next: string) => (await checkNodeProtocol(sides(current, next))).failures;
  interface Protocol {
    $defs: Record<string, { properties: Record<string, unknown>; required: string[]; enum: string[] }>;
    'x-gpuaas-tasks': Record<string, string>;
    'x-gpuaas-transport': Record<string, object>;
  }
  function changed(change: (protocol: Protocol) => void): string {
    const protocol = JSON.parse(current) as Protocol;
    change(protocol);
    return JSON.stringify(protocol);
  }

  it('lets a new task and a new optional member pass', async () => {
    const next = changed(({ $defs, 'x-gpuaas-tasks': tasks }) => {
      $defs['NodeTaskType']?.enum.push('diag.sing');
      tasks['diag.sing'] = 'Sing.';
      Object.assign($defs['NodeTask']?.properties ?? {}, { urgency: { type: 'integer' } });
    });
    expect(next).toContain('urgency');
    expect(await failures(current)).toEqual([]);
    expect(await failures(next)).toEqual([]);
  });

  it.each<[string, (protocol: Protocol) => void, string]>([
    ['a removed task', ({ $defs }) => $defs['NodeTaskType']?.enum.shift(), 'was removed'],
    [
      'a removed task name',
      ({ 'x-gpuaas-tasks': tasks }) => delete tasks['node.drain'],
      'node.drain: the task was removed',
    ],
    ['a removed envelope', ({ $defs }) => delete $defs['NodeTaskResult'], 'NodeTaskResult: the schema was removed'],
    [
      'a new duty of the task',
      ({ $defs }) => $defs['NodeTask']?.required.push('urgency'),
      'NodeTask/urgency: the member became required',
    ],
    [
      'an expiry that may be left out',
      ({ $defs }) => $defs['NodeTask']?.required.splice(0, 1),
      'was required and is not',
    ],
    [
      'another path',
      ({ 'x-gpuaas-transport': transport }) => (transport['wait'] = { path: '/x' }),
      'x-gpuaas-transport/wait',
    ],
  ])('refuses: %s', async (_title, change, complaint) => {
    expect(await failures(changed(change))).toEqual(expect.arrayContaining([expect.stringContaining(complaint)]));
  });

  it('fails when there is no baseline, or an empty one', async () => {
    expect((await checkNodeProtocol(sides('{}', current))).failures).toEqual([
      expect.stringContaining('promises nothing'),
    ]);
  });
});
