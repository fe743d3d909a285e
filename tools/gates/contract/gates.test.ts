import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emitAsyncapi } from '../../emit/contract/asyncapi.ts';
import { emitOpenapi } from '../../emit/contract/openapi.ts';
import { root } from '../../emit/outputs.ts';
import { smallContract } from '../../emit/testing.ts';
import { checkAsyncapiIsValid, checkOpenapiIsValid } from './documents-valid.ts';
import { checkEmitted } from './emitted-current.ts';
import { gates } from './gates.ts';
import { checkReleased } from './released.ts';
import { describeVerdict, type Verdict } from './verdict.ts';

let folder: string;
beforeEach(() => {
  folder = `${mkdtempSync(join(tmpdir(), 'gate-'))}/`;
});
afterEach(() => rmSync(folder, { recursive: true }));

function written(text: string): string {
  writeFileSync(`${folder}document.json`, text);
  return `${folder}document.json`;
}

describe('the committed contract', () => {
  it.each(gates.map((gate, index) => [index + 1, gate] as const))('passes gate %i', async (_, gate) => {
    const verdict = await gate(root);
    expect(verdict.failures, describeVerdict(verdict)).toEqual([]);
  });
});

describe('the gates of validity', () => {
  it('take the documents of any sound contract', async () => {
    expect((await checkOpenapiIsValid(written(emitOpenapi(smallContract())))).failures).toEqual([]);
    expect((await checkAsyncapiIsValid(written(emitAsyncapi(smallContract())))).failures).toEqual([]);
  });

  it('name what is wrong with an OpenAPI document', async () => {
    const document = emitOpenapi(smallContract()).replace('"#/components/schemas/Bird"', '"#/components/schemas/Dodo"');
    const { failures } = await checkOpenapiIsValid(written(document));
    expect(failures).toEqual([expect.stringContaining("Can't resolve $ref")]);
  });

  it('name what is wrong with an AsyncAPI document', async () => {
    const document = emitAsyncapi(smallContract()).replace('"action": "send"', '"action": "shout"');
    const { failures } = await checkAsyncapiIsValid(written(document));
    expect(failures.join('\n')).toContain('action');
  });

  it('fail when there is no document', async () => {
    expect((await checkOpenapiIsValid(`${folder}nowhere.json`)).failures).not.toEqual([]);
    expect((await checkAsyncapiIsValid(`${folder}nowhere.json`)).failures).not.toEqual([]);
  });
});

describe('the gate of emitted files', () => {
  it('names each file that does not follow from the contract, and what to do', async () => {
    const verdict = await checkEmitted(folder);
    expect(verdict.failures).toContain('api/openapi.json: missing');
    expect(describeVerdict(verdict)).toContain('Run "npm run gen"');
  });
});

describe('the gate of the release', () => {
  function release(parts: { readonly changes: string; readonly manifest: string; readonly baseline: string }) {
    mkdirSync(`${folder}api/baseline`, { recursive: true });
    const write = (path: string, value: object) => writeFileSync(`${folder}${path}`, JSON.stringify(value));
    writeFileSync(`${folder}CHANGELOG.md`, parts.changes);
    write('package.json', { version: parts.manifest });
    write('api/baseline/openapi.json', { info: { version: parts.baseline } });
    write('api/baseline/asyncapi.json', { info: { version: parts.baseline } });
    write('api/baseline/node-protocol.json', { 'x-gpuaas-version': parts.baseline });
    return checkReleased(folder);
  }
  const changes = '# Change log\n\n## Unreleased\n\n## 1.3.0\n\n## 1.2.0\n';

  it('lets pass a baseline of the newest version of the change log', async () => {
    expect((await release({ changes, manifest: '1.3.0', baseline: '1.3.0' })).failures).toEqual([]);
  });
  it('names each document of an older release', async () => {
    const { failures } = await release({ changes, manifest: '1.3.0', baseline: '1.2.0' });
    expect(failures).toEqual(
      ['openapi', 'asyncapi', 'node-protocol'].map(
        (name) => `api/baseline/${name}.json is of 1.2.0, and the newest section of CHANGELOG.md is 1.3.0`,
      ),
    );
  });
  it('names a version that was raised without a section in the change log', async () => {
    const { failures } = await release({ changes, manifest: '1.4.0', baseline: '1.3.0' });
    expect(failures).toEqual([expect.stringContaining('package.json is of 1.4.0')]);
  });
  it('fails when the change log has no version', async () => {
    const { failures } = await release({ changes: '## Unreleased', manifest: '1.3.0', baseline: '1.3.0' });
    expect(failures).toEqual([expect.stringContaining('no section of a version')]);
  });
});

describe('a verdict', () => {
  it('is one line when all is well, and otherwise says what is wrong and what to do', () => {
    const verdict: Verdict = { gate: 'Birds sing', failures: ['one is silent'], advice: 'Feed it.' };
    expect(describeVerdict({ ...verdict, failures: [] })).toBe('ok    Birds sing');
    expect(describeVerdict(verdict)).toBe('FAIL  Birds sing\n      - one is silent\n      Feed it.');
  });
});
