/** One service of a compose file, as far as it can become an app. Everything else of it is named as what was left out. */
export interface ComposeFile {
  readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly leftOut: readonly string[];
}
const record = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;

/** Sections beside `services` that mean nothing to an app, or that follow from its services. */
const known = new Set(['services', 'version', 'name', 'volumes']);

export function readCompose(value: unknown): ComposeFile | undefined {
  const file = record(value);
  const services = record(file?.['services']);
  if (!file || !services || Object.keys(services).length === 0) return undefined;
  if (!Object.values(services).every((each) => record(each))) return undefined;
  return {
    services: services as ComposeFile['services'],
    leftOut: Object.keys(file)
      .filter((key) => !known.has(key) && !key.startsWith('x-'))
      .map((key) => `${key}: an app has no such section`),
  };
}

/** The words of a command, which compose takes as a list or as one text in the way of a shell. */
export function wordsOf(value: unknown): string[] | undefined {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== 'string') return undefined;
  const words = value.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
  return words.map((word) => (/^(["']).*\1$/.test(word) ? word.slice(1, -1) : word));
}

/** Variables, which compose takes as a map or as a list of NAME=value. One without a value is undefined. */
export function variablesOf(value: unknown): readonly (readonly [name: string, value: string | undefined])[] {
  if (Array.isArray(value)) {
    return value.map(String).map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [line, undefined] : [line.slice(0, at), line.slice(at + 1)];
    });
  }
  return Object.entries(record(value) ?? {}).map(([name, each]) => [name, each === null ? undefined : String(each)]);
}

/** The ports inside of the container, from `8080:80/tcp`, `80`, or the long form. */
export function portsOf(value: unknown): readonly { readonly port: number; readonly written: string }[] {
  return (Array.isArray(value) ? value : []).map((each) => {
    const target = record(each)?.['target'];
    const written = target === undefined ? String(each) : String(target);
    const [inner = ''] = (written.split(':').at(-1) ?? '').split('/');
    return { port: Number(inner), written };
  });
}

const sizes: Readonly<Record<string, number>> = { b: 1 / 1_048_576, k: 1 / 1_024, m: 1, g: 1_024 };
/** `512m` and `2gb` in MiB. */
export function mebibytesOf(value: unknown): number | undefined {
  const [, number, unit = 'b'] = /^(\d+(?:\.\d+)?)\s*([bkmg])?(?:i?b)?$/i.exec(String(value ?? '')) ?? [];
  return number === undefined ? undefined : Math.ceil(Number(number) * (sizes[unit.toLowerCase()] ?? 1));
}
/** `90s`, `1m30s` in seconds. */
export function secondsOf(value: unknown): number | undefined {
  const [, minutes, seconds] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(String(value ?? '')) ?? [];
  return minutes === undefined && seconds === undefined ? undefined : Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}

/** Limits of a service, in both places where compose knows them. */
export function limitsOf(service: Readonly<Record<string, unknown>>) {
  const resources = record(record(service['deploy'])?.['resources']);
  const limits = record(resources?.['limits']);
  const cpus = Number(limits?.['cpus'] ?? service['cpus']);
  const devices = record(resources?.['reservations'])?.['devices'];
  const gpu = (Array.isArray(devices) ? devices : []).map(record).find((each) => {
    const capabilities = each?.['capabilities'];
    return Array.isArray(capabilities) && capabilities.flat().includes('gpu');
  });
  return {
    cpuMillis: Number.isFinite(cpus) && cpus > 0 ? Math.round(cpus * 1_000) : undefined,
    memoryMib: mebibytesOf(limits?.['memory'] ?? service['mem_limit']),
    pids: Number(limits?.['pids'] ?? service['pids_limit']) || undefined,
    shmMib: mebibytesOf(service['shm_size']),
    gpus: gpu && (gpu['count'] === 'all' || gpu['count'] === undefined ? 8 : Number(gpu['count'])),
  };
}

/** The path of a health check that asks with curl or wget. */
export function healthPathOf(value: unknown): string | undefined {
  const test = record(value)?.['test'];
  const text = Array.isArray(test) ? test.map(String).join(' ') : String(test ?? '');
  const [, path] = /https?:\/\/[^\s/"']+(\/[A-Za-z0-9._~/-]*)/.exec(text) ?? [];
  return path;
}
