import { describe, expect, it } from 'vitest';
import { type AuditRow, chainBeginning, chainOf, linkHash, platformChain } from './audit-link.ts';

const row: AuditRow = {
  id: 'a',
  organization_id: 'o',
  action: 'project.create',
  change: { b: [1, { d: 1, c: 2 }], a: null },
  created_at: new Date('2026-06-01T12:00:00Z').toISOString(),
};
const link = (changed: Partial<AuditRow> = {}, previous = chainBeginning, sequence = '1') =>
  linkHash(previous, sequence, { ...row, ...changed });

describe('a link of the audit chain', () => {
  it('is the same for the same row, whatever order its keys were stored in', () => {
    expect(link()).toMatch(/^[0-9a-f]{64}$/);
    expect(link({ change: { a: null, b: [1, { c: 2, d: 1 }] } })).toBe(link());
  });

  it('is another when anything that the row says is another, or what came before', () => {
    const others = [
      link({ id: 'b' }),
      link({ organization_id: null }),
      link({ action: 'project.remove' }),
      link({ change: { b: [{ d: 1, c: 2 }, 1], a: null } }),
      link({ particulars: ['x'] }),
      link({ committed_by: 'gpuaas_relay' }),
      link({ result: 'failure' }),
      link({}, link()),
      link({}, chainBeginning, '2'),
    ];
    expect(new Set([link(), ...others]).size).toBe(others.length + 1);
  });

  it('does not cover what is no part of the record', () => {
    expect(link({ transaction_id: '7' })).toBe(link());
  });

  it('belongs to the chain of its organization, or to that of the platform', () => {
    expect(chainOf(row)).toBe('o');
    expect(chainOf({ ...row, organization_id: null })).toBe(platformChain);
  });
});
