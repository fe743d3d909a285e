import { type Route, routes } from '@gpuaas/contract';
import fc from 'fast-check';
import type { Example } from '../routes/examples.ts';

/** A request that somebody hostile, or a broken program, might send. */
export interface HostileRequest {
  readonly method: string;
  readonly url: string;
  readonly who: 'owner' | 'viewer' | 'operator' | 'service' | 'nobody' | 'garbage';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}
/** What exists, so that requests get past the first door. */
export interface Known {
  readonly ids: { readonly organizationId: string; readonly projectId: string } & Readonly<Record<string, string>>;
  /** Good requests by operation, to be spoilt. */
  readonly examples: Readonly<Record<string, readonly Example[]>>;
}

/** What the api may keep of one request, in memory, when thousands have come: a leak of any object of it is more. */
export const mostBytesKept = 1_024;

/** Looks like what must never be repeated. None of them opens anything. */
export const planted = {
  jwt: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJwbGFudGVkLWNhbmFyeSJ9.c2lnbmF0dXJlLW9mLW5vdGhpbmc',
  mark: 'gpuaas_pat_canary0123456789abcdef',
  url: 'postgres://somebody:canary-password@db.internal/x',
} as const;
export const plantedSecrets: readonly string[] = [planted.jwt, planted.mark, 'canary-password'];

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND'];
const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\u202eabc',
    '__proto__',
    'constructor',
    "'; drop table projects; --",
    '../../etc/passwd',
    'null',
    'NaN',
    ...Object.values(planted),
  ),
  fc.integer({ min: 100, max: 20_000 }).map((length) => 'A'.repeat(length)),
);
const oddNumber = fc.constantFrom(0, -1, 1, 1.5, 1e21, 1e300, -1e300, 2 ** 31, 2 ** 53);
const good: Readonly<Record<string, unknown>> = { name: 'A name', slug: 'a-slug', reason: 'because', version: 1 };
const fieldNames = ['name', 'slug', 'type', 'currency', 'version', 'reason', 'limit', 'cursor', 'state', 'extra'];

const leaf = fc.oneof(
  oddText,
  oddNumber,
  fc.boolean(),
  fc.constant(null),
  fc.constant({}),
  fc.constant([]),
  fc.jsonValue({ maxDepth: 3 }),
);
/** Objects with some fields right and some wrong: the wrong ones are then not hidden behind a missing one. */
const fields = fc
  .tuple(
    fc.subarray(['name', 'slug', 'reason', 'version']),
    fc.dictionary(fc.oneof(fc.constantFrom(...fieldNames), oddText), leaf, { maxKeys: 5 }),
  )
  .map(([right, wrong]) =>
    JSON.stringify({ ...Object.fromEntries(right.map((name) => [name, good[name]])), ...wrong }),
  );
const nested = fc
  .tuple(fc.integer({ min: 1, max: 60_000 }), fc.constantFrom('[]', '{"a":}'))
  .map(([depth, [open, ...close]]) =>
    open === '['
      ? `${'['.repeat(depth)}${']'.repeat(depth)}`
      : `${'{"a":'.repeat(depth)}1${close.at(-1)?.repeat(depth)}`,
  );
const rawBodies = fc.constantFrom(
  '',
  '{',
  'nonsense',
  '{"name":"a","name":"b","slug":"c"}',
  '{"__proto__":{"polluted":true},"name":"a","slug":"b"}',
  '{"constructor":{"prototype":{"polluted":true}},"name":"a","slug":"b"}',
  '{"name":{"__proto__":{"polluted":true}},"slug":"b"}',
  '\ufeff{"name":"a","slug":"b"}',
  '[{"name":"a","slug":"b"}]',
  '"name"',
  '7',
  'null',
  'true',
  '{"name":"\\u0000","slug":"b"}',
  '{"name":"\\ud800","slug":"c"}',
  '{"name":"a","version":1e400}',
  '{"name":"a","version":9007199254740993}',
  `{"name":"${'x'.repeat(300_000)}"}`,
);
const body = fc.oneof(
  { arbitrary: fields, weight: 6 },
  { arbitrary: rawBodies, weight: 3 },
  { arbitrary: nested, weight: 1 },
  { arbitrary: leaf.map((value) => JSON.stringify(value)), weight: 1 },
  { arbitrary: fc.constant(undefined), weight: 2 },
);

const uuidLike = (known: Known) =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...Object.values(known.ids)), weight: 3 },
    { arbitrary: fc.uuid(), weight: 1 },
    {
      arbitrary: fc.constantFrom(
        known.ids.projectId.toUpperCase(),
        `${known.ids.projectId} `,
        known.ids.projectId.slice(1),
        `{${known.ids.projectId}}`,
        '00000000-0000-0000-0000-000000000000',
        '0',
        '-1',
        '999999999999999999',
        '..',
        '%2e%2e',
        '%2f',
        '%00',
        '%zz',
        'a'.repeat(199),
        'a'.repeat(201),
        'a'.repeat(5_000),
        '__proto__',
        'constructor',
        ...Object.values(planted).map(encodeURIComponent),
      ),
      weight: 3,
    },
    { arbitrary: oddText.map((text) => encodeURIComponent(text.toWellFormed())), weight: 1 },
  );

const query = fc.oneof(
  { arbitrary: fc.constant(''), weight: 4 },
  {
    arbitrary: fc
      .array(
        fc.tuple(
          fc.constantFrom(...fieldNames, '__proto__', 'constructor', 'limit', 'limit', 'subject_prefix'),
          fc.oneof(
            oddText.map((text) => encodeURIComponent(text.toWellFormed())),
            oddNumber.map(String),
            fc.constantFrom('50', 'true', '%', '%zz', '[]', 'dlq.', forgedCursor('organizations', 'abc')),
            fc
              .constantFrom('organizations', 'projects', 'activity', 'dead-letters')
              .map((list) => forgedCursor(list, '7')),
            fc
              .constantFrom('organizations', 'projects', 'activity', 'dead-letters')
              .map((list) => forgedCursor(list, '01890000-0000-7000-8000-000000000000')),
          ),
        ),
        { maxLength: 4 },
      )
      .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`),
    weight: 3,
  },
  { arbitrary: oddText.map((text) => `?${encodeURIComponent(text.toWellFormed())}`), weight: 1 },
);

export function forgedCursor(list: string, key: string): string {
  return Buffer.from(`${list}:${key}`).toString('base64url');
}

const headerValue = fc
  .string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 200 })
  .filter((text) => text.length > 0);
const headers = (known: Known) =>
  fc.record(
    {
      'content-type': fc.constantFrom(
        ...Array<string>(10).fill('application/json'),
        'application/json; charset=utf-16',
        'application/json;;;',
        'APPLICATION/JSON',
        'text/plain',
        'text/html',
        'multipart/form-data; boundary=x',
        'application/x-www-form-urlencoded',
        'application/vnd.api+json',
        'garbage',
        '/',
      ),
      'x-project-id': fc.oneof(
        uuidLike(known).map((id) => id.replaceAll(/[^\x21-\x7e]/g, '?')),
        headerValue,
      ),
      'x-request-id': fc.oneof(headerValue, fc.constantFrom(...Object.values(planted))),
      'x-idempotency-key': headerValue,
      accept: fc.constantFrom('text/html', '*/*', 'application/xml', headerNonsense),
      'user-agent': fc.oneof(headerValue, fc.constantFrom(...Object.values(planted))),
      traceparent: fc.oneof(headerValue, fc.constant(`00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`)),
      cookie: fc.constant(`session=${planted.mark}`),
      'x-forwarded-for': headerValue,
      'x-http-method-override': fc.constantFrom(...methods),
      'accept-encoding': fc.constantFrom('gzip', 'br;q=1.0', headerNonsense),
      expect: fc.constant('200-ok'),
      'if-match': headerValue,
    },
    { requiredKeys: [] },
  );
const headerNonsense = ';;;,,,===';

/** The same path written in ways that somebody might hope are read differently by two programs. */
const mangled = (path: string) =>
  fc.constantFrom(
    ...Array<string>(40).fill(path),
    `${path}/`,
    `/${path}`,
    path.replace('/api', '/API'),
    path.replace('/v1', '//v1'),
    path.replace('/v1', '/./v1'),
    path.replace('/v1', '/%76%31'),
    path.replace('/v1', '/v1/../v1'),
    path.replaceAll('/', '%2f'),
    `${path};a=b`,
    `${path}%00`,
    `${path}%`,
    `${path}\\..`,
  );

/** A good body, or one with a field too many, too few or of another kind. */
const spoilt = (good: Example['body']): fc.Arbitrary<string | undefined> =>
  good === undefined
    ? fc.option(body, { nil: undefined, freq: 1 })
    : fc.oneof(
        { arbitrary: fc.constant(JSON.stringify(good)), weight: 3 },
        {
          arbitrary: fc
            .tuple(fc.constantFrom(...Object.keys(good), ...fieldNames), leaf)
            .map(([name, value]) => JSON.stringify({ ...good, [name]: value })),
          weight: 5,
        },
        {
          arbitrary: fc
            .subarray(Object.keys(good))
            .map((names) => JSON.stringify(Object.fromEntries(names.map((name) => [name, good[name]])))),
          weight: 1,
        },
        { arbitrary: body, weight: 3 },
      );

/** Requests around one operation of the contract: good ones, spoilt in a few places. */
function around(route: Route, known: Known): fc.Arbitrary<HostileRequest> {
  const examples = known.examples[route.id] ?? [{}];
  const right: HostileRequest['who'] = route.auth.kind === 'admin' ? 'operator' : 'owner';
  return fc.constantFrom(...examples).chain((example) =>
    fc
      .record({
        method: usually(fc.constant<string>(route.method), fc.constantFrom(...methods)),
        path: pathWith(route, example, known).chain(mangled),
        search: query,
        who: usually(
          fc.constant(right),
          fc.constantFrom('owner', 'operator', 'viewer', 'service', 'nobody', 'garbage'),
        ),
        key: usually(fc.uuid(), fc.option(headerValue, { nil: undefined })),
        odd: usually(fc.constant({}), headers(known)),
        sent: spoilt(example.body),
      })
      .map(({ method, path, search, who, key, odd, sent }) => {
        const carried = method === 'GET' || method === 'HEAD' ? undefined : sent;
        return {
          method,
          url: `${path}${ended(route, search)}`,
          who: who as HostileRequest['who'],
          headers: {
            ...(carried !== undefined && { 'content-type': 'application/json' }),
            ...(key !== undefined && { 'idempotency-key': key }),
            ...(route.tenancy.kind === 'header' && { 'x-project-id': known.ids.projectId }),
            ...odd,
          },
          body: carried,
        };
      }),
  );
}

/** A stream that follows would be listened to for ever: here it ends with what is there. */
const ended = (route: Route, search: string): string =>
  route.method === 'GET' && route.text?.includes('text/event-stream')
    ? `${search}${search === '' ? '?' : '&'}follow=false`
    : search;

const usually = <T, U>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<U>) =>
  fc.oneof({ arbitrary: right, weight: 5 }, { arbitrary: wrong, weight: 1 });

const pathWith = (route: Route, example: Example, known: Known): fc.Arbitrary<string> =>
  fc
    .tuple(...Object.values(example.params ?? {}).map((value) => usually(fc.constant(value), uuidLike(known))))
    .map((values) => {
      const names = Object.keys(example.params ?? {});
      return route.path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => values[names.indexOf(name)] ?? 'missing');
    });

export const hostileRequests = (known: Known): fc.Arbitrary<HostileRequest> =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...routes).chain((route) => around(route, known)), weight: 15 },
    {
      arbitrary: fc.record({
        method: fc.constantFrom(...methods),
        url: fc.webPath().map((path) => (path.startsWith('/') ? path : `/${path}`)),
        who: fc.constantFrom<HostileRequest['who']>('owner', 'nobody'),
        headers: headers(known),
        body: fc.constant(undefined),
      }),
      weight: 1,
    },
  );
