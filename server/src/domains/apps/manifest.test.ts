import { AppManifest, checkManifest, renderParameters, takeParameters } from '@gpuaas/contract/apps';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { testManifest } from './testing.ts';

/** Numbers that follow from a seed, so that a failure can be repeated. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 14)) >>> 0) / 4_294_967_296;
  };
}
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
const copy = () => structuredClone(testManifest()) as unknown as { [key: string]: Json };

const hostile: readonly Json[] = [
  null,
  true,
  -1,
  0,
  1e308,
  1.5,
  '',
  'x'.repeat(5_000),
  '\u0000',
  '../../etc/passwd',
  '$(id)',
  '"; drop table apps; --',
  '<script>alert(1)</script>',
  '\ud800',
  'registry.example.com/demo/echo:latest',
  `registry.example.com/demo/echo@sha256:${'A'.repeat(64)}`,
  `registry.example.com/demo/echo:latest@sha256:${'ab'.repeat(32)}`,
  'sha256:short',
  '__proto__',
  'constructor',
  '\u202eexe.gnp',
  [],
  {},
  [[[[[]]]]],
  { privileged: true },
];
/** Every place of a value that can be changed: its container and key. */
function placesOf(value: Json, into: [Json[] | { [key: string]: Json }, string][] = []) {
  if (typeof value !== 'object' || value === null) return into;
  for (const [key, each] of Object.entries(value)) {
    into.push([value, key]);
    placesOf(each, into);
  }
  return into;
}
const set = (container: Json[] | { [key: string]: Json }, key: string, value: Json) => {
  Object.defineProperty(container, key, { value, enumerable: true, writable: true, configurable: true });
};
const forbidden = new Set(['privileged', 'hostNetwork', 'cap_add', 'x', '__proto__']);
const keysIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, each]) => [...(Array.isArray(value) ? [] : [key]), ...keysIn(each)])
    : [];
/** One to three changes: a value replaced, a field dropped, added, repeated or renamed, a text or a number bent. */
function mutate(random: () => number): Json {
  const manifest = copy();
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  for (let change = 0; change <= Math.floor(random() * 3); change += 1) {
    const places = placesOf(manifest);
    if (places.length === 0) break;
    const [container, key] = pick(places);
    const old = (container as { [key: string]: Json })[key] as Json;
    const kind = Math.floor(random() * 7);
    if (kind === 0) set(container, key, pick(hostile));
    else if (kind === 1 && !Array.isArray(container)) delete container[key];
    else if (kind === 2 && !Array.isArray(container))
      set(container, pick(['privileged', 'hostNetwork', 'x', 'cap_add', '__proto__']), pick(hostile));
    else if (kind === 3 && Array.isArray(container)) container.push(structuredClone(old));
    else if (kind === 4 && typeof old === 'string')
      set(
        container,
        key,
        old.slice(0, Math.floor(random() * old.length)) + pick(['\n', ' ', '/', '..', 'é', '\u0000', ':tag', 'A']),
      );
    else if (kind === 5 && typeof old === 'number') set(container, key, old * pick([-1, 0, 1e6, 0.5, 2]));
    else if (!Array.isArray(container)) {
      delete container[key];
      set(container, `${key}x`, old);
    }
  }
  return manifest as Json;
}

const bent = (change: (manifest: ReturnType<typeof testManifest>) => unknown): unknown => {
  const manifest = structuredClone(testManifest());
  change(manifest);
  return manifest;
};
const fieldsOf = (value: unknown): readonly string[] => {
  const checked = checkManifest(value);
  return 'problems' in checked ? checked.problems.map(({ field }) => field) : [];
};

describe('a manifest', () => {
  it('with every section is taken, and what is kept is a copy', () => {
    const ours = testManifest();
    const checked = checkManifest(ours);
    expect(checked).toEqual({ manifest: ours });
    expect('manifest' in checked && checked.manifest).not.toBe(ours);
  });

  it('that the schema refuses is refused, in 10,000 mutations; what is taken stays true to every rule', () => {
    const random = makeRandom(20_261_118);
    const counted = { taken: 0, refused: 0 };
    for (let round = 0; round < 10_000; round += 1) {
      const value = mutate(random);
      const checked = checkManifest(value);
      if ('problems' in checked) {
        counted.refused += 1;
        expect(checked.problems.length).toBeLessThanOrEqual(20);
        continue;
      }
      counted.taken += 1;
      const { manifest } = checked;
      expect(Value.Check(AppManifest, value), JSON.stringify(value)).toBe(true);
      expect(manifest.runtime.image).toMatch(/^[a-z0-9.:/_-]+@sha256:[0-9a-f]{64}$/);
      expect(manifest.runtime.user.uid).toBeGreaterThan(0);
      expect(new Set(manifest.endpoints.map(({ port }) => port)).size).toBe(manifest.endpoints.length);
      expect(keysIn(manifest).filter((key) => forbidden.has(key))).toEqual([]);
    }
    expect(counted.refused).toBeGreaterThan(5_000);
    expect(counted.taken).toBeGreaterThan(100);
  }, 300_000);

  it.each<[string, unknown, string]>([
    [
      'names an image by tag',
      bent((m) => Object.assign(m.runtime, { image: 'registry.example.com/demo/echo:latest' })),
      'runtime.image',
    ],
    [
      'names a tag beside the digest',
      bent((m) => Object.assign(m.runtime, { image: m.runtime.image.replace('@', ':1@') })),
      'runtime.image',
    ],
    [
      'names no registry',
      bent((m) => Object.assign(m.runtime, { image: `echo@sha256:${'ab'.repeat(32)}` })),
      'runtime.image',
    ],
    ['runs as root', bent((m) => Object.assign(m.runtime.user, { uid: 0 })), 'runtime.user.uid'],
    ['asks for privilege', bent((m) => Object.assign(m.runtime, { privileged: true })), 'runtime'],
    ['asks for capabilities', bent((m) => Object.assign(m.runtime, { cap_add: ['SYS_ADMIN'] })), 'runtime'],
    ['mounts a path of the host', bent((m) => Object.assign(m.storage?.[0] ?? {}, { host_path: '/' })), 'storage.0'],
    ['mounts over the system', bent((m) => Object.assign(m.storage?.[0] ?? {}, { path: '/proc/x' })), 'storage.0.path'],
    ['uses a port twice', bent((m) => Object.assign(m.endpoints[1] ?? {}, { port: 8_080 })), 'endpoints.1.port'],
    ['uses a port for root', bent((m) => Object.assign(m.endpoints[0] ?? {}, { port: 80 })), 'endpoints.0.port'],
    [
      'names two endpoints alike',
      bent((m) => Object.assign(m.endpoints[1] ?? {}, { name: 'web' })),
      'endpoints.1.name',
    ],
    ['sets a variable twice', bent((m) => Object.assign(m.secrets?.[0] ?? {}, { env: 'ECHO_MODE' })), 'secrets.0.env'],
    ['sets a variable of ours', bent((m) => Object.assign(m.secrets?.[0] ?? {}, { env: 'GPUAAS_X' })), 'secrets.0.env'],
    [
      'changes how programs load',
      bent((m) => Object.assign(m.runtime.env?.[0] ?? {}, { name: 'LD_PRELOAD' })),
      'runtime.env.0.name',
    ],
    [
      'is ready where nothing listens',
      bent((m) => Object.assign(m.lifecycle, { readiness: { endpoint: 'nothing' } })),
      'lifecycle.readiness.endpoint',
    ],
    [
      'wants fewer GPUs than at least',
      bent((m) => Object.assign(m.resources, { gpu: { min: 2, max: 1 } })),
      'resources.gpu.min',
    ],
    [
      'has a default that does not fit',
      bent((m) => Object.assign(m.parameters?.properties['lines'] ?? {}, { default: 101 })),
      'parameters.properties.lines.default',
    ],
    [
      'requires what is not asked',
      bent((m) => Object.assign(m.parameters ?? {}, { required: ['nothing'] })),
      'parameters.required',
    ],
    [
      'brings an expression of its own',
      bent((m) => Object.assign(m.parameters?.properties['greeting'] ?? {}, { pattern: '(a+)+$' })),
      'parameters.properties.greeting',
    ],
    [
      'puts a volume into a volume',
      bent((m) => m.storage?.push({ name: 'more', path: '/data/more', size_mib: 16 })),
      'storage.1.path',
    ],
    [
      'opens an API to browsers',
      bent((m) => Object.assign(m.endpoints[1] ?? {}, { auth: 'platform' })),
      'endpoints.1.auth',
    ],
    [
      'is larger than 64 KiB',
      bent((m) => Object.assign(m.runtime, { args: Array.from({ length: 64 }, () => 'x'.repeat(2_000)) })),
      '',
    ],
    ['has half a letter', bent((m) => Object.assign(m.metadata, { summary: 'x\ud800' })), ''],
    ['is nothing', undefined, ''],
  ])('that %s is refused, and the answer says where', (_, value, field) => {
    expect(fieldsOf(value).some((each) => each === field || (field !== '' && each.startsWith(field)))).toBe(true);
  });

  it('that contains itself is refused, not followed', () => {
    const cyclic = bent((m) => Object.assign(m, { self: m }));
    expect(checkManifest(cyclic)).toHaveProperty('problems');
  });
});

describe('the parameters of a launch', () => {
  const { parameters } = testManifest();
  it('get defaults, reach the container as variables and flags, and each stays one word', () => {
    const taken = takeParameters(parameters, { greeting: '--help; rm -rf /', loud: true });
    if (!('values' in taken)) throw new Error('refused');
    expect(taken.values).toEqual({ greeting: '--help; rm -rf /', lines: 3, loud: true });
    expect(renderParameters(parameters, taken.values)).toEqual({
      env: [{ name: 'ECHO_GREETING', value: '--help; rm -rf /' }],
      args: ['--lines=3', '--loud'],
    });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['nobody asked for', { other: 1 }, 'other'],
    ['is no own property', JSON.parse('{"__proto__": 1}'), '__proto__'],
    ['is out of range', { lines: 0 }, 'lines'],
    ['is no whole number', { lines: 1.5 }, 'lines'],
    ['is not a number', { ratio: Number.NaN }, 'ratio'],
    ['has a line break', { greeting: 'a\nb' }, 'greeting'],
    ['is too long', { greeting: 'x'.repeat(81) }, 'greeting'],
    ['is of another type', { loud: 'yes' }, 'loud'],
  ])('refuse a value that %s', (_, values, field) => {
    const taken = takeParameters(parameters, values);
    expect('problems' in taken && taken.problems.map((each) => each.field)).toEqual([field]);
  });
});
