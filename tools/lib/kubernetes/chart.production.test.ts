import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { processTable, variablesOf } from '../../emit/deployment/processes.ts';
import { imageUser } from '../packages/control/image.ts';
import { chartFolder, kubernetesVersions, renderChart } from './chart.ts';
import { type KubernetesObject, objectionsTo } from './strict.ts';

/** The chart as Helm renders it. No cluster takes it here: fields and types are checked, admission and scheduling are not. */
const sizes = ['small', 'medium', 'large'] as const;
const copiesOfProxy = { small: 1, medium: 2, large: 4 } as const;
const valuesFor = (size: (typeof sizes)[number], more: object = {}) => ({
  image: { repository: 'registry.example.com/gpuaas/control-plane', digest: `sha256:${'ab'.repeat(32)}` },
  settings: { GPUAAS_PUBLIC_URL: 'https://gpu.example.com', GPUAAS_START_WITHIN_SECONDS: 60 },
  identity: { names: ['nodes.example.com'] },
  files: 'gpuaas-files',
  sshJump: { enabled: true },
  appTunnelUrls: Array.from(
    { length: copiesOfProxy[size] },
    (_, at) => `https://tunnel-${at + 1}.nodes.example.com:8449`,
  ),
  network: {
    edge: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'edge' } } }],
    monitoring: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
    hosts: ['10.20.0.0/16'],
    servers: [{ cidr: '10.0.0.3/32', port: 5432 }],
  },
  ...more,
});
const patience = 20 * 60_000;
const rendered = new Map<string, Promise<readonly KubernetesObject[]>>();
function objectsOf(size: (typeof sizes)[number]): Promise<readonly KubernetesObject[]> {
  const known = rendered.get(size);
  if (known) return known;
  const made = renderChart(size, valuesFor(size)).then(({ objects, refused }) => {
    expect(refused).toBe('');
    return objects;
  });
  rendered.set(size, made);
  return made;
}
const ofKind = (objects: readonly KubernetesObject[], ...kinds: readonly string[]) =>
  objects.filter(({ kind }) => kinds.includes(kind));
const componentOf = ({ metadata }: KubernetesObject) => metadata.labels?.['app.kubernetes.io/component'] ?? '';
const workloads = async (size: (typeof sizes)[number] = 'medium') =>
  ofKind(await objectsOf(size), 'Deployment', 'StatefulSet');
const includes = (labels: Readonly<Record<string, string>>, selector: Readonly<Record<string, string>>) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

describe('the chart', { timeout: patience }, () => {
  it.each(sizes)('renders the %s size to objects that Kubernetes knows, field by field', async (size) => {
    const objects = await objectsOf(size);
    expect(objects.length).toBeGreaterThan(40);
    expect(await objectionsTo(objects)).toEqual([]);
  });

  it.each(kubernetesVersions)('takes Kubernetes %s', async (version) => {
    expect((await renderChart('small', valuesFor('small'), version)).refused).toBe('');
  });

  it('runs every process, with probes, requests, a limit of memory and a disruption budget', async () => {
    const names = processTable()
      .map(({ name }) => name)
      .sort();
    const found = await workloads();
    expect(found.map(componentOf).sort()).toEqual(names);
    const budgets = ofKind(await objectsOf('medium'), 'PodDisruptionBudget');
    expect(budgets.map(componentOf).sort()).toEqual(names);
    for (const { spec } of budgets) expect(spec.maxUnavailable).toBe(1);
    for (const { spec } of found) {
      const [container] = spec.template.spec.containers;
      expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'health' });
      expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'health' });
      expect(Object.keys(container.resources.requests).sort()).toEqual(['cpu', 'memory']);
      expect(container.resources.limits.memory).toMatch(/^\d+[MG]i$/);
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
        20 + container.lifecycle.preStop.sleep.seconds,
      );
    }
  });

  it('gives a process settings that it has, and secrets by reference alone', async () => {
    const objects = await objectsOf('medium');
    expect(ofKind(objects, 'Secret', 'ConfigMap')).toEqual([]);
    for (const workload of await workloads()) {
      const name = componentOf(workload);
      const { plain } = variablesOf(name);
      const { env, envFrom } = workload['spec'].template.spec.containers[0] as {
        env: { name: string; value?: string }[];
        envFrom: { secretRef: { name: string } }[];
      };
      // Shared settings are offered to all; what a process does not know, it does not read.
      const shared = Object.keys(valuesFor('medium').settings);
      const own = env.map((each) => each.name).filter((each) => each.startsWith('GPUAAS_') && !shared.includes(each));
      expect(
        own.filter((each) => !plain.includes(each)),
        name,
      ).toEqual([]);
      expect(envFrom.map(({ secretRef }) => secretRef.name)).toEqual([`gpuaas-${name}`]);
    }
  });

  it('gives no container a right that it does not need', async () => {
    const objects = await objectsOf('medium');
    const pods = ofKind(objects, 'Deployment', 'StatefulSet', 'Job').map(({ spec }) => spec.template.spec);
    expect(pods).toHaveLength(processTable().length + 1);
    for (const pod of pods) {
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toEqual({
        ...{ runAsNonRoot: true, runAsUser: imageUser.id, runAsGroup: imageUser.id, fsGroup: imageUser.id },
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
        expect(container.securityContext).toEqual({
          ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
          capabilities: { drop: ['ALL'] },
        });
        expect(container.image).toMatch(/@sha256:[0-9a-f]{64}$/);
      }
    }
  });

  it('migrates before the first pod of a release', async () => {
    const [job] = ofKind(await objectsOf('small'), 'Job');
    expect(job?.metadata).toMatchObject({ annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } });
    expect(job?.['spec'].template.spec.containers[0]).toMatchObject({
      ...{ args: ['migrate'], envFrom: [{ secretRef: { name: 'gpuaas-migrate' } }] },
    });
  });

  it('leads each service and each policy to ports that pods have', async () => {
    for (const size of sizes) {
      const objects = await objectsOf(size);
      const pods = (await workloads(size)).map((workload) => ({
        labels: { ...workload['spec'].template.metadata.labels },
        ports: workload['spec'].template.spec.containers[0].ports as { name: string; containerPort: number }[],
        name: workload.metadata.name,
        replicas: workload['spec'].replicas as number,
      }));
      const podsFor = (selector: Record<string, string>) => {
        const { 'statefulset.kubernetes.io/pod-name': podName, ...rest } = selector;
        return pods.filter(
          ({ labels, name, replicas }) =>
            includes(labels, rest) &&
            (podName === undefined || Array.from({ length: replicas }, (_, at) => `${name}-${at}`).includes(podName)),
        );
      };
      for (const service of ofKind(objects, 'Service')) {
        const targets = podsFor(service['spec'].selector);
        expect(
          targets.map(({ name }) => name),
          service.metadata.name,
        ).toHaveLength(1);
        for (const { port, targetPort } of service['spec'].ports) {
          expect(targets[0]?.ports.find(({ name }) => name === targetPort)?.containerPort).toBe(port);
        }
      }
      for (const policy of ofKind(objects, 'NetworkPolicy').filter((one) => componentOf(one) !== '')) {
        const [target] = podsFor(policy['spec'].podSelector.matchLabels);
        const known = target?.ports.map(({ name }) => name) ?? [];
        for (const { ports } of policy['spec'].ingress ?? []) {
          for (const { port } of ports) expect(known, policy.metadata.name).toContain(port);
        }
      }
    }
  });

  it('closes every pod, and opens each door to those who come to it', async () => {
    const policies = ofKind(await objectsOf('small'), 'NetworkPolicy');
    const closed = policies.find(({ metadata }) => metadata.name === 'gpuaas-closed');
    expect(closed?.['spec']).toEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'gpuaas', 'app.kubernetes.io/instance': 'gpuaas' } },
      policyTypes: ['Ingress', 'Egress'],
    });
    const policyOf = (name: string) => policies.find((one) => componentOf(one) === name)?.['spec'];
    const whoComesTo = (name: string, door: string) =>
      (policyOf(name).ingress as { from: object[]; ports: { port: string }[] }[])
        .filter(({ ports }) => ports.some(({ port }) => port === door))
        .flatMap(({ from }) => from.flatMap((one) => Object.keys(one)));
    expect(whoComesTo('api', 'people')).toEqual(['namespaceSelector']);
    expect(whoComesTo('api', 'nodes')).toEqual(['ipBlock', 'namespaceSelector']);
    expect(whoComesTo('api', 'internal')).toEqual(['podSelector']);
    expect(policyOf('outbox-relay')).toMatchObject({ egress: [] });
    expect(JSON.stringify(policyOf('webhook-worker').egress)).toContain('169.254.0.0/16');
  });

  it.each(sizes)('has room for the connections of the %s size, and says how many they are', async (size) => {
    const text = await readFile(join(chartFolder, `values-${size}.yaml`), 'utf8');
    const said = Number(/at most (\d+) connections/.exec(text)?.[1]);
    const poolSize = Number(/poolSize: (\d+)/.exec(text)?.[1]);
    const copies = new Map((await workloads(size)).map((one) => [componentOf(one), one['spec'].replicas as number]));
    const counted = processTable()
      .filter(({ login }) => login !== null)
      .reduce((sum, { name, connections }) => {
        // One copy more while it is replaced, which holds one connection more as it starts.
        return sum + ((copies.get(name) ?? 0) + 1) * (connections.own + poolSize - 10) + 1;
      }, 0);
    expect(said).toBe(counted);
    const tight = await renderChart(size, valuesFor(size, { database: { maxConnections: counted + 2, reserved: 3 } }));
    expect(tight.refused).toContain(`these copies may hold ${counted} connections while they are replaced`);
  });

  it.each([
    [
      'a setting that there is not',
      { settings: { GPUAAS_PUBLIC_URI: 'https://gpu.example.com' } },
      'GPUAAS_PUBLIC_URI',
    ],
    ['a secret among the settings', { settings: { GPUAAS_SECRETS_KEY: 'k1:x' } }, 'GPUAAS_SECRETS_KEY'],
    ['a port that the chart has set', { settings: { GPUAAS_NODE_PORT: 1 } }, 'GPUAAS_NODE_PORT'],
    ['a value that there is not', { replicas: 3 }, 'replicas'],
    ['an image by a tag', { image: { repository: 'a', digest: 'latest' } }, 'digest'],
    ['an image without a digest', { image: { repository: 'a', digest: '' } }, 'image.digest is missing'],
    ['fewer tunnels than copies', { appTunnelUrls: [] }, 'hosts need one address for each copy'],
  ])('refuses %s, and says which', async (_, values, named) => {
    const { refused } = await renderChart('small', valuesFor('small', values));
    expect(refused).toContain(named);
  });
});
