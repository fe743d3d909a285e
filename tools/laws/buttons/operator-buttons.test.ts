import { nodeActions, SlotAction } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { makeTree, repository } from '../../lib/tree.ts';
import { readList } from '../ratchet.ts';
import { clickedIn, labelsOf } from './operator-buttons.ts';

/** Actions of the server that the pages show in another way than in their table of verbs. */
const elsewhere: Readonly<Record<string, string>> = { 'node probe': 'Probe' };

const actions = [
  ...nodeActions.map((action) => `node ${action}`),
  ...(SlotAction.properties.action.enum as readonly string[]).map((action) => `slot ${action}`),
];

describe('a button of the operator pages', () => {
  it('is clicked by a browser test, or stands on a list that only shrinks', () => {
    const tree = repository();
    const [labels, clicked, listed] = [labelsOf(tree), clickedIn(tree), readList('unclicked-buttons', 2)];
    const unclicked = actions.filter((action) => {
      const label = labels.get(action) ?? elsewhere[action];
      return label === undefined || !clicked.has(`${action.split(' ')[0]} ${label}`);
    });
    expect(
      unclicked.filter((action) => !listed.has(action)),
      'click it in web/test',
    ).toEqual([]);
    expect([...listed.keys()].filter((action) => !unclicked.includes(action))).toEqual([]);
  });

  it('is found by its label, and counts as clicked only where a browser test clicks it on the page of a node or of a slot', () => {
    const tree = makeTree({
      'web/src/ops/nodes/node-verbs.tsx': `const verbs = {\n  clear: { label: 'Clear', means: 'x' },\n  drain: {\n    label: 'Drain',\n  },\n};\n`,
      'web/src/ops/nodes/slot-dialog.tsx': `const verbs = {\n  enable: ['slotEnable', 'Enable'],\n};\n`,
      'web/test/a.production.test.ts': `await pressNode(page, 'Clear');\nexpect('Drain').toBe('Drain');\npage.getByRole('button', { name: 'Enable' });\n`,
    });
    expect([...labelsOf(tree)]).toEqual([
      ['node clear', 'Clear'],
      ['node drain', 'Drain'],
      ['slot enable', 'Enable'],
    ]);
    expect([...clickedIn(tree)]).toEqual(['node Clear']);
  });
});
