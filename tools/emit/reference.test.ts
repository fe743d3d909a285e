import { errors, policies, scopes } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { anchorOf } from '../lib/document.ts';
import { contractOf } from './contract.ts';
import { metricsIn, showMetrics } from './metrics.ts';
import { emitErrors, emitEventReference, emitPolicies, emitScopes } from './reference.ts';

const contract = contractOf('0.0.0');

describe('the reference', () => {
  it('has a place for every code, under the anchor that the type of a problem names', () => {
    const page = emitErrors(contract);
    for (const [code, { meaning }] of Object.entries(errors)) {
      expect(anchorOf(code)).toBe(code);
      expect(page).toContain(`\n### ${code}\n\n${meaning}\n`);
    }
  });

  it('says who has to act, whether trying again helps, and who answers it', () => {
    const [, own = ''] = emitErrors(contract).split('### sku_unavailable\n');
    expect(own).toMatch(
      /Who acts: nobody\.\n- The same request again: may succeed later\.\n- Answered by: .*`allocation_create`/,
    );
  });

  it('has every event with its fields, every policy with its bounds and every scope with its holders', () => {
    const events = emitEventReference(contract);
    for (const { type, summary } of contract.events) expect(events).toContain(`### ${type}\n\n${summary}`);
    const limits = emitPolicies();
    for (const { key } of policies) expect(limits).toContain(`| \`${key}\` |`);
    const held = emitScopes(contract);
    for (const scope of Object.keys(scopes)) expect(held).toContain(`| \`${scope}\` |`);
    expect(held).toMatch(/`organizations:delete` \| Delete organizations \| owner \|/);
  });
});

describe('metrics', () => {
  it('are read from the lines that register them', () => {
    const text = `
      const a = metrics.counter('gpuaas_a_total', 'How many.', ['kind', 'code']);
      const b = parts.metrics.histogram('gpuaas_b_seconds', 'How long.', [], latencyBuckets);
      const c = other.gauge('not_ours', 'No.', []);`;
    expect(metricsIn('a.ts', text)).toEqual([
      { name: 'gpuaas_a_total', kind: 'counter', help: 'How many.', labels: ['kind', 'code'], path: 'a.ts' },
      { name: 'gpuaas_b_seconds', kind: 'histogram', help: 'How long.', labels: [], path: 'a.ts' },
    ]);
  });

  it('are refused when their meaning is not written there', () => {
    expect(() => metricsIn('a.ts', `metrics.gauge('gpuaas_a', help, []);`)).toThrow('gpuaas_a must stand there');
  });

  it('name the alerts that look at them, and not those of a longer name', () => {
    const [metric] = metricsIn('a.ts', `metrics.gauge('gpuaas_nodes', 'Hosts.', ['state']);`);
    const page = showMetrics(metric ? [metric] : [], [
      { name: 'Lost', expression: 'max(gpuaas_nodes{state="x"}) > 0', runbook: 'docs/runbooks/lost.md' },
      { name: 'Other', expression: 'gpuaas_nodes_oldest > 0', runbook: 'docs/runbooks/other.md' },
    ]);
    expect(page).toContain('| `gpuaas_nodes` | gauge | `state` | Hosts. | [Lost](../runbooks/lost.md) |');
    expect(page).not.toContain('Other');
  });
});
