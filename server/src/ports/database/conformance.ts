import { projectCreated, projectRemoved } from '@gpuaas/contract';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Act, makeAct, sql, systemViewer, type Viewer } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { systemIds } from '../../kernel/id.ts';
import { attachIdempotency, KeyTaken } from '../../kernel/idempotency.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import type { Family, TestSchema } from '../../testing/schema.ts';
import type { DatabasePort, OutboxReader } from './port.ts';
import { openPostgres } from './postgres.ts';

const insertOrganization = sql('test-org', 'insert into organizations (id, name, slug) values ($1, $2, $3)');
const insertProject = sql(
  'test-project',
  'insert into projects (id, organization_id, name, slug) values ($1, $2, $3, $4)',
);
const allProjects = sql('test-projects', 'select id, organization_id from projects order by id');
const setState = sql('test-state', 'update projects set state = $2, version = version + 1 where id = $1');

/** What the product relies on when it says "written". The same for the server we bring and for one that is already there. */
export function databaseConformance(name: string, openSchema: () => Promise<TestSchema>): void {
  describe(`database: ${name}`, () => {
    let schema: TestSchema;
    let port: DatabasePort;
    let root: pg.Client;
    let seeded: { organizationId: string; otherId: string };
    const opened: { close(): Promise<void> }[] = [];

    const open = async (family: Family = 'gpuaas_api') => {
      const fresh = await openPostgres({
        url: schema.as(family),
        clock: systemClock,
        ids: systemIds,
        log: silentLog,
        name: 'test',
        poolSize: 8,
      });
      opened.push(fresh);
      return fresh;
    };
    const viewer = (organizationId: string | undefined, reach: Viewer['reach'] = 'organization'): Viewer => ({
      ...systemViewer('tester', { correlationId: systemIds.next(), organizationId }),
      reach,
    });
    const act = (organizationId: string | undefined, reach?: Viewer['reach']): Act =>
      makeAct(viewer(organizationId, reach), 'project.create', systemIds.next());
    const keyed = (key: string, expiresInMs = 60_000): Act => {
      const keyedAct = act(seeded.organizationId);
      attachIdempotency(keyedAct, {
        principal: 'tester',
        route: 'project_create',
        key,
        fingerprint: 'f',
        expiresAt: new Date(Date.now() + expiresInMs),
        encode: (value) => ({ status: 201, kept: JSON.stringify(value) }),
      });
      return keyedAct;
    };
    const createProject = (who: Act, id = systemIds.next(), from = port) =>
      from.database.write(who, async (tx) => {
        await tx.run(insertProject, [id, who.organizationId, 'A project', `p-${id}`]);
        return tx.commit(
          { id },
          {
            target: { type: 'project', id },
            events: [projectCreated.of(id, { project_id: id, name: 'A project', slug: `p-${id}`.slice(0, 60) })],
          },
        );
      });
    const count = async (table: string, where: string, values: unknown[]) =>
      Number((await root.query(`select count(*) as n from ${table} where ${where}`, values)).rows[0].n);

    beforeAll(async () => {
      schema = await openSchema();
      root = new pg.Client({ connectionString: schema.url });
      await root.connect();
      port = await open();
      seeded = { organizationId: systemIds.next(), otherId: systemIds.next() };
      for (const id of Object.values(seeded)) {
        await port.database.write(act(id), async (tx) => {
          await tx.run(insertOrganization, [id, 'An organization', `o-${id}`]);
          return tx.commit(id, { target: { type: 'organization', id }, events: 'none' });
        });
      }
    });
    afterAll(async () => {
      for (const thing of opened) await thing.close();
      await root.end();
      await schema.close();
    });

    it('leaves the row, the audit entry and the event together', async () => {
      const who = act(seeded.organizationId);
      const written = await createProject(who);
      if (written instanceof Fault) throw written;
      const { rows } = await root.query(
        `select a.transaction_id = o.transaction_id as together, a.action, a.target_id, o.envelope
         from audit_logs a join outbox_events o on o.key = a.target_id where a.id = $1`,
        [who.id],
      );
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({ together: true, action: 'project.create', target_id: written.value.id });
      expect(rows[0].envelope).toMatchObject({
        event_type: 'tenancy.project.created',
        correlation_id: who.correlationId,
      });
    });

    it('leaves several events in the order in which they were declared', async () => {
      const keys = Array.from({ length: 3 }, () => systemIds.next());
      const who = act(seeded.organizationId);
      await port.database.write(who, async (tx) =>
        tx.commit(undefined, {
          target: { type: 'project', id: 'x' },
          events: keys.map((id) => projectRemoved.of(id, { project_id: id })),
        }),
      );
      const { rows } = await root.query(
        `select key, envelope ->> 'event_type' as type from outbox_events
         where envelope ->> 'correlation_id' = $1 order by position`,
        [who.correlationId],
      );
      expect(rows).toEqual(keys.map((key) => ({ key, type: 'tenancy.project.removed' })));
    });

    it('leaves nothing when the work abandons, and hands the fault back', async () => {
      const who = act(seeded.organizationId);
      const id = systemIds.next();
      const outcome = await port.database.write(who, async (tx) => {
        await tx.run(insertProject, [id, seeded.organizationId, 'Gone', `gone-${id}`]);
        return tx.abandon(new Fault('project_slug_taken', 'Taken.'));
      });
      expect(outcome).toBeInstanceOf(Fault);
      expect(await count('projects', 'id = $1', [id])).toBe(0);
      expect(await count('audit_logs', 'id = $1', [who.id])).toBe(0);
    });

    it('leaves nothing when the work throws, and the connection stays usable', async () => {
      const id = systemIds.next();
      await expect(
        port.database.write(act(seeded.organizationId), async (tx) => {
          await tx.run(insertProject, [id, seeded.organizationId, 'Gone', `gone-${id}`]);
          throw new Error('a bug');
        }),
      ).rejects.toThrow('a bug');
      expect(await count('projects', 'id = $1', [id])).toBe(0);
      await createProject(act(seeded.organizationId));
    });

    it('refuses a second write of one act', async () => {
      const who = act(seeded.organizationId);
      await createProject(who);
      await expect(createProject(who)).rejects.toThrow('one act is one write');
    });

    it('refuses an ending that another transaction made', async () => {
      let stolen: unknown;
      await port.database.write(act(seeded.organizationId), async (tx) => {
        const ending = tx.abandon(new Fault('project_slug_taken', ''));
        stolen = ending;
        return ending;
      });
      await expect(port.database.write(act(seeded.organizationId), async () => stolen as never)).rejects.toThrow(
        'neither commit nor abandon',
      );
    });

    it('refuses a statement that comes after the end', async () => {
      let late: (() => Promise<unknown>) | undefined;
      await port.database.read(viewer(seeded.organizationId), async (tx) => {
        late = () => tx.rows(allProjects);
      });
      await expect(late?.()).rejects.toThrow('after its transaction had ended');
    });

    it('reads in a transaction that cannot write', async () => {
      await expect(
        port.database.read(viewer(seeded.organizationId), (tx) =>
          tx.rows(insertProject, [systemIds.next(), seeded.organizationId, 'Sneaky', 'sneaky']),
        ),
      ).rejects.toMatchObject({ code: '25006' });
    });

    it('shows an organization its own rows only, without any predicate in the query', async () => {
      await createProject(act(seeded.organizationId));
      await createProject(act(seeded.otherId));
      const mine = await port.database.read(viewer(seeded.organizationId), (tx) =>
        tx.rows<{ organization_id: string }>(allProjects),
      );
      expect(new Set(mine.map((row) => row.organization_id))).toEqual(new Set([seeded.organizationId]));
      const nobody = await port.database.read(viewer(undefined), (tx) => tx.rows(allProjects));
      expect(nobody).toEqual([]);
    });

    it('refuses to write a row into another organization', async () => {
      await expect(
        port.database.write(act(seeded.organizationId), async (tx) => {
          const id = systemIds.next();
          await tx.run(insertProject, [id, seeded.otherId, 'Planted', `planted-${id}`]);
          return tx.commit(id, { target: { type: 'project', id }, events: 'none' });
        }),
      ).rejects.toThrow('row-level security');
    });

    it('refuses a change of a business table without an act', async () => {
      await expect(root.query(`update projects set name = 'x', version = version + 1`)).rejects.toMatchObject({
        code: 'GP001',
      });
    });

    it('refuses to commit a change that left no audit row', async () => {
      await root.query('begin');
      await root.query(`select set_config('gpuaas.act', $1, true)`, [systemIds.next()]);
      await root.query(`update projects set name = 'x', version = version + 1`);
      await expect(root.query('commit')).rejects.toMatchObject({ code: 'GP002' });
    });

    it('never changes or removes an audit row, whoever asks', async () => {
      await expect(root.query(`update audit_logs set action = 'x.y'`)).rejects.toMatchObject({ code: 'GP003' });
      await expect(root.query('delete from audit_logs')).rejects.toMatchObject({ code: 'GP003' });
      await expect(root.query('truncate audit_logs cascade')).rejects.toMatchObject({ code: 'GP003' });
    });

    it('refuses a change of state that is no edge of the machine', async () => {
      const written = await createProject(act(seeded.organizationId));
      if (written instanceof Fault) throw written;
      const jump = port.database.write(act(seeded.organizationId), async (tx) => {
        await tx.run(setState, [written.value.id, 'deleted']);
        return tx.commit(1, { target: { type: 'project', id: written.value.id }, events: 'none' });
      });
      await expect(jump).rejects.toMatchObject({ code: 'GP005' });
    });

    it('refuses an event whose payload is not as declared', async () => {
      const id = systemIds.next();
      const wrong = projectRemoved.of(id, { project_id: 'not a uuid' });
      await expect(
        port.database.write(act(seeded.organizationId), async (tx) =>
          tx.commit(1, { target: { type: 'project', id }, events: [wrong] }),
        ),
      ).rejects.toThrow('not as declared');
    });

    it('refuses an event that the contract does not name, and keeps nothing of the write', async () => {
      const id = systemIds.next();
      const before = await count('outbox_events', 'true', []);
      const known = projectRemoved.of(id, { project_id: id });
      const unknown = { ...known, type: 'tenancy.project.vanished' as typeof known.type };
      await expect(
        port.database.write(act(seeded.organizationId), async (tx) =>
          tx.commit(1, { target: { type: 'project', id }, events: [known, unknown] }),
        ),
      ).rejects.toThrow('tenancy.project.vanished that is not as declared');
      expect(await count('outbox_events', 'true', [])).toBe(before);
    });

    it('lets one of 32 writes with the same key through; the others learn that it runs or is done', async () => {
      const key = systemIds.next();
      const outcomes = await Promise.allSettled(Array.from({ length: 32 }, () => createProject(keyed(key))));
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused).toHaveLength(31);
      for (const { reason } of refused) expect(reason).toBeInstanceOf(KeyTaken);
      const stored = await port.replies.find('tester', 'project_create', key);
      expect(stored).toMatchObject({ status: 201, fingerprint: 'f' });
      expect(await count('projects', 'id = $1', [JSON.parse(stored?.body ?? '{}').id])).toBe(1);
    });

    it('does not remember a key whose write was abandoned', async () => {
      const key = systemIds.next();
      await port.database.write(keyed(key), async (tx) => tx.abandon(new Fault('project_slug_taken', '')));
      expect(await port.replies.find('tester', 'project_create', key)).toBeUndefined();
      await createProject(keyed(key));
      await expect(createProject(keyed(key))).rejects.toMatchObject({ how: 'done' });
    });

    it('answers a repetition with what was stored, and does nothing of what was sent with it', async () => {
      const key = systemIds.next();
      const written = await createProject(keyed(key));
      if (written instanceof Fault) throw written;
      const again = Array.from({ length: 16 }, () => systemIds.next());
      const outcomes = await Promise.allSettled(again.map((id) => createProject(keyed(key), id)));
      const stored = { fingerprint: 'f', status: 201, body: JSON.stringify(written.value) };
      for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { how: 'done', stored } });
      expect(await count('projects', 'id = any ($1)', [again])).toBe(0);
    });

    it('takes a key again once its reply has expired', async () => {
      const key = systemIds.next();
      await createProject(keyed(key, -1));
      const second = await createProject(keyed(key));
      if (second instanceof Fault) throw second;
      const stored = await port.replies.find('tester', 'project_create', key);
      expect(stored?.body).toBe(JSON.stringify(second.value));
    });

    it('tries again after a serialization failure', async () => {
      let tries = 0;
      const failOnce = sql('test-fail-once', `do $$ begin raise exception 'try again' using errcode = '40001'; end $$`);
      const written = await port.database.write(act(seeded.organizationId), async (tx) => {
        tries += 1;
        if (tries === 1) await tx.run(failOnce);
        return tx.commit(tries, { target: { type: 'project', id: 'x' }, events: 'none' });
      });
      expect(written).toMatchObject({ value: 2 });
    });

    it('works again after all its connections were cut', async () => {
      await root.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await expect
        .poll(async () => {
          await port.check();
          return 'answers';
        })
        .toBe('answers');
      await createProject(act(seeded.organizationId));
    });

    describe('outbox', () => {
      let relay: DatabasePort;
      let reader: OutboxReader;
      const stop = new AbortController();
      const drain = async () => {
        const seen: string[] = [];
        for (let rows = await reader.next(3); rows.length > 0; rows = await reader.next(3)) {
          seen.push(...rows.map((row) => row.key));
          await reader.settle(rows.at(-1)?.position ?? '');
        }
        return seen;
      };
      /** The horizon is the whole server's: somebody else's transaction may hold events back for a moment. */
      const drainUntil = async (wanted: number) => {
        const seen: string[] = [];
        for (const until = Date.now() + 15_000; seen.length < wanted && Date.now() < until; )
          seen.push(...(await drain()));
        return seen;
      };
      beforeAll(async () => {
        relay = await open('gpuaas_relay');
        reader = await relay.outbox.lead('test', stop.signal);
        await drainUntil(await count('outbox_events', 'true', []));
      });
      afterAll(() => reader.close());

      it('hands out events in the order of their commits, once', async () => {
        const ids = [systemIds.next(), systemIds.next(), systemIds.next(), systemIds.next(), systemIds.next()];
        for (const id of ids) await createProject(act(seeded.organizationId), id);
        expect(await drainUntil(ids.length)).toEqual(ids);
        expect(await drain()).toEqual([]);
      });

      it('hands out again what was not settled, and nothing else before it', async () => {
        const ids = [systemIds.next(), systemIds.next(), systemIds.next()];
        for (const id of ids) await createProject(act(seeded.organizationId), id);
        const seen: string[] = [];
        const positions = new Map<string, string>();
        for (const until = Date.now() + 15_000; seen.length < ids.length && Date.now() < until; ) {
          const offered = await reader.next(2);
          expect((await reader.next(2)).slice(0, offered.length)).toEqual(offered);
          const [first] = offered;
          if (!first) continue;
          expect(positions.has(first.position)).toBe(false);
          positions.set(first.position, first.key);
          seen.push(first.key);
          // One of several is settled: the others come again.
          await reader.settle(first.position);
        }
        expect(seen).toEqual(ids);
        expect(await drain()).toEqual([]);
      });

      it('does not skip a transaction that took its position early and commits late', async () => {
        const [late, early] = [systemIds.next(), systemIds.next()];
        const slow = new pg.Client({ connectionString: schema.url });
        await slow.connect();
        await slow.query('begin');
        await slow.query(
          `insert into outbox_events (event_id, message_id, subject, key, envelope) values (gen_random_uuid(), $1, 'tenancy.x', $1, '{}')`,
          [late],
        );
        await createProject(act(seeded.organizationId), early);
        const before = await drain();
        await slow.query('commit');
        await slow.end();
        const after = await drainUntil(2 - before.length);
        expect([...before, ...after].sort()).toEqual([late, early].sort());
      });

      it('goes on where it stopped when another reader takes the lead', async () => {
        const ids = [systemIds.next(), systemIds.next(), systemIds.next(), systemIds.next()];
        for (const id of ids) await createProject(act(seeded.organizationId), id);
        let first = await reader.next(2);
        await expect
          .poll(
            async () => {
              if (first.length < 2) first = await reader.next(2);
              return first.length;
            },
            { timeout: 15_000 },
          )
          .toBe(2);
        await reader.settle(first[1]?.position ?? '');
        const waiting = relay.outbox.lead('test', stop.signal);
        await reader.close();
        reader = await waiting;
        expect(await drainUntil(2)).toEqual(ids.slice(2));
      });

      it('wakes its listener after a commit', async () => {
        const woken = Promise.withResolvers<void>();
        const listening = await relay.outbox.onCommit(() => woken.resolve());
        await createProject(act(seeded.organizationId));
        await woken.promise;
        await listening.close();
        expect(await drainUntil(1)).toHaveLength(1);
      });

      it('counts what waits, and starts over when it is rewound', async () => {
        await createProject(act(seeded.organizationId));
        expect((await relay.outbox.backlog('test')).pending).toBe(1);
        await drainUntil(1);
        expect((await relay.outbox.backlog('test')).pending).toBe(0);
        await reader.close();
        await relay.outbox.rewind('test');
        reader = await relay.outbox.lead('test', stop.signal);
        const written = await count('outbox_events', 'true', []);
        expect(await drainUntil(written)).toHaveLength(written);
      });
    });
  });
}
