import type { AppManifest } from '@gpuaas/contract/apps';
import { templates } from '../templates.ts';
import { healthPathOf, limitsOf, portsOf, secondsOf, variablesOf, wordsOf } from './compose-file.ts';

/** A manifest that was made of a service, and what of the service is not in it. */
export interface Converted {
  readonly manifest: AppManifest;
  /** Sentences for the person: where, and why it is not in the manifest or what was put in its place. */
  readonly leftOut: readonly string[];
}
type Service = Readonly<Record<string, unknown>>;
type Note = (field: string, why: string) => void;

/** What the conversion reads. Every other key of a service is named. */
const read = new Set([
  ...['image', 'command', 'entrypoint', 'environment', 'ports', 'expose', 'user', 'volumes', 'deploy', 'cpus'],
  ...[
    'mem_limit',
    'pids_limit',
    'shm_size',
    'healthcheck',
    'stop_grace_period',
    'read_only',
    'container_name',
    'labels',
  ],
]);
const because: Readonly<Record<string, string>> = {
  build: 'an app is an image: build and push it, and put its digest into runtime.image',
  depends_on: 'each service is an app of its own, and apps do not wait for each other',
  networks: 'an app has a network of its own; others reach it by its address',
  privileged: 'no app has privileges',
  cap_add: 'no app has capabilities',
  network_mode: 'an app has a network of its own',
  devices: 'an app gets GPUs by resources.gpu and no other devices',
  env_file: 'write the variables into runtime.env, and secret ones into secrets',
  secrets: 'write them into secrets of the manifest',
  restart: 'the platform starts an app again that has ended',
};
const secretName = /PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|PRIVATE_KEY|CREDENTIAL/i;
const zeros = `@sha256:${'0'.repeat(64)}`;
const leastPort = 1_024;
const usualUser = { uid: 1_000, gid: 1_000 };
const usualVolumeMib = 10_240;
const longestName = 32;

/** A label of a manifest, from a name that compose takes. */
const labelOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '')
    .slice(0, longestName) || 'data';

export function convert(slug: string, name: string, service: Service): Converted {
  const leftOut: string[] = [];
  const note: Note = (field, why) => leftOut.push(`services.${name}.${field}: ${why}`);
  for (const key of Object.keys(service)) {
    if (!read.has(key)) note(key, because[key] ?? 'an app has no such field');
  }
  const base = templates.batch(slug);
  const { env, secrets } = environmentOf(service, note);
  const [entrypoint, args] = [wordsOf(service['entrypoint']), wordsOf(service['command'])];
  const storage = volumesOf(service, note);
  const limits = limitsOf(service);
  if (limits.cpuMillis === undefined || limits.memoryMib === undefined) {
    note('deploy.resources.limits', 'no limit is written there, so resources has usual ones; set what the app needs');
  }
  const grace = secondsOf(service['stop_grace_period']);
  const manifest: AppManifest = {
    ...base,
    runtime: {
      ...{ image: imageOf(service, note), user: userOf(service, note) },
      ...(entrypoint?.length && { entrypoint }),
      ...(args?.length && { args }),
      ...(env.length > 0 && { env }),
    },
    resources: {
      cpu_millis: limits.cpuMillis ?? base.resources.cpu_millis,
      memory_mib: limits.memoryMib ?? base.resources.memory_mib,
      ...(limits.shmMib !== undefined && { shm_mib: limits.shmMib }),
      ...(limits.pids !== undefined && { pids: limits.pids }),
      ...(limits.gpus && { gpu: { min: limits.gpus, max: limits.gpus } }),
    },
    endpoints: endpointsOf(service, note),
    ...(secrets.length > 0 && { secrets }),
    ...(storage.length > 0 && { storage }),
    lifecycle: { ...base.lifecycle, ...(grace !== undefined && { drain_seconds: Math.min(grace, 600) }) },
  };
  if (service['read_only'] !== true)
    note('read_only', 'the root of an app cannot be written; state belongs into storage');
  return { manifest, leftOut };
}

function imageOf({ image }: Service, note: Note): string {
  const written = String(image ?? 'registry.example.com/your/image');
  if (/@sha256:[0-9a-f]{64}$/.test(written)) return written.replace(/:[^/@]+@/, '@');
  note('image', `${image === undefined ? 'there is none' : 'a tag is refused'}: put the digest in place of the zeros`);
  const bare = written.replace(/:[^/:]+$/, '');
  // What compose fetches from the Docker Hub has no registry in its name.
  const [first = '', ...path] = bare.split('/');
  const isNamed = path.length > 0 && (first === 'localhost' || /[.:]/.test(first));
  return `${isNamed ? bare : `docker.io/${bare.includes('/') ? bare : `library/${bare}`}`}${zeros}`;
}

function userOf({ user }: Service, note: Note) {
  const [, uid, gid = uid] = /^(\d+)(?::(\d+))?$/.exec(String(user ?? '')) ?? [];
  const ids = { uid: Number(uid ?? 0), gid: Number(gid ?? 0) };
  if (ids.uid > 0 && ids.gid > 0) return ids;
  note('user', 'an app runs under numbers that are not root, so 1000:1000 was put there');
  return usualUser;
}

function environmentOf(service: Service, note: Note) {
  const env: { name: string; value: string }[] = [];
  const secrets: { name: string; env: string; summary: string; required: boolean; generated: boolean }[] = [];
  for (const [name, value] of variablesOf(service['environment'])) {
    const field = `environment.${name}`;
    if (/^(?:GPUAAS_|LD_)/.test(name)) note(field, 'names with GPUAAS_ or LD_ are refused');
    else if (secretName.test(name)) {
      secrets.push({ ...{ name: labelOf(name), env: name, summary: name }, required: false, generated: true });
      note(field, 'everybody may read runtime.env, so it became a secret that the platform makes for each instance');
    } else if (value === undefined || /\$\{?[A-Za-z_]/.test(value)) {
      note(field, 'its value comes from elsewhere: write it into runtime.env, or make it a parameter');
    } else env.push({ name, value });
  }
  return { env, secrets };
}

function endpointsOf(service: Service, note: Note): AppManifest['endpoints'] {
  const path = healthPathOf(service['healthcheck']);
  if (service['healthcheck'] !== undefined && path === undefined) {
    note(
      'healthcheck',
      'only a check that asks an address of HTTP can be taken over; a connection is asked in its place',
    );
  }
  const all = [...portsOf(service['ports']), ...portsOf(service['expose'])];
  const ports = all.filter(({ port, written }) => {
    if (port >= leastPort && port <= 65_535) return true;
    note('ports', `${written} is no port from 1024 on: have the app listen on a higher one`);
    return false;
  });
  const distinct = [...new Set(ports.map(({ port }) => port))];
  return distinct.map((port, index) => ({
    ...{ name: index === 0 ? 'web' : `web-${port}`, kind: 'browser' as const, port, auth: 'platform' as const },
    ...(index === 0 && path !== undefined && { health: { path } }),
  }));
}

function volumesOf(service: Service, note: Note): NonNullable<AppManifest['storage']> {
  const written = service['volumes'];
  return (Array.isArray(written) ? written : []).flatMap((each) => {
    const long = typeof each === 'object' && each !== null ? (each as Service) : undefined;
    const [source = '', target = '', mode = ''] = long
      ? [String(long['source'] ?? ''), String(long['target'] ?? ''), long['read_only'] === true ? 'ro' : '']
      : String(each).split(':');
    if (long?.['type'] === 'bind' || /^[./~]/.test(source) || target === '') {
      note(
        'volumes',
        `${source === '' ? target : source} is a path of the machine or has no name: an app has none of its host`,
      );
      return [];
    }
    note('volumes', `${source} has no size in compose, so ${usualVolumeMib} MiB were put there`);
    const isReadOnly = mode.split(',').includes('ro');
    const volume = { name: labelOf(source), path: target, size_mib: usualVolumeMib };
    return [{ ...volume, ...(isReadOnly && { read_only: true }) }];
  });
}
