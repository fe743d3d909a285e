import { generateKeyPairSync, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { Check } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { canonicalJson, NodeTask, NodeTaskResult, nodeTasks, SignerVersion, signedText } from '../node.ts';

describe('canonical JSON', () => {
  it('writes the same value as the same text, whatever the order of its members', () => {
    expect(canonicalJson({ b: [1, { d: null, c: true }], a: 'ä' })).toBe('{"a":"ä","b":[1,{"c":true,"d":null}]}');
    expect(canonicalJson({ a: 'ä', b: [1, { c: true, d: null }] })).toBe('{"a":"ä","b":[1,{"c":true,"d":null}]}');
  });

  it('sorts by code unit, so that a letter outside the basic plane comes before the last ones inside it', () => {
    expect(canonicalJson({ '\ufb33': 1, '\u{1f600}': 2, '\r': 3, '1': 4 })).toBe(
      '{"\\r":3,"1":4,"\u{1f600}":2,"\ufb33":1}',
    );
  });

  it('writes numbers as the standard does', () => {
    expect(canonicalJson([1e21, 1e-7, -0, 0.1, 4.5, 333333333.3333333])).toBe(
      '[1e+21,1e-7,0,0.1,4.5,333333333.3333333]',
    );
  });

  it.each([
    ['a missing value', { a: undefined }],
    ['a number that is none', [Number.NaN]],
    ['half a surrogate pair', '\ud800'],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a hole', new Array(1)],
  ])('refuses %s rather than leave it out', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it('is JSON that means the same, and is its own canonical form', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('a task', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const id = '0191b2c4-0000-7000-8000-000000000001';
  const unsigned = {
    task_id: id,
    node_id: id,
    task_type: 'diag.health_probe',
    generation: 1,
    issued_at: '2026-01-01T00:00:00Z',
    expires_at: '2026-01-01T00:05:00Z',
    signer_version_id: id,
    params: {},
  };
  const signature = sign(null, Buffer.from(signedText(unsigned)), privateKey).toString('base64url');
  const holds = (task: { readonly signature: string; readonly [member: string]: unknown }) =>
    verify(null, Buffer.from(signedText(task)), publicKey, Buffer.from(task.signature, 'base64url'));

  it('with its signature fits the schema, and an unknown type does not', () => {
    expect(Check(NodeTask, { ...unsigned, signature })).toBe(true);
    expect(Check(NodeTask, { ...unsigned, signature, task_type: 'shell.run' })).toBe(false);
    expect(Check(NodeTask, unsigned)).toBe(false);
  });

  it('keeps its signature when its members change places, and loses it when any of them changes', () => {
    expect(holds({ signature, ...Object.fromEntries(Object.entries(unsigned).reverse()) })).toBe(true);
    for (const member of Object.keys(unsigned)) {
      expect(holds({ ...unsigned, [member]: 'other', signature })).toBe(false);
    }
    expect(holds({ ...unsigned, added: 1, signature })).toBe(false);
  });

  it('can be one of the twenty-one that the protocol names', () => {
    expect(Object.keys(nodeTasks)).toHaveLength(21);
  });
});

describe('what a node answers and what it trusts', () => {
  const id = '0191b2c4-0000-7000-8000-000000000001';
  const at = '2026-01-01T00:00:00Z';
  it('fits the schemas', () => {
    const result = {
      task_id: id,
      node_id: id,
      task_type: 'node.drain',
      generation: 3,
      outcome: 'failed',
      started_at: at,
      finished_at: at,
      failure: { code: 'still_busy', message: 'Two allocations run.' },
      signature: 'A'.repeat(86),
    };
    expect(Check(NodeTaskResult, result)).toBe(true);
    expect(Check(NodeTaskResult, { ...result, outcome: 'maybe' })).toBe(false);
    const signer = {
      signer_version_id: id,
      public_key: 'A'.repeat(43),
      state: 'grace',
      published_at: at,
      effective_at: at,
    };
    expect(Check(SignerVersion, signer)).toBe(true);
    expect(Check(SignerVersion, { ...signer, state: 'trusted' })).toBe(false);
  });
});
