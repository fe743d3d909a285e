import { describe, expect, it } from 'vitest';
import { repository } from '../../lib/tree.ts';
import { readList } from '../ratchet.ts';
import { keyOf, misnamed, publicNames, wordsNotUsed } from './glossary.ts';

const glossary = `| word | what it is | not |
|---|---|---|
| organization | the customer | tenant (in the API), company |
| tenant | the side of the customer | client |
| alert | one thing | finding, burn time |
| paying client | who pays | |
`;

describe('words of the glossary', () => {
  it('are used in fields, paths, flags and labels; what is not, stands on a list that only shrinks', () => {
    const tree = repository();
    const found = misnamed(publicNames(tree), tree.text('docs/glossary.md'));
    const listed = readList('glossary-words');
    expect(
      found.filter((name) => !listed.has(name)),
      'use the word of docs/glossary.md',
    ).toEqual([]);
    expect([...listed.keys()].filter((name) => !found.includes(name))).toEqual([]);
  });

  it('are looked for: the law finds names of each kind', () => {
    const names = publicNames(repository()).map(keyOf);
    expect(names).toEqual(
      expect.arrayContaining(['field:organization_id', 'path:allocations', 'flag:--region', 'label:Nodes']),
    );
  });

  it('are reported where another one is used, in the singular and in the plural', () => {
    expect([...wordsNotUsed(glossary)]).toEqual([
      ['company', 'organization'],
      ['client', 'tenant'],
      ['finding', 'alert'],
      ['burn time', 'alert'],
    ]);
    const names = [
      { kind: 'field', name: 'client_id' },
      { kind: 'field', name: 'clientele' },
      { kind: 'field', name: 'paying_client_id' },
      { kind: 'flag', name: '--burn-time' },
      { kind: 'label', name: 'All findings' },
      { kind: 'path', name: 'tenants' },
    ] as const;
    expect(misnamed(names, glossary)).toEqual(['field:client_id', 'flag:--burn-time', 'label:All_findings']);
  });
});
