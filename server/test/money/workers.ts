import type pg from 'pg';
import { makeAccrue, makeMonthsAhead } from '../../src/domains/billing/accrual.ts';
import { openAs } from '../../src/domains/billing/testing.ts';
import { actsOf } from '../../src/kernel/act.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import type { TestSchema } from '../../src/testing/schema.ts';
import type { Chance } from './chance.ts';

const windowSeconds = 60;
const dayMs = 24 * 3_600_000;

/**
 * Two billing-workers whose own clocks step by days. The first charges; sometimes both do at once; sometimes PostgreSQL ends the
 * connection of a worker at a row in the middle of its statement, as the death of its process would.
 */
export async function openWorkers(schema: TestSchema, root: pg.Client, chance: Chance, now: () => number) {
  await plantDeath(root);
  let stepMs = 0;
  const clock = { now: () => new Date(now() + stepMs), sleep: systemClock.sleep };
  const ports = await Promise.all([1, 2].map(() => openAs(schema, 'gpuaas_billing', clock)));
  const parts = ports.map(({ database }) => ({
    ...{ db: database, begin: actsOf('billing-worker', systemIds), ids: systemIds },
    time: async () => new Date(now()),
  }));
  const [first, second] = parts.map(makeAccrue) as [ReturnType<typeof makeAccrue>, ReturnType<typeof makeAccrue>];
  const counts = { deaths: 0, together: 0, rounds: 0 };
  const until = async (charge: typeof first, bounds?: Parameters<typeof first>[1]): Promise<void> => {
    while (await charge(windowSeconds, bounds)) counts.rounds += 1;
  };
  return {
    counts,
    async charge(): Promise<void> {
      if (chance.oneIn(10)) stepMs = chance.between(-40, 40) * dayMs + chance.below(dayMs);
      if (chance.oneIn(12)) {
        await root.query('update test_death set at = (select last_value from test_rows) + $1', [chance.between(1, 60)]);
        const died = await until(first).then(
          () => false,
          () => true,
        );
        if (died) counts.deaths += 1;
        await root.query('update test_death set at = 0');
      }
      if (chance.oneIn(8)) {
        counts.together += 1;
        const bounds = { meters: chance.between(1, 3), windows: chance.between(1, 90) };
        await Promise.all([until(first, bounds), until(second, bounds)]);
      }
      await until(chance.pick([first, second]));
    },
    async monthsAhead(): Promise<void> {
      const [of] = parts;
      if (of) await makeMonthsAhead(of).round(new AbortController().signal);
    },
    async close(): Promise<void> {
      await Promise.all(ports.map((port) => port.close()));
    },
  };
}

/** Counts rows as they are written, and ends the connection that writes a chosen one. */
async function plantDeath(root: pg.Client): Promise<void> {
  await root.query(`
    create table test_death (at bigint not null);
    insert into test_death values (0);
    create sequence test_rows;
    create function test_die() returns trigger language plpgsql security definer set search_path to pg_catalog, public as $$
    begin
      if nextval('test_rows') = (select at from test_death) then
        perform pg_terminate_backend(pg_backend_pid());
        perform pg_sleep(1);
      end if;
      return new;
    end $$;
    create trigger test_die before insert on usage_windows for each row execute function test_die();
    create trigger test_die before insert on ledger_entries for each row execute function test_die();
    create trigger test_die before update on usage_meters for each row execute function test_die();`);
}
