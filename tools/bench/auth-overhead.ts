import { type Route, versionGet } from '@gpuaas/contract';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { makeAuthenticate } from '../../server/src/edge/http/admission/authentication.ts';
import { openDenyList } from '../../server/src/edge/http/admission/deny-list.ts';
import { makeFresh } from '../../server/src/kernel/access/fresh.ts';
import { systemClock } from '../../server/src/kernel/clock.ts';
import { systemIds } from '../../server/src/kernel/id.ts';
import { openBareMount } from '../../server/test/hostile/bare-mount.ts';
import type { Options } from './options.ts';
import { type Report, short } from './report.ts';
import { interleaved, medianWithInterval, ratios } from './statistics.ts';

/**
 * What it costs to know who asks: one route behind the real mount, once public and once for callers with a signed token, which is verified once and remembered, looked for on a deny list of some length, and turned into a
 * person. Both sides run in this process and do nothing else; CPU is what the process itself used, so neighbours on the
 * machine change it little.
 */
const people = 50;
const denied = 1_000;
const goal = 1.15;

export async function measureAuthOverhead(options: Options, report: Report): Promise<void> {
  const requests = 1_000 * options.seconds;
  const sides = [await openSide(versionGet, []), await openSide(forSignedIn, await makeTokens())] as const;
  const spent: [number[], number[]] = [[], []];
  try {
    for (const { ask } of sides) await ask(requests);
    for (const [round, order] of interleaved([0, 1] as const, options.pairs).entries()) {
      for (const side of order) {
        const before = process.cpuUsage();
        const wrong = await sides[side].ask(requests);
        const { user, system } = process.cpuUsage(before);
        if (wrong > 0) report.violated(`round ${round}: ${wrong} requests were not answered with 200`);
        const microseconds = (user + system) / requests;
        spent[side].push(microseconds);
        report.sample({ benchmark: 'auth-overhead', round, side: side === 0 ? 'open' : 'signed in', microseconds });
      }
    }
  } finally {
    for (const { close } of sides) await close();
  }
  const [open, signedIn] = [medianWithInterval(spent[0]), medianWithInterval(spent[1])];
  report.table({
    title: `CPU of one request, in microseconds; ${requests} requests a side and round, ${people} tokens in turn`,
    columns: ['side', 'median', 'from', 'to'],
    rows: [
      ['open to everybody', short(open.median), short(open.low), short(open.high)],
      ['with a token', short(signedIn.median), short(signedIn.low), short(signedIn.high)],
    ],
  });
  report.verdict({
    claim: 'CPU of a request with a token over the same without',
    found: medianWithInterval(ratios(spent[1], spent[0])),
    goal: { at: 'most', value: goal },
  });
}

const forSignedIn: Route = {
  ...versionGet,
  auth: { kind: 'user', scope: 'organizations:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
};
const issuer = 'https://issuer.test';
const audience = 'gpuaas';
const pair = await generateKeyPair('ES256');

const makeTokens = () =>
  Promise.all(
    Array.from({ length: people }, (_, at) =>
      new SignJWT({ scope: 'organizations:read projects:read' })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(`person-${at}`)
        .setJti(systemIds.next())
        .setIssuedAt()
        .setExpirationTime('2h')
        .sign(pair.privateKey),
    ),
  );

async function openSide(route: Route, tokens: readonly string[]) {
  const clock = systemClock;
  const keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' }] };
  const known = makeFresh<string, { id: string; kind: 'user'; platformRoles: [] }>({
    clock,
    ttlMs: 5_000,
    max: 20_000,
  });
  const denyList = await openDenyList({
    denials: {
      current: async () => Array.from({ length: denied }, () => ({ kind: 'token', subject: systemIds.next() })),
      onChange: async () => ({ close: async () => undefined }),
    },
    clock,
    onFault: () => undefined,
  });
  const mount = await openBareMount({
    routes: [route],
    authenticate: makeAuthenticate({ people: { issuer, audience, keys: { kind: 'keys', keys } }, clock }),
    recognise: ({ issuer: from, subject }) =>
      known.get(`${from}\n${subject}`, async () => ({ id: systemIds.next(), kind: 'user', platformRoles: [] })),
    denyList,
  });
  return {
    /** Answers how many were not answered well. */
    async ask(times: number): Promise<number> {
      let wrong = 0;
      for (let at = 0; at < times; at += 1) {
        const token = tokens[at % tokens.length];
        const reply = await mount.app.inject({
          url: route.path,
          ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
        });
        if (reply.statusCode !== 200) wrong += 1;
      }
      return wrong;
    },
    async close() {
      await mount.close();
      await denyList.close();
    },
  };
}
