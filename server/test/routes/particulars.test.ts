import { isWrite, type Route, routes } from '@gpuaas/contract';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../src/kernel/id.ts';
import { openWorld, type Tenant, type World } from '../../src/testing/world.ts';
import { type Example, exampleOf, sentWith, urlOf } from './examples.ts';

/**
 * What people type must be erasable, so it may not stand in a table that only grows, nor in an event. Every write is sent
 * with a mail address in each of its texts that takes one, and then every such table is searched for it.
 */
const typed = 'typed-by-ada@example.test';
const named = 'named-by-ada@example.test';
const agent = 'program-of-ada@example.test';

let world: World;
let home: Tenant;
let operator: string;
let onlyGrowing: readonly string[];
beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  operator = await world.operator();
  const { rows } = await world.root.query<{ name: string }>(
    `select distinct t.tgrelid::regclass::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where t.tgfoid = to_regproc('public.guard_append_only') and t.tgtype & 8 <> 0 and not c.relispartition order by 1`,
  );
  onlyGrowing = rows.map(({ name }) => name);
});
afterAll(() => world.close());

/** The body with an address in every text that the contract lets hold one. */
function withAddresses(route: Route, { body = {} }: Example): Record<string, unknown> {
  const schema = (route as { readonly body?: TSchema }).body;
  let filled: Record<string, unknown> = { ...body };
  const properties = (schema as { readonly properties?: Readonly<Record<string, unknown>> } | undefined)?.properties;
  for (const key of Object.keys(properties ?? {})) {
    const tried = { ...filled, [key]: /name$/.test(key) ? named : typed };
    if (schema && Check(schema, tried)) filled = tried;
  }
  return filled;
}
async function holding(tables: readonly string[], text: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of tables) {
    const { rows } = await world.root.query(`select 1 from ${table} t where strpos(t::text, $1) > 0 limit 1`, [text]);
    if (rows.length > 0) found.push(table);
  }
  return found;
}

const writes = routes.filter(isWrite);

describe('what a person types', () => {
  it('is looked for in every table that only grows', () => {
    expect(onlyGrowing).toEqual(expect.arrayContaining(['audit_logs', 'allocation_timeline', 'ledger_entries']));
  });

  it.each(writes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s leaves none of it in a table that only grows, nor in an event',
    async (_, route) => {
      const example = await exampleOf(route, world, home);
      const body = withAddresses(route, example);
      const reply = await world.call(route.method, urlOf(route, example), {
        as: route.auth.kind === 'admin' ? operator : home.token,
        key: systemIds.next(),
        ...(example.file ? sentWith(example) : Object.keys(body).length > 0 && { body }),
        headers: {
          'user-agent': agent,
          ...(route.tenancy.kind === 'header' && { 'x-project-id': home.projectId }),
        },
      });
      expect(reply.status, reply.text).toBeLessThan(500);
      // Names of things, as of a project, are part of its events.
      expect({ typed: await holding([...onlyGrowing, 'outbox_events'], typed) }).toEqual({ typed: [] });
      expect({ named: await holding(onlyGrowing, named) }).toEqual({ named: [] });
      expect({ agent: await holding([...onlyGrowing, 'outbox_events'], agent) }).toEqual({ agent: [] });
    },
  );

  it('stands in rows that can be erased, where readers of the log still find it', async () => {
    for (const text of [typed, named, agent]) expect(await holding(['audit_particulars'], text)).toHaveLength(1);
    const { body } = await world.call('GET', '/api/v1/admin/audit-logs?limit=100&action=project.', { as: operator });
    expect(JSON.stringify(body)).toContain(named);
    expect(body.data[0]).toMatchObject({ is_erased: false, committed_by: 'gpuaas_api' });
  });
});
