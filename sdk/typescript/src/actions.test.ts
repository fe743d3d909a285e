import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tellAction } from './actions.ts';

const description = readFileSync(new URL('../../../api/openapi.json', import.meta.url), 'utf8');
const actions = [
  ...new Set([...description.matchAll(/"x-gpuaas-audit": "([a-z_.]+)"/g)].map(([, action = '']) => action)),
];

describe('an action of the audit log', () => {
  it('has words of its own, whoever reads it', () => {
    expect(actions.length).toBeGreaterThan(100);
    const codes = actions.filter((action) => tellAction(action) === action.replaceAll(/[_.]/g, ' '));
    expect(codes).toEqual([]);
  });

  it.each([
    ['billing.grant', 'granted credit'],
    ['payment.refund', 'refunded a payment'],
    ['sku_price.create', 'created a SKU price'],
    ['os_image.retire', 'retired an OS image'],
  ])('%s reads as: %s', (action, words) => {
    expect(tellAction(action)).toBe(words);
  });
});
