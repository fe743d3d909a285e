import { describe, expect, it } from 'vitest';
import { type KubernetesObject, objectionsTo } from './strict.ts';

const pod = (container: object): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'one' },
  spec: { containers: [{ name: 'main', image: 'example', ...container }] },
});

describe('objects of Kubernetes', () => {
  it('are taken when every field is one of their kind', async () => {
    const probe = { httpGet: { path: '/healthz', port: 'health' }, periodSeconds: 5 };
    const budget: KubernetesObject = {
      ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'two' } },
      spec: { maxUnavailable: 1, selector: { matchLabels: { a: 'b' } } },
    };
    expect(await objectionsTo([pod({ livenessProbe: probe }), budget])).toEqual([]);
  });

  it('are refused for a misspelt field, a wrong type, a missing field and a kind that there is not', async () => {
    const objections = await objectionsTo([
      pod({ livenesProbe: { httpGet: { port: 1 } } }),
      pod({ env: [{ name: 'A', value: 1 }] }),
      pod({ ports: [{ name: 'x' }] }),
      { apiVersion: 'apps/v1', kind: 'Deploiment', metadata: { name: 'three' } },
    ]);
    expect(objections.map((one) => one.split(': ')[0])).toEqual(['Pod one', 'Pod one', 'Pod one', 'Deploiment three']);
    expect(objections[0]).toContain('livenesProbe');
  });
});
