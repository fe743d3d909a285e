import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../kernel/act.ts';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import type { Post, Posted } from '../../ports/webhooks/port.ts';
import { asSystem, keyringOfWorlds, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { postsOfOrganization, postsOfWebhook } from './facts.ts';
import { makePosting, webhookProcess } from './index.ts';
import { retryInMs } from './worker.ts';

const clock = makeTestClock(new Date());
const maxAttempts = 3;
const policy = (key: string) => (key === 'webhooks.max_attempts' ? maxAttempts : 100);
let world: World;
let worker: DatabasePort;
let slow: Tenant;
let quick: Tenant;
beforeAll(async () => {
  world = await openWorld();
  const url = world.schema.as('gpuaas_webhooks');
  worker = await openPostgres({ url, clock, ids: systemIds, log: silentLog, name: 'test', poolSize: 4 });
  slow = await world.found('slow');
  quick = await world.found('quick');
});
afterAll(async () => {
  await worker?.close();
  await world?.close();
});
beforeEach(() => asSystem(world.root, 'delete from webhooks', []));

/** A webhook with deliveries that are due. */
async function webhookOf(tenant: Tenant, deliveries: number): Promise<string> {
  const url = `https://example.com/${systemIds.next()}`;
  const made = await world.call('POST', `/api/v1/organizations/${tenant.organizationId}/webhooks`, {
    ...{ as: tenant.token, key: systemIds.next(), body: { url } },
  });
  expect(made.status, made.text).toBe(201);
  await asSystem(
    world.root,
    `insert into webhook_deliveries (id, organization_id, webhook_id, event_id, event_type, body, due_at)
     select gen_random_uuid(), $1, $2, gen_random_uuid(), 'provisioning.active', '{}', $4
     from generate_series(1, $3::int)`,
    [tenant.organizationId, made.body.id, deliveries, clock.now()],
  );
  return url;
}

/** A worker whose posts end when the test says so. */
function open(seal = keyringOfWorlds.seal('webhooks')) {
  const open: { readonly url: string; answer(posted: Posted): void }[] = [];
  const post = ({ url }: Post) => new Promise<Posted>((answer) => open.push({ url, answer }));
  const posting = makePosting({
    ...{ db: worker.database, begin: actsOf(webhookProcess, systemIds), ids: systemIds, clock, log: silentLog, policy },
    ...{ metrics: makeMetrics('test', '0.0.0'), seal },
    webhooks: { post, objection: () => undefined, check: async () => {}, close: async () => {} },
  });
  const round = () => posting.round(new AbortController().signal);
  /** The post ends, and the worker is woken. */
  const end = async (url: string) => {
    const woken = Promise.withResolvers<void>();
    posting.onFree(woken.resolve);
    const at = open.findIndex((each) => each.url === url);
    open.splice(at, 1)[0]?.answer({ status: 200 });
    await woken.promise;
  };
  const endAll = async () => {
    for (const { answer } of open.splice(0)) answer({ status: 200 });
    await posting.close();
  };
  const countOf = (url: string) => open.filter((each) => each.url === url).length;
  return { posting, open, round, end, endAll, countOf };
}

describe('the worker of webhooks', () => {
  it('posts for one organization while the receivers of another one hang', async () => {
    const [first, second, third] = [await webhookOf(slow, 20), await webhookOf(slow, 20), await webhookOf(slow, 20)];
    const { open: inFlight, round, end, endAll, countOf } = open();
    await round();
    await round();
    expect(inFlight).toHaveLength(postsOfOrganization);
    for (const url of [first, second, third]) expect(countOf(url)).toBeLessThanOrEqual(postsOfWebhook);

    const other = await webhookOf(quick, 3);
    await round();
    expect(countOf(other)).toBe(postsOfWebhook);
    expect(inFlight).toHaveLength(postsOfOrganization + postsOfWebhook);

    // A slot is filled again when its post ends, while the others still hang.
    await end(other);
    await round();
    expect(countOf(other)).toBe(postsOfWebhook);
    const hanging = inFlight.find(({ url }) => url !== other)?.url ?? '';
    await end(hanging);
    expect(inFlight).toHaveLength(postsOfOrganization + postsOfWebhook - 1);
    await round();
    expect(inFlight).toHaveLength(postsOfOrganization + postsOfWebhook);
    await endAll();
  });

  it('notes a try that could not be signed, and gives up after the last one', async () => {
    await webhookOf(slow, 1);
    const {
      posting,
      open: posted,
      round,
    } = open({
      ...keyringOfWorlds.seal('webhooks'),
      open: () => {
        throw new Error('sealed with a key that is not here');
      },
    });
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      await round();
      await posting.close();
      await clock.advance(retryInMs(attempt));
    }
    const { rows } = await world.root.query(
      'select outcome, attempts, reason, jsonb_array_length(tries) as tries from webhook_deliveries',
    );
    const reason = expect.stringContaining('could not be signed');
    expect(rows).toEqual([{ outcome: 'failed', attempts: maxAttempts, reason, tries: maxAttempts }]);
    expect(posted).toEqual([]);
  });
});
